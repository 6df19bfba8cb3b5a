import AlarmModel
import Glibc
import Testing

@testable import EventStore

@Suite("State directory")
struct StateDirectoryTests {
    @Test("the directory is made for its owner only and held by one process at a time")
    func theDirectoryIsMadeForItsOwnerOnlyAndHeldByOneProcess() throws {
        let workshop = Workshop()
        let directory = workshop.directory + "/state"
        #expect(StateLock.holder(of: directory) == nil)
        let lock = try StateLock(directory: directory)
        var status = stat()
        #expect(stat(directory, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        let failure = thrown(StateLock.Failure.self) { try StateLock(directory: directory) }
        #expect(failure == .held(directory: directory, by: getpid()))
        #expect(failure?.description.contains("another howalarming uses") == true)
        #expect(StateLock.holder(of: directory) == getpid())
        lock.release()
        #expect(StateLock.holder(of: directory) == nil)
        _ = try StateLock(directory: directory)
        _ = try StateLock(directory: directory)
    }

    @Test("a directory that cannot be made is an error with its reason")
    func aDirectoryThatCannotBeMadeIsAnErrorWithItsReason() {
        let failure = thrown(StateLock.Failure.self) { try StateLock(directory: "/nowhere/at/all") }
        guard case .notPossible(let error) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(error.kind == .missing)
    }

    @Test("files of the store can be read by their owner only")
    func filesOfTheStoreCanBeReadByTheirOwnerOnly() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, .sample(1))])
        for name in try StateFile.names(in: workshop.directory) {
            var status = stat()
            #expect(stat("\(workshop.directory)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o077 == 0, "\(name)")
        }
    }

    @Test("what root does there leaves every file to the directory's owner, so that the daemon is not locked out")
    func whatRootDoesThereLeavesEveryFileToTheDirectorysOwner() throws {
        let workshop = Workshop()
        // The daemon's user. Without the right to do so it stays ours, and so do the files.
        chown(workshop.directory, 65534, 65534)
        var directory = stat()
        #expect(stat(workshop.directory, &directory) == 0)
        let lock = try StateLock(directory: workshop.directory)
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, .sample(1))])
        try PhoneFile.write(PhoneBook(), [], in: workshop.directory)
        try StateArchive(of: workshop.directory).restore(into: workshop.directory, replacing: true)
        let names = try StateFile.names(in: workshop.directory)
        for name in [Journal.fileName, LogNumber.fileName, "lock"] + PhoneFile.names {
            #expect(names.contains(name), "\(name)")
        }
        for name in names {
            var file = stat()
            #expect(stat("\(workshop.directory)/\(name)", &file) == 0)
            #expect(file.st_uid == directory.st_uid && file.st_gid == directory.st_gid, "\(name)")
        }
        lock.release()
        _ = journal
    }

    @Test("a file that cannot be looked at is not taken for one that is missing")
    func aFileThatCannotBeLookedAtIsNotTakenForOneThatIsMissing() throws {
        let workshop = Workshop()
        let loop = "\(workshop.directory)/loop"
        #expect(symlink("loop", loop) == 0)
        #expect(try StateFile.size(of: "\(workshop.directory)/none") == nil)
        let failure = thrown(StoreError.self) { try StateFile.size(of: loop) }
        #expect(failure?.systemError == ELOOP)
        #expect(throws: StoreError.self) { try StateFile.remove("\(workshop.directory)/loop/within") }
        try StateFile.remove("\(workshop.directory)/none")
    }

    @Test("a lost log number is taken from the journal, one that is ahead tells of a restored journal")
    func aLostLogNumberIsTakenFromTheJournal() throws {
        let workshop = Workshop()
        #expect(try workshop.open().report.log == LogNumber(1))
        unlink("\(workshop.directory)/log.number")
        #expect(try workshop.open(run: "2").report.log == LogNumber(1))
        #expect(try workshop.bytes("log.number") == Array("00000001\n".utf8))
        try LogNumber(0xAB).store(in: workshop.directory)
        let report = try workshop.open(run: "3").report
        #expect(report.isRestored)
        #expect(report.log == LogNumber(0xAB))
        let next = try workshop.open(run: "4").report
        #expect(!next.isRestored)
        #expect(next.log.description == "000000ab")
        #expect(LogNumber(UInt32.max).advanced() == LogNumber(.max))
    }

    @Test("what a backup holds goes on in another directory under a higher log number")
    func whatABackupHoldsGoesOnInAnotherDirectoryUnderAHigherLog() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, .full, .sample(2), snapshot: .sample(5))])
        try workshop.write([1, 2, 3], "box.keys")
        try PushKeyFile.write([4, 5, 6], in: workshop.directory)
        // The daemon runs, and its last commits are in the log only.
        let archive = try StateArchive(of: workshop.directory, files: ["box.keys", "missing.keys"])
        _ = try journal.commit([Batch(2, .sample(3))])
        let parsed = try StateArchive(parsing: archive.bytes)
        #expect(parsed == archive)
        let other = Workshop()
        let directory = other.directory + "/state"
        try parsed.restore(into: directory)
        #expect(try StateFile.names(in: directory) == ["box.keys", "journal.db", "log.number", "push.key"])
        #expect(try StateFile.read(directory + "/box.keys") == [1, 2, 3])
        #expect(try PushKeyFile.read(in: directory) == [4, 5, 6])
        let restored = try Journal(directory: directory, options: Journal.Options(run: "run"))
        #expect(restored.report.isRestored)
        #expect(restored.report.log == LogNumber(1 + StateArchive.logNumberStep))
        #expect(restored.report.lastSequence == SequenceNumber(2))
        #expect(restored.report.snapshot == .sample(5))
        Workshop.remove(directory)
    }

    @Test("a directory in use is replaced only when that was said, and its journal is kept")
    func aDirectoryInUseIsReplacedOnlyWhenThatWasSaid() throws {
        let workshop = Workshop()
        _ = try workshop.open().commit([Batch(1, .sample(1))])
        let archive = try StateArchive(of: workshop.directory)
        _ = try workshop.open(run: "2").commit([Batch(1, .sample(2))])
        try LogNumber(9).store(in: workshop.directory)
        #expect(throws: StateArchiveError.directoryNotEmpty(workshop.directory)) {
            try archive.restore(into: workshop.directory)
        }
        #expect(try workshop.events().count == 2)
        try archive.restore(into: workshop.directory, replacing: true)
        #expect(try workshop.events().count == 1)
        #expect(try workshop.open(run: "3").report.log == LogNumber(9 + StateArchive.logNumberStep))
        let kept = try Database(path: "\(workshop.directory)/journal.damaged-1.db", access: .readWrite)
        #expect(try kept.integer("SELECT count(*) FROM events", doing: "test") == 2)
    }

    @Test("an archive cut anywhere is refused, and names cannot lead out of the directory")
    func anArchiveCutAnywhereIsRefused() throws {
        let archive = StateArchive(files: [.init(name: "journal.db", content: [9, 9]), .init(name: "a", content: [])])
        for length in 0..<archive.bytes.count {
            #expect(throws: StateArchiveError.self) { try StateArchive(parsing: Array(archive.bytes[..<length])) }
        }
        #expect(throws: StateArchiveError.truncated) { try StateArchive(parsing: archive.bytes + [0]) }
        for name in [
            "../x", "/etc/passwd", "", ".", "..", "lock", "a/b", "journal.db-wal", "a\u{0}b", ".hidden", "journal.db",
        ] {
            let bad = StateArchive(files: archive.files + [.init(name: name, content: [])])
            #expect(throws: StateArchiveError.badName(name)) { try StateArchive(parsing: bad.bytes) }
        }
        var bytes = archive.bytes
        bytes[9] = 2
        #expect(throws: StateArchiveError.newerVersion(2)) { try StateArchive(parsing: bytes) }
    }

    @Test("a damaged journal in an archive changes nothing in the directory")
    func aDamagedJournalInAnArchiveChangesNothingInTheDirectory() throws {
        let workshop = Workshop()
        _ = try workshop.open().commit([Batch(1, .sample(1))])
        var archive = try StateArchive(of: workshop.directory)
        archive.files[0].content = Array(repeating: 7, count: 8192)
        #expect(throws: StateArchiveError.self) { try archive.restore(into: workshop.directory, replacing: true) }
        #expect(try workshop.events().count == 1)
        #expect(try StateFile.names(in: workshop.directory).allSatisfy { !$0.contains("restoring") })
        archive.files.remove(at: 0)
        #expect(throws: StateArchiveError.noJournal) { try archive.restore(into: workshop.directory, replacing: true) }
    }
}
