import AlarmModel
import EventStore
import Testing

/// What is open keeps its rows, but no card has room for ever.
@Suite struct RetentionLimitsTests {
    private let workshop = Workshop()

    private func commit(_ journal: Journal, _ number: UInt64, keep count: Int?) throws {
        let step = RetentionStep(olderThan: nil, keepAtMost: count, limit: 1000)
        _ = try journal.commit([Batch(id: BatchID(number), retention: step)])
    }

    @Test("events beyond the limit go although messages about them wait, and these messages end")
    func eventsBeyondTheLimitGo() throws {
        let journal = try workshop.open { $0.retention.openEvents = 3 }
        var batch = Batch(id: BatchID(1), events: (1...10).map { .sample($0, type: .alarm) })
        batch.outbox = (0..<10).map { .sample("m\($0)", event: $0, priority: .alarm) }
        _ = try journal.commit([batch])
        try commit(journal, 2, keep: nil)
        #expect(try workshop.events().count == 10)
        try commit(journal, 3, keep: 2)
        #expect(try workshop.events().map(\.seq.number) == [6, 7, 8, 9, 10])
        let page = try OutboxTests.open(workshop, 1)
        #expect(OutboxTests.names(page) == ["m5", "m6", "m7", "m8", "m9"])
        #expect(page.orphans.count == 5)
    }

    @Test("of duress and of ended commands the newest stay, of a command without an outcome all")
    func ofDuressAndOfEndedCommands() throws {
        let journal = try workshop.open { $0.retention.rows = 3 }
        var batch = Batch(
            id: BatchID(1), events: (1...10).map { .sample($0, type: .alarm, flags: .duress) })
        batch.ledger = (1...10).map {
            LedgerRow(
                command: CommandID(UInt64($0)), summary: "arm away", origin: "cli", time: WallTime(milliseconds: 1),
                outcome: $0 == 2 ? nil : .refused(.notReady(openZones: [3])))
        }
        _ = try journal.commit([batch])
        try commit(journal, 2, keep: nil)
        let database = try workshop.database()
        #expect(try database.text("SELECT group_concat(seq) FROM duress", doing: "test") == "8,9,10")
        #expect(try database.text("SELECT group_concat(command) FROM ledger", doing: "test") == "2,8,9,10")
    }
}
