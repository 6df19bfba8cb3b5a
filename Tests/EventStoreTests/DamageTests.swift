import AlarmModel
import EventStore
import Glibc
import Testing

@Suite("Damage")
struct DamageTests {
    /// A closed journal of 3000 events.
    static func filled() throws -> Workshop {
        let workshop = Workshop()
        let journal = try workshop.open()
        for id in 1...12 {
            let numbers = (id - 1) * 250 + 1...id * 250
            _ = try journal.commit([
                Batch(id: BatchID(UInt64(id)), events: numbers.map { .sample($0) }, snapshot: .sample(9))
            ])
        }
        try journal.close()
        return workshop
    }

    static func salvaged(_ report: OpenReport) -> Int? {
        guard case .damagedSetAside(let file, let why, let salvaged) = report.outcome else { return nil }
        return file == "journal.damaged-1.db" && !why.isEmpty ? salvaged : nil
    }

    @Test("a file with an overwritten header is kept, and a new journal with a new log number begun")
    func aFileWithAnOverwrittenHeaderIsKept() throws {
        let workshop = try Self.filled()
        var bytes = try workshop.bytes("journal.db")
        bytes.replaceSubrange(0..<100, with: Array(repeating: 0xEE, count: 100))
        try workshop.write(bytes, "journal.db")
        let journal = try workshop.open(run: "next")
        #expect(Self.salvaged(journal.report) == 0)
        #expect(journal.report.log == LogNumber(2))
        #expect(!journal.report.isRestored)
        #expect(journal.report.lastSequence == .zero)
        #expect(try workshop.bytes("journal.damaged-1.db") == bytes)
        #expect(try journal.commit([Batch(1, .damageTold)]) == SequenceNumber(1))
        #expect(try workshop.open(run: "third").report.outcome == .opened(quickCheckCompleted: true))
        #expect(LogNumber.stored(in: workshop.directory) == LogNumber(2))
    }

    @Test("of a journal with a broken page the newest events are taken over without a gap")
    func ofAJournalWithABrokenPageTheNewestEventsAreTakenOver() throws {
        let workshop = try Self.filled()
        var bytes = try workshop.bytes("journal.db")
        let middle = bytes.count / 4096 / 2 * 4096
        bytes.replaceSubrange(middle..<middle + 4096, with: Array(repeating: 0xEE, count: 4096))
        try workshop.write(bytes, "journal.db")
        let report = try workshop.open(run: "next").report
        let salvaged = try #require(Self.salvaged(report))
        #expect(salvaged > 1000 && salvaged < 3000)
        #expect(report.lastSequence == SequenceNumber(3000))
        #expect(report.snapshot == .sample(9))
        let events = try workshop.events()
        #expect(events.map(\.seq.number) == (3001 - salvaged...3000).map(Int64.init))
        #expect(events.last?.event == .sample(3000))
    }

    @Test("a truncated file is set aside")
    func aTruncatedFileIsSetAside() throws {
        let workshop = try Self.filled()
        let bytes = try workshop.bytes("journal.db")
        try workshop.write(Array(bytes[..<(bytes.count / 4096 / 3 * 4096)]), "journal.db")
        let journal = try workshop.open(run: "next")
        #expect(Self.salvaged(journal.report) != nil)
        _ = try journal.commit([Batch(1, .sample(1))])
    }

    @Test("a database of another program is kept, not used")
    func aDatabaseOfAnotherProgramIsKept() throws {
        let workshop = Workshop()
        try workshop.database().execute("CREATE TABLE events (a); INSERT INTO events VALUES (1)", doing: "test")
        let journal = try workshop.open()
        #expect(Self.salvaged(journal.report) == 0)
        let kept = try Database(path: "\(workshop.directory)/journal.damaged-1.db", access: .readWrite)
        #expect(try kept.integer("SELECT a FROM events", doing: "test") == 1)
    }

    @Test("an empty file is a fresh journal, and so is one without tables")
    func anEmptyFileIsAFreshJournal() throws {
        let workshop = Workshop()
        try workshop.write([], "journal.db")
        #expect(try workshop.open().report.outcome == .fresh)
        let other = Workshop()
        try other.database().execute("PRAGMA journal_mode = WAL", doing: "test")
        #expect(try other.bytes("journal.db").count > 0)
        let journal = try other.open()
        #expect(journal.report.outcome == .opened(quickCheckCompleted: true))
        #expect(journal.report.log == LogNumber(1))
        #expect(try journal.commit([Batch(1, .sample(1))]) == SequenceNumber(1))
    }

    @Test("three damaged files are kept, the oldest go")
    func threeDamagedFilesAreKept() throws {
        let workshop = Workshop()
        for number in 1...5 {
            try workshop.write(Array("damaged \(number)".utf8), "journal.db")
            _ = try workshop.open(run: "\(number)")
        }
        let kept = try StateFile.names(in: workshop.directory).filter { $0.hasPrefix("journal.damaged") }
        #expect(kept == (3...5).map { "journal.damaged-\($0).db" })
        #expect(LogNumber.stored(in: workshop.directory) == LogNumber(5))
    }

    @Test("a check whose time is over accepts the file and says so")
    func aCheckWhoseTimeIsOverAcceptsTheFileAndSaysSo() throws {
        let workshop = try Self.filled()
        let report = try workshop.open(run: "next") { $0.checkLimit = .zero }.report
        #expect(report.outcome == .opened(quickCheckCompleted: false))
        #expect(report.lastSequence == SequenceNumber(3000))
    }

    @Test("whatever bytes are changed, the journal opens, takes an event and can be read")
    func whateverBytesAreChanged() throws {
        let sound = try Self.filled()
        let bytes = try sound.bytes("journal.db")
        var random = Dice(seed: 7)
        for round in 1...150 {
            let workshop = Workshop()
            var damaged = bytes
            for _ in 0...random.roll(6) {
                // Half of them where structure is dense: the beginning of a page.
                let page = random.roll(damaged.count / 4096) * 4096
                damaged[page + random.roll(random.roll(2) == 0 ? 64 : 4096)] = UInt8(random.roll(256))
            }
            if random.roll(8) == 0 { damaged.removeLast(random.roll(damaged.count)) }
            try workshop.write(damaged, "journal.db")
            do {
                let journal = try workshop.open(run: "next")
                _ = try journal.setAsideSuspectRows()
                let last = try journal.commit([Batch(1, .full)])
                let events = try workshop.events()
                #expect(events.last == StoredEvent(seq: last, event: .full), "round \(round)")
            } catch {
                Issue.record("round \(round): \(error)")
            }
        }
    }

    @Test("an unreadable snapshot is reported; safe mode takes it out and keeps it")
    func anUnreadableSnapshotIsReported() throws {
        let workshop = try Self.filled()
        try workshop.database().execute("UPDATE snapshot SET content = '{\"panel\": 3}' WHERE id = 1003", doing: "test")
        let journal = try workshop.open(run: "next")
        #expect(journal.report.snapshot == nil)
        #expect(journal.report.snapshotProblem != nil)
        #expect(try journal.setAsideSuspectRows().moved == 1)
        #expect(try journal.setAsideSuspectRows().moved == 0)
        let kept = try workshop.database().text("SELECT content FROM suspect", doing: "test")
        #expect(kept?.contains("{\"panel\": 3}") == true)
        _ = try journal.commit([Batch(1, snapshot: .sample(4))])
        #expect(try workshop.open(run: "third").report.snapshot == .sample(4))
    }

    @Test("safe mode ignores a snapshot that could be read")
    func safeModeIgnoresASnapshotThatCouldBeRead() throws {
        let workshop = try Self.filled()
        let report = try workshop.open(run: "next") { $0.ignoresSnapshot = true }.report
        #expect(report.snapshot == nil)
        #expect(report.snapshotProblem == "ignored in safe mode")
    }

    @Test(
        "the console's lock, the refused PIN and the highest offer are known without a snapshot",
        arguments: [true, false])
    func theConsolesLockAndTheRefusedPINAreKnownWithoutASnapshot(isSafeMode: Bool) throws {
        let workshop = Workshop()
        var snapshot = Snapshot.sample(9)
        snapshot.console = ConsoleRecord(wrongTries: 4)
        snapshot.refusedPIN = .max
        let offer = OfferRecord(url: "https://updates.example.org/x", seen: 9, told: "1.1.0")
        snapshot.software = SoftwareRecord(version: "1.0.0", hadSession: true, offer: offer)
        _ = try workshop.open().commit([Batch(1, snapshot: snapshot)])
        if !isSafeMode {
            try workshop.database().execute("UPDATE snapshot SET content = 'x' WHERE id = 1003", doing: "test")
        }
        let report = try workshop.open(run: "next") { $0.ignoresSnapshot = isSafeMode }.report
        #expect(report.snapshot == nil)
        #expect(report.console == snapshot.console)
        #expect(report.refusedPIN == UInt64.max)
        #expect(report.offer == offer)
    }

    @Test(
        "a row that makes no sense is read as such, and safe mode keeps it elsewhere without a gap",
        arguments: [
            "type = 'banana'", "type = 7", "time = 'noon'", "code = x'00'", "flags = -1", "flags = 'x'",
            "zone = 'three'",
            "zone_name = x'05'", "unstored = 'nonsense'", "unstored = 'too-many-7'", "command = 1.5", "message = x'FF'",
            "time_trusted = 'yes'",
        ])
    func aRowThatMakesNoSenseIsReadAsSuch(_ change: String) throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        _ = try journal.commit([Batch(1, .sample(1), .full, .sample(3))])
        try workshop.database().execute("UPDATE events SET \(change) WHERE seq = 2", doing: "test")
        for round in 1...2 {
            let events = try workshop.events()
            #expect(events.map(\.seq.number) == [1, 2, 3])
            #expect(events[1].event.type == .unknown)
            #expect(events[1].event.message == "unreadable row")
            #expect(events[2].event == .sample(3))
            #expect(try journal.setAsideSuspectRows().moved == (round == 1 ? 1 : 0))
        }
        let kept = try workshop.database().text("SELECT origin || row || content FROM suspect", doing: "test")
        #expect(kept?.hasPrefix("events2") == true)
        #expect(kept?.contains("6011003") == true)
    }

    @Test("safe mode has its limits: what it has not looked at stays as it is, and that is said")
    func safeModeHasItsLimits() throws {
        let workshop = try Self.filled()
        try workshop.database().execute(
            "UPDATE events SET flags = -1 WHERE seq <= 1500; UPDATE snapshot SET content = 'x' WHERE id = 1003",
            doing: "test")
        let hasty = try workshop.open(run: "next") { $0.searchLimit = .zero }
        let first = try hasty.setAsideSuspectRows()
        #expect(first.moved == 1 && !first.isComplete)
        #expect(try workshop.events().count == 3000)
        let patient = try workshop.open(run: "third") { $0.searchLimit = .seconds(600) }
        let second = try patient.setAsideSuspectRows()
        #expect(second.moved == 1000 && !second.isComplete)
        let oldest = try workshop.database().integer(
            "SELECT min(row) FROM suspect WHERE origin = 'events'", doing: "test")
        #expect(oldest == 501)
        let third = try patient.setAsideSuspectRows()
        #expect(third.moved == 500 && third.isComplete)
    }

    @Test("rows of the ledger that make no sense are set aside, good ones stay")
    func rowsOfTheLedgerThatMakeNoSenseAreSetAside() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        let rows = (1...3).map { number in
            LedgerRow(
                command: CommandID(UInt64(number)), summary: "arm", origin: "cli", time: WallTime(milliseconds: 0),
                outcome: number == 3 ? nil : .done)
        }
        _ = try journal.commit([Batch(id: BatchID(1), ledger: rows)])
        try workshop.database().execute("UPDATE ledger SET detail = '[' WHERE command = 2", doing: "test")
        #expect(try journal.setAsideSuspectRows().moved == 1)
        #expect(try workshop.database().integer("SELECT sum(command) FROM ledger", doing: "test") == 4)
    }

    @Test("counters that make no sense are damage, not a trap")
    func countersThatMakeNoSenseAreDamage() throws {
        for change in [
            "DELETE FROM meta", "UPDATE meta SET last_seq = 9223372036854775807", "UPDATE meta SET last_seq = 2",
        ] {
            let workshop = try Self.filled()
            try workshop.database().execute(change, doing: "test")
            let journal = try workshop.open(run: "next")
            #expect(Self.salvaged(journal.report) == 3000, "\(change)")
            #expect(try journal.commit([Batch(1, .sample(3001))]) == SequenceNumber(3001))
        }
    }
}

/// A small generator with a seed, so that a failure can be repeated.
struct Dice {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// 0 ..< sides
    mutating func roll(_ sides: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(max(1, sides)))
    }
}
