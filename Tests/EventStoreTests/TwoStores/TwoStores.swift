import AlarmModel
import EventStore
import Testing

@testable import Simulation

/// The store of the simulated world and the real one, side by side: told the same, asked the same.
struct TwoStores {
    private(set) var simulated = SimulatedDisk()
    private var workshop = Workshop()
    private var journal: Journal
    private var reader: JournalReader
    private var runs = 1

    init() throws {
        journal = try workshop.open(run: "run 1")
        reader = try JournalReader(directory: workshop.directory)
        simulated.begin()
    }

    mutating func take(_ step: StoreScript.Step, _ place: Comment) throws {
        switch step {
        case .commit(let batches), .commitAgain(let batches):
            simulated.commit(batches)
            let last = try journal.commit(batches)
            try #require(last == simulated.last, place)
        case .checkpoint: try journal.checkpoint()
        case .restart:
            try journal.close()
            try open(workshop, place)
        case .crash: try open(try workshop.copy(), place)
        case .powerCut(let batches, let thousandths): try cutPower(batches, thousandths, place)
        }
    }

    /// Both promise that the transaction is wholly there or wholly gone, and neither promises which.
    private mutating func cutPower(_ batches: [Batch], _ thousandths: Int, _ place: Comment) throws {
        let before = simulated
        var after = simulated
        after.commit(batches)
        var chance = Jitter(seed: UInt64(thousandths))
        var cut = simulated
        cut.cutPower(during: batches, frames: &chance)
        try #require(cut == before || cut == after, place)

        let log = "journal.db-wal"
        let begin = try workshop.bytes(log).count
        _ = try journal.commit(batches)
        let left = try workshop.copy()
        let bytes = try left.bytes(log)
        // A log that was begun anew lies in the place of the old one.
        if bytes.count > begin, begin > 0 {
            try left.write(Array(bytes.prefix(begin + (bytes.count - begin) * thousandths / 1000)), log)
        }
        let last = try JournalReader(directory: left.directory).lastSequence()
        let isWhole = bytes.count <= begin || begin == 0 || thousandths == 1000
        simulated = isWhole ? after : before
        try #require(last == simulated.last, place)
        try open(left, place)
    }

    /// The old files are left, and those in `place` are opened.
    private mutating func open(_ place: Workshop, _ comment: Comment) throws {
        runs += 1
        let journal = try place.open(run: "run \(runs)")
        reader = try JournalReader(directory: place.directory)
        self.journal = journal
        workshop = place
        simulated.begin()
        let report = journal.report
        try #require(report.outcome == .opened(quickCheckCompleted: true), comment)
        try #require(report.logDamage == nil && !report.isRestored && report.snapshotProblem == nil, comment)
        try #require(report.log.number == simulated.phones.log, comment)
        try #require(report.lastSequence == simulated.last, comment)
        try #require(report.oldestSequence == simulated.oldest, comment)
        try #require(report.newestTrustedTime == simulated.newestTrustedTime, comment)
        try #require(report.snapshot == simulated.snapshot, comment)
        try #require(report.console == simulated.snapshot?.console, comment)
        try #require(report.unfinished == simulated.unfinished, comment)
        try #require(report.lastCommand == simulated.lastCommand, comment)
        try #require(report.outboxCounts == simulated.phones.counts, comment)
        try #require(report.phoneCounters == simulated.phones.counters, comment)
        try compareHidden(comment)
    }

    func compare(_ script: inout StoreScript, _ comment: Comment) throws {
        try #require(try reader.lastSequence() == simulated.last, comment)
        try #require(try reader.oldestSequence() == simulated.oldest, comment)
        try #require(try reader.outboxCounts() == simulated.phones.counts, comment)
        try #require(try reader.snapshot() == simulated.snapshot, comment)
        var events = [EventQuery(limit: 1000)]
        var messages = [OutboxQuery.open(addresses: (1...4).map { AddressID($0) }, limit: 4096), .dead(limit: 4096)]
        for _ in 0..<2 {
            events.append(script.eventQuery(upTo: simulated.last))
            messages.append(script.outboxQuery())
        }
        for query in events {
            let page = try reader.page(query, slice: .seconds(60))
            try #require(page == simulated.page(query), "\(comment), \(query)")
        }
        for query in messages {
            let page = try reader.messages(query)
            try #require(page == simulated.messages(query), "\(comment), \(query)")
        }
    }

    /// What no question shows: rows that are kept without need, or are gone too early.
    private func compareHidden(_ comment: Comment) throws {
        let messages = simulated.phones.messages.map {
            "\($0.row.message) \($0.state.rawValue) \($0.changed.milliseconds) \($0.isDuress) \($0.number)"
        }
        let storedMessages = try rows(
            """
            SELECT message || ' ' || state || ' ' || changed || ' ' || iif(is_duress, 'true', 'false') || ' ' || seq
            FROM outbox ORDER BY rowid
            """)
        try #require(storedMessages == messages, comment)
        let duress = try rows("SELECT seq || ' ' || raw FROM duress ORDER BY seq")
        try #require(duress == simulated.duress.map { "\($0.seq.number) \($0.event.raw)" }, comment)
        let ledger = try rows("SELECT command || ' ' || summary || ' ' || coalesce(outcome, '-') FROM ledger")
        let simulatedLedger = simulated.ledger.map {
            "\($0.command.number) \($0.summary) \($0.outcome?.name ?? "-")"
        }
        try #require(ledger == simulatedLedger, comment)
    }

    private func rows(_ sql: String) throws -> [String] {
        let statement = try workshop.database().prepare(sql, doing: "comparing")
        var rows: [String] = []
        while try statement.step() { rows.append(statement.text(0) ?? "?") }
        return rows
    }
}
