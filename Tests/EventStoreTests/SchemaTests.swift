import AlarmModel
import EventStore
import Testing

@Suite("Migrations")
struct SchemaTests {
    /// The program's own steps and two of a time to come.
    static let future = Schema(
        migrations: Schema.steps + [
            "ALTER TABLE events ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'", "CREATE TABLE pets (name TEXT)",
        ])

    @Test("a file of every older version is brought up to date with its rows", arguments: 0...Schema.steps.count + 2)
    func aFileOfEveryOlderVersionIsBroughtUpToDateWithItsRows(_ version: Int) throws {
        let workshop = Workshop()
        let old = Schema(migrations: Array(Self.future.migrations[..<version]))
        if version == 0 {
            try workshop.database().execute("PRAGMA journal_mode = WAL", doing: "test")
        } else {
            if version < Schema.steps.count {
                try OlderProgram.begin(workshop, version)
            } else {
                _ = try workshop.open { $0.schema = old }.commit([Batch(1, .sample(1))])
            }
        }
        let journal = try workshop.open(run: "next") { $0.schema = Self.future }
        #expect(journal.report.outcome == .opened(quickCheckCompleted: true))
        #expect(!journal.report.isSchemaNewer)
        let database = try workshop.database()
        #expect(try database.integer("PRAGMA user_version", doing: "test") == Int64(Self.future.migrations.count))
        #expect(try database.integer("PRAGMA application_id", doing: "test") == 0x486F_7741)
        _ = try journal.commit([Batch(1, .sample(2))])
        #expect(try workshop.events().map(\.event) == (version == 0 ? [.sample(2)] : [.sample(1), .sample(2)]))
        #expect(try database.text("SELECT mood FROM events LIMIT 1", doing: "test") == "calm")
    }

    @Test("what a program before phones writes into a file of this one stands beside messages and counters")
    func whatAProgramBeforePhonesWritesIntoAFileOfThisOneStands() throws {
        let workshop = Workshop()
        var batch = Batch(1, .sample(1))
        batch.outbox = [.sample("a", event: 0)]
        batch.phoneLedger = [.sample(7)]
        _ = try workshop.open().commit([batch])
        let database = try workshop.database()
        try OlderProgram.insert(2, in: database)
        try database.execute("UPDATE meta SET run = 'old', last_batch = 1", doing: "test")
        let report = try workshop.open(run: "next").report
        #expect(report.outcome == .opened(quickCheckCompleted: true))
        #expect(report.lastSequence == SequenceNumber(2))
        #expect(report.outboxCounts == OutboxCounts(waiting: 1))
        #expect(report.phoneCounters.map(\.rows.count) == [1])
        #expect(try workshop.open(run: "third").commit([Batch(1, .sample(3))]) == SequenceNumber(3))
        #expect(try workshop.events().map(\.event) == [.sample(1), .sample(2), .sample(3)])
    }

    @Test("a reader of a file that an older program left finds no messages in it")
    func aReaderOfAFileThatAnOlderProgramLeftFindsNoMessagesInIt() throws {
        let workshop = Workshop()
        try OlderProgram.begin(workshop, 1)
        let reader = try JournalReader(directory: workshop.directory)
        #expect(try reader.messages(.open(addresses: [AddressID(1)], limit: 9)) == OutboxPage())
        #expect(try reader.outboxCounts() == OutboxCounts())
        #expect(try reader.oldestSequence() == SequenceNumber(1))
    }

    @Test("of a file that an older program left a reader shows the events, and a damaged one is salvaged")
    func ofAFileThatAnOlderProgramLeftAReaderShowsTheEvents() throws {
        let workshop = Workshop()
        try OlderProgram.begin(workshop, 2)
        let database = try workshop.database()
        try database.execute("BEGIN", doing: "test")
        for number in 2...1000 { try OlderProgram.insert(number, in: database) }
        try database.execute("COMMIT", doing: "test")
        let reader = try JournalReader(directory: workshop.directory)
        for isBrief in [false, true] {
            let page = try reader.page(EventQuery(limit: 9), slice: .seconds(5), isBrief: isBrief)
            #expect(page.events.map(\.seq.number) == Array(1...9))
        }
        #expect(try reader.page(EventQuery(limit: 9), slice: .seconds(5)).events.first?.event == .sample(1))
        _ = try database.integer("PRAGMA wal_checkpoint(TRUNCATE)", doing: "test")
        var bytes = try workshop.bytes("journal.db")
        let middle = bytes.count / 4096 / 2 * 4096
        bytes.replaceSubrange(middle..<middle + 4096, with: Array(repeating: 0xEE, count: 4096))
        try workshop.write(bytes, "journal.db")
        let salvaged = try #require(DamageTests.salvaged(try workshop.open(run: "next").report))
        #expect(salvaged > 300)
        #expect(try workshop.events().last.map { [$0.event.message, "\($0.seq.number)"] } == ["event 1000", "1000"])
    }

    @Test("what an event is about and this version does not know is passed over")
    func whatAnEventIsAboutAndThisVersionDoesNotKnow() throws {
        let workshop = Workshop()
        _ = try workshop.open().commit([Batch(1, .full, .sample(2), .sample(3))])
        #expect(try workshop.events().first?.event == .full)
        try workshop.database().execute(
            "UPDATE events SET about = 'robot Anna' WHERE seq = 2; UPDATE events SET about = 7 WHERE seq = 3",
            doing: "test")
        #expect(try workshop.events().map(\.event) == [.full, .sample(2), .sample(3)])
    }

    @Test("a program that was rolled back goes on with the file of a newer one, and says so")
    func aProgramThatWasRolledBackGoesOnWithTheFileOfANewerOne() throws {
        let workshop = Workshop()
        _ = try workshop.open { $0.schema = Self.future }.commit([Batch(1, .sample(1))])
        let journal = try workshop.open(run: "next")
        #expect(journal.report.isSchemaNewer)
        #expect(try journal.commit([Batch(1, .sample(2))]) == SequenceNumber(2))
        #expect(try workshop.events().count == 2)
    }

    @Test("a step that the disk refuses leaves the version before it")
    func aStepThatTheDiskRefusesLeavesTheVersionBeforeIt() throws {
        let workshop = Workshop()
        _ = try workshop.open().commit([Batch(1, .sample(1))])
        let pages = try workshop.database().integer("PRAGMA page_count", doing: "test") ?? 0
        let big = "CREATE TABLE pets (name TEXT); INSERT INTO pets VALUES (zeroblob(100000))"
        let failure = thrown(StoreError.self) {
            try workshop.open(run: "next") {
                $0.schema.migrations.append(big)
                $0.maximumPages = Int(pages) + 2
            }
        }
        #expect(failure?.kind == .full)
        #expect(try workshop.database().integer("PRAGMA user_version", doing: "test") == Int64(Schema.steps.count))
        #expect(try workshop.open(run: "third").report.lastSequence == SequenceNumber(1))
    }
}

/// What a program of an older schema does, in its own statements.
enum OlderProgram {
    static func begin(_ workshop: Workshop, _ version: Int) throws {
        let database = try workshop.database()
        try database.execute("PRAGMA journal_mode = WAL", doing: "test")
        for step in Schema.steps[..<version] { try database.execute(step, doing: "test") }
        try database.execute(
            "PRAGMA user_version = \(version); PRAGMA application_id = \(Schema.applicationID); UPDATE meta SET log = 1",
            doing: "test")
        try insert(1, in: database)
    }

    static func insert(_ number: Int, in database: Database) throws {
        try database.execute(
            """
            INSERT INTO events (seq, time, time_trusted, type, code, raw, message, "partition", partition_name, zone,
            zone_name, user, user_name, flags, flap_count, command, unstored)
            VALUES (\(number), \(1_700_000_000_000 + number * 1000), 1, 'info', '609', '609\(number)',
            'event \(number)', NULL, NULL, \(number + 1), 'Zone \(number + 1)', NULL, NULL, 0, NULL, NULL, NULL);
            UPDATE meta SET last_seq = \(number);
            """, doing: "test")
    }
}
