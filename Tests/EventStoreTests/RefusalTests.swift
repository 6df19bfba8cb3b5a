import AlarmModel
import EventStore
import Glibc
import Testing

@Suite("The disk refuses")
struct RefusalTests {
    @Test("a full database takes nothing by halves, keeps what it has, and goes on when retention made room")
    func aFullDatabaseTakesNothingByHalves() throws {
        let workshop = Workshop()
        let journal = try workshop.open { $0.maximumPages = 24 }
        var stored: Int64 = 0
        var id: UInt64 = 0
        let failure = thrown(StoreError.self) {
            for _ in 1...200 {
                id += 1
                let numbers = Int(stored) + 1...Int(stored) + 10
                stored = try journal.commit([Batch(id: BatchID(id), events: numbers.map { .sample($0) })]).number
            }
        }
        #expect(failure?.kind == .full)
        #expect(failure?.description.contains("full") == true)
        #expect(try workshop.events().map(\.seq.number) == Array(1...stored))
        let step = RetentionStep(olderThan: nil, keepAtMost: 10, limit: 200)
        _ = try journal.commit([Batch(id: BatchID(id), retention: step)])
        #expect(try journal.commit([Batch(id + 1, .sample(1))]).number == stored + 1)
    }

    @Test(
        "a full file system is told from other failures, and the store goes on with room",
        .enabled(if: Privileges.canMount))
    func aFullFileSystemIsToldFromOtherFailures() throws {
        let workshop = Workshop()
        try #require(mount("tmpfs", workshop.directory, "tmpfs", 0, "size=400k") == 0)
        defer { umount2(workshop.directory, Int32(MNT_DETACH)) }
        var journal: Journal? = try workshop.open()
        try workshop.write(Array(repeating: 0, count: 200_000), "ballast")
        var stored: Int64 = 0
        var id: UInt64 = 0
        let failure = thrown(StoreError.self) {
            for _ in 1...500 {
                id += 1
                stored = try journal?.commit([Batch(id, .sample(Int(id)))]).number ?? 0
            }
        }
        #expect(failure?.kind == .full)
        let count = try workshop.events().count
        #expect(count == Int(stored))
        unlink("\(workshop.directory)/ballast")
        #expect(try journal?.commit([Batch(id, .sample(Int(id)))]).number == stored + 1)
        try journal?.close()
        journal = nil
        #expect(try workshop.events().map(\.event.message) == (1...count + 1).map { "event \($0)" })
    }

    @Test("in a directory that cannot be written the writer says read-only and the reader reads")
    func inADirectoryThatCannotBeWrittenTheWriterSaysRead() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, .sample(1))])
        try journal.checkpoint()
        _ = try journal.commit([Batch(2, .sample(2))])
        // As on a card after a power cut: the log is there, its index is not.
        let cut = try withExtendedLifetime(journal) { try workshop.copy() }
        try journal.close()
        let closed = try workshop.copy()
        try Privileges.withOrdinaryRights(on: closed.directory, mode: 0o500) { () throws in
            let failure = thrown(StoreError.self) { try closed.open(run: "next") }
            #expect(failure?.kind == .readOnly)
            #expect(try JournalReader(directory: closed.directory).isMissingNewest == false)
            #expect(try closed.events().map(\.seq.number) == [1, 2])
        }
        try Privileges.withOrdinaryRights(on: cut.directory, mode: 0o500) { () throws in
            #expect(throws: StoreError.self) { try cut.open(run: "next") }
            #expect(try JournalReader(directory: cut.directory).isMissingNewest)
            #expect(try cut.events().map(\.seq.number) == [1])
        }
        #expect(try cut.open(run: "next").report.lastSequence == SequenceNumber(2))
    }

    @Test("a fresh journal in a directory that cannot be written, and in none, is a plain error")
    func aFreshJournalInADirectoryThatCannotBeWritten() throws {
        let workshop = Workshop()
        try Privileges.withOrdinaryRights(on: workshop.directory, mode: 0o500) { () throws in
            let failure = thrown(StoreError.self) { try workshop.open() }
            #expect(failure?.kind == .readOnly)
        }
        let missing = thrown(StoreError.self) {
            try Journal(directory: workshop.directory + "/none", options: Journal.Options(run: "run"))
        }
        #expect(missing?.kind == .missing)
        let unread = thrown(StoreError.self) { try JournalReader(directory: workshop.directory) }
        #expect(unread?.kind == .missing)
    }

    @Test("a database that another program holds is reported as busy, and is used again afterwards")
    func aDatabaseThatAnotherProgramHoldsIsReportedAsBusy() throws {
        let workshop = Workshop()
        let journal = try workshop.open { $0.busyTimeout = .milliseconds(1) }
        let other = try workshop.database()
        try other.execute("BEGIN IMMEDIATE", doing: "test")
        let failure = thrown(StoreError.self) { try journal.commit([Batch(1, .sample(1))]) }
        #expect(failure?.kind == .busy)
        try other.execute("ROLLBACK", doing: "test")
        #expect(try journal.commit([Batch(1, .sample(1))]) == SequenceNumber(1))
    }
}
