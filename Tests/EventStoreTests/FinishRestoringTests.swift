import AlarmModel
import Glibc
import Testing

@testable import EventStore

@Suite("A backup that cannot be brought back at the start")
struct FinishRestoringTests {
    /// A state with one event and keys of its own, beside which a backup of another house is prepared.
    private static func prepare(_ workshop: Workshop) throws {
        let backup = Workshop()
        _ = try backup.open().commit([Batch(1, .sample(7), .sample(8))])
        try backup.write([7, 8], "box.keys")
        let archive = try StateArchive(of: backup.directory, files: ["box.keys"])
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, .sample(1))])
        try journal.close()
        try workshop.write([1], "box.keys")
        try archive.prepareRestoring(into: workshop.directory)
    }

    /// - Parameter journal: its file before
    private static func expectOld(_ workshop: Workshop, journal: [UInt8]) throws {
        #expect(try workshop.bytes(Journal.fileName) == journal)
        #expect(try workshop.bytes("box.keys") == [1])
        #expect(LogNumber.stored(in: workshop.directory) == LogNumber(1))
        #expect(try StateFile.names(in: workshop.directory).contains("journal.db.restoring"))
    }

    private static func expectRestored(_ workshop: Workshop) throws {
        #expect(try workshop.events().map(\.event.message) == ["event 7", "event 8"])
        #expect(try workshop.bytes("box.keys") == [7, 8])
        #expect(try workshop.open(run: "restored").report.isRestored)
        let names = try StateFile.names(in: workshop.directory)
        #expect(!names.contains { $0.hasSuffix(".restoring") || $0.hasPrefix("restore") })
        #expect(names.contains("journal.damaged-1.db") && !names.contains("journal.damaged-2.db"))
        #expect(try !StateArchive.finishRestoring(in: workshop.directory))
    }

    @Test("on a card that can only be read the old state goes on, and the first start that can write finishes it")
    func onACardThatCanOnlyBeRead() throws {
        let workshop = Workshop()
        try Self.prepare(workshop)
        let journal = try workshop.bytes(Journal.fileName)
        try Privileges.withOrdinaryRights(on: workshop.directory, mode: 0o500) { () throws in
            let failure = thrown(StoreError.self) { try StateArchive.finishRestoring(in: workshop.directory) }
            #expect(failure?.kind == .readOnly)
            try Self.expectOld(workshop, journal: journal)
        }
        #expect(try StateArchive.finishRestoring(in: workshop.directory))
        try Self.expectRestored(workshop)
    }

    @Test(
        "on a full disk the old state goes on, and the first start with room finishes it",
        .enabled(if: Privileges.canMount))
    func onAFullDisk() throws {
        let workshop = Workshop()
        try #require(mount("tmpfs", workshop.directory, "tmpfs", 0, "size=1m") == 0)
        defer { umount2(workshop.directory, Int32(MNT_DETACH)) }
        try Self.prepare(workshop)
        let journal = try workshop.bytes(Journal.fileName)
        let full = thrown(StoreError.self) {
            for number in 0..<300 { try workshop.write(Array(repeating: 0, count: 4096), "ballast-\(number)") }
        }
        try #require(full?.kind == .full)
        let failure = thrown(StoreError.self) { try StateArchive.finishRestoring(in: workshop.directory) }
        #expect(failure?.kind == .full)
        try Self.expectOld(workshop, journal: journal)
        for name in try StateFile.names(in: workshop.directory) where name.hasPrefix("ballast") {
            unlink("\(workshop.directory)/\(name)")
        }
        #expect(try StateArchive.finishRestoring(in: workshop.directory))
        try Self.expectRestored(workshop)
    }

    @Test("a file that cannot be moved keeps the old journal in use, and a start after that finishes the rest")
    func aFileThatCannotBeMoved() throws {
        let workshop = Workshop()
        try Self.prepare(workshop)
        let inTheWay = "\(workshop.directory)/box.keys"
        unlink(inTheWay)
        try #require(mkdir(inTheWay, 0o700) == 0)
        #expect(throws: StoreError.self) { try StateArchive.finishRestoring(in: workshop.directory) }
        #expect(try workshop.events().map(\.event.message) == ["event 1"])
        rmdir(inTheWay)
        #expect(try StateArchive.finishRestoring(in: workshop.directory))
        try Self.expectRestored(workshop)
    }
}
