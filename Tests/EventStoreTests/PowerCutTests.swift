import AlarmModel
import EventStore
import Testing

/// The store's core promise (docs/ARCHITECTURE.md 1.1): what `commit` reported is there, and nothing is there by
/// halves.
@Suite("Power cuts")
struct PowerCutTests {
    /// What lies behind the place up to which the log reached the card.
    enum Tail: CaseIterable {
        case nothing, zeros, junk
    }

    struct History {
        let workshop: Workshop
        /// Length of the log and number of the last event after each commit.
        var commits: [(length: Int, last: Int)]
    }

    /// Transactions of growing size, each with a snapshot and a ledger row that say how many there were.
    static func history() throws -> History {
        let workshop = Workshop()
        var journal = try workshop.open()
        _ = try journal.commit([Batch(1, .sample(1))])
        try journal.close()
        journal = try workshop.open()
        var commits = [(length: 0, last: 1)]
        var last = 1
        for id in 2...9 {
            var batch = Batch(id: BatchID(UInt64(id)), events: (1...id * 3).map { .sample(last + $0) })
            batch.snapshot = .sample(UInt64(last + id * 3))
            batch.ledger = [
                LedgerRow(
                    command: CommandID(UInt64(last + id * 3)), summary: "arm", origin: "cli",
                    time: WallTime(milliseconds: 0), outcome: nil)
            ]
            batch.outbox = [.sample("\(id)", event: 0)]
            batch.outboxChanges = [OutboxChange(message: MessageID("\(id - 1)"), state: .dead, time: .early)]
            batch.phoneLedger = [.sample(UInt64(id))]
            last = Int(try journal.commit([batch]).number)
            commits.append((try workshop.bytes("journal.db-wal").count, last))
        }
        // Copied before the connection ends, which would check-point.
        return try withExtendedLifetime(journal) { History(workshop: try workshop.copy(), commits: commits) }
    }

    @Test("a transaction is wholly there or wholly gone wherever the log is cut", arguments: Tail.allCases)
    func aTransactionIsWhollyThereOrWhollyGoneWhereverTheLogIsCut(_ tail: Tail) throws {
        let history = try Self.history()
        let log = try history.workshop.bytes("journal.db-wal")
        let database = try history.workshop.bytes("journal.db")
        #expect(history.commits.last?.length == log.count)
        for cut in Array(stride(from: 0, to: log.count, by: 512)) + [log.count] {
            let after = Workshop()
            let lost = log.count - cut
            let rest: [UInt8] =
                switch tail {
                case .nothing: []
                case .zeros: Array(repeating: 0, count: lost)
                case .junk: (0..<lost).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ cut) }
                }
            try after.write(database, "journal.db")
            try after.write(Array(log[..<cut]) + rest, "journal.db-wal")
            try after.write(Array("00000001\n".utf8), "log.number")
            let journal = try after.open(run: "after")
            let kept = history.commits.last { $0.length <= cut }?.last ?? 0
            try #require(journal.report.outcome == .opened(quickCheckCompleted: true), "cut at \(cut)")
            try #require(journal.report.lastSequence.number == Int64(kept), "cut at \(cut)")
            // A header that never reached the card is reported when something else lies in its place.
            if cut >= 512 { try #require(journal.report.logDamage == nil, "cut at \(cut)") }
            let events = try after.events()
            try #require(events.map(\.event.message) == (1...kept).map { "event \($0)" }, "cut at \(cut)")
            try #require(events.map(\.seq.number) == (1...kept).map(Int64.init), "cut at \(cut)")
            let expected = kept == 1 ? nil : UInt64(kept)
            try #require(journal.report.snapshot?.nextCommand.number == expected, "cut at \(cut)")
            try #require(journal.report.lastCommand?.number == expected, "cut at \(cut)")
            let batches = history.commits.lastIndex { $0.length <= cut } ?? 0
            let open = try JournalReader(directory: after.directory).messages(
                .open(addresses: [AddressID(1)], limit: 9))
            try #require(open.messages.map(\.message.text) == (batches == 0 ? [] : ["\(batches + 1)"]), "cut at \(cut)")
            try #require(journal.report.outboxCounts.dead == max(0, batches - 1), "cut at \(cut)")
            let counters = journal.report.phoneCounters.flatMap(\.rows).map(\.counter)
            try #require(counters == (0..<batches).map { UInt64($0 + 2) }, "cut at \(cut)")
            try #require(try journal.commit([Batch(1, .sample(0))]).number == Int64(kept + 1), "cut at \(cut)")
        }
    }

    @Test("a hole in the last transaction takes that one alone, and is no damage")
    func aHoleInTheLastTransactionTakesThatOneAlone() throws {
        let history = try Self.history()
        let start = history.commits[history.commits.count - 2]
        for place in stride(from: start.length, to: try history.workshop.bytes("journal.db-wal").count, by: 512) {
            let after = try history.workshop.copy()
            var log = try after.bytes("journal.db-wal")
            for index in place..<min(place + 512, log.count) { log[index] = 0x5A }
            try after.write(log, "journal.db-wal")
            let report = try after.open(run: "after").report
            #expect(report.lastSequence.number == Int64(start.last))
            #expect(report.logDamage == nil)
        }
    }

    @Test("a hole before other durable transactions is reported, and starts a new log number")
    func aHoleBeforeOtherDurableTransactionsIsReported() throws {
        let history = try Self.history()
        let after = try history.workshop.copy()
        var log = try after.bytes("journal.db-wal")
        let place = history.commits[3].length + 100
        log[place] ^= 1
        try after.write(log, "journal.db-wal")
        let report = try after.open(run: "after").report
        #expect(report.lastSequence.number == Int64(history.commits[3].last))
        #expect(report.logDamage != nil)
        #expect(report.log == LogNumber(2))
        #expect(!report.isRestored)
        // Commands of the lost commits must not be accepted again.
        #expect(report.phoneCounters.isEmpty)
        #expect(try after.open(run: "later").report.phoneCounters.isEmpty)
        #expect(try after.bytes("journal.damaged-1.db-wal") == log)
    }

    @Test("an unreadable header is damage where transactions stand behind it that the database file lacks")
    func anUnreadableHeaderIsDamageWhereTransactionsStandBehind() throws {
        for (isCopied, start) in [(true, 0), (true, 12), (true, 28), (false, 0), (false, 12), (false, 28)] {
            let history = try Self.history()
            let journal = try history.workshop.open(run: "again")
            _ = try journal.commit([Batch(1, .sample(1))])
            if isCopied { #expect(try journal.checkpoint().isComplete) }
            // Before the connection ends, which would remove the log.
            let after = try withExtendedLifetime(journal) { try history.workshop.copy() }
            var log = try after.bytes("journal.db-wal")
            for index in start..<start + 4 { log[index] ^= 0xFF }
            try after.write(log, "journal.db-wal")
            let report = try after.open(run: "after").report
            #expect((report.logDamage == nil) == isCopied, "\(isCopied), from byte \(start)")
            #expect(report.lastSequence > SequenceNumber(1) || !isCopied)
        }
    }

    @Test("a log of junk is kept and reported, and the journal beside it goes on")
    func aLogOfJunkIsKeptAndReported() throws {
        let history = try Self.history()
        let after = try history.workshop.copy()
        try after.write(Array(repeating: 0x41, count: 10_000), "journal.db-wal")
        let journal = try after.open(run: "after")
        #expect(journal.report.logDamage != nil)
        #expect(journal.report.lastSequence == SequenceNumber(1))
        #expect(journal.report.log == LogNumber(2))
        #expect(try after.bytes("journal.damaged-1.db-wal").count == 10_000)
        #expect(try journal.commit([Batch(1, .sample(2))]) == SequenceNumber(2))
    }
}
