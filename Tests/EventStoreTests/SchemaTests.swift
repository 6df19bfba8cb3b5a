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
    func everyOlderVersion(_ version: Int) throws {
        let workshop = Workshop()
        let old = Schema(migrations: Array(Self.future.migrations[..<version]))
        if version == 0 {
            try workshop.database().execute("PRAGMA journal_mode = WAL", doing: "test")
        } else {
            _ = try workshop.open { $0.schema = old }.commit([Batch(1, .full)])
        }
        let journal = try workshop.open(run: "next") { $0.schema = Self.future }
        #expect(journal.report.outcome == .opened(quickCheckCompleted: true))
        #expect(!journal.report.isSchemaNewer)
        let database = try workshop.database()
        #expect(try database.integer("PRAGMA user_version", doing: "test") == Int64(Self.future.migrations.count))
        #expect(try database.integer("PRAGMA application_id", doing: "test") == 0x486F_7741)
        _ = try journal.commit([Batch(1, .sample(2))])
        #expect(try workshop.events().map(\.event) == (version == 0 ? [.sample(2)] : [.full, .sample(2)]))
        #expect(try database.text("SELECT mood FROM events LIMIT 1", doing: "test") == "calm")
    }

    @Test("a program that was rolled back goes on with the file of a newer one, and says so")
    func newerFile() throws {
        let workshop = Workshop()
        _ = try workshop.open { $0.schema = Self.future }.commit([Batch(1, .sample(1))])
        let journal = try workshop.open(run: "next")
        #expect(journal.report.isSchemaNewer)
        #expect(try journal.commit([Batch(1, .sample(2))]) == SequenceNumber(2))
        #expect(try workshop.events().count == 2)
    }

    @Test("a step that the disk refuses leaves the version before it")
    func failingStep() throws {
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
