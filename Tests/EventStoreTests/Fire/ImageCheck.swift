import AlarmModel
import EventStore

/// Opens what a card holds and compares it with what it must hold.
enum ImageCheck {
    /// - Parameter log: the number that was reported when the journal was opened before, if it was.
    /// - Returns: which of the candidates is there.
    /// - Throws: a `Violation` where the journal does not open whole, is not sound, or holds none of the candidates.
    static func check(
        _ workshop: Workshop, against candidates: [ExpectedJournal], log: LogNumber?
    ) throws -> ExpectedJournal {
        do {
            let journal = try Journal(directory: workshop.directory, options: Journal.Options(run: "after"))
            let report = journal.report
            guard [.fresh, .opened(quickCheckCompleted: true)].contains(report.outcome), report.logDamage == nil,
                !report.isRestored, report.logNumberProblem == nil, !report.isSchemaNewer,
                log == nil || log == report.log
            else {
                return try fail(
                    "it does not open as it was left: \(report.outcome), \(report.logDamage ?? "log sound"), \(report.log)"
                )
            }
            let database = try workshop.database(.readOnly)
            let verdict = try database.text("PRAGMA integrity_check", doing: "test")
            guard verdict == "ok" else { return try fail("integrity_check: \(verdict ?? "no verdict")") }
            let lines = try dump(database)
            guard let expected = candidates.first(where: { $0.lines == lines }) else {
                return try fail(difference(lines, candidates))
            }
            try compare(report, expected)
            try compareReader(workshop, expected)
            let last = try journal.commit([Batch(1, .sample(0))])
            guard last.number == expected.lastSequence + 1 else { return try fail("the next event is \(last)") }
            return expected
        } catch let error as StoreError {
            return try fail("it does not open or cannot be read: \(error)")
        }
    }

    private static func fail<R>(_ text: String) throws -> R { throw Violation(text) }

    private static func dump(_ database: Database) throws -> [String] {
        let selections = [
            "SELECT 'counters ' || last_seq || ' ' || last_duress FROM meta",
            "SELECT 'event ' || seq || ' ' || message || ' ' || time FROM events ORDER BY seq",
            "SELECT 'duress ' || seq || ' ' || message || ' ' || time FROM duress ORDER BY seq",
            """
            SELECT 'message ' || message || ' ' || address || ' ' || is_duress || ' ' || seq || ' ' || place || ' '
            || state || ' ' || coalesce(detail, '-') || ' ' || changed FROM outbox ORDER BY rowid
            """,
            "SELECT 'command ' || command || ' ' || summary || ' ' || coalesce(outcome, '-') FROM ledger ORDER BY command",
            "SELECT 'phone ' || phone || ' ' || last FROM phone_counter ORDER BY phone",
            """
            SELECT 'counter ' || phone || ' ' || counter || ' ' || coalesce(out, '-') FROM phone_ledger
            ORDER BY phone, counter
            """,
            "SELECT 'suspect ' || origin || ' ' || content FROM suspect ORDER BY id",
        ]
        var lines: [String] = []
        for selection in selections {
            let statement = try database.prepare(selection, doing: "test")
            while try statement.step() { lines.append(statement.text(0) ?? "a line that is no text") }
        }
        return lines
    }

    private static func difference(_ found: [String], _ candidates: [ExpectedJournal]) -> String {
        candidates.map { candidate in
            let lines = candidate.lines
            let missing = lines.filter { !found.contains($0) }.prefix(5)
            let surplus = found.filter { !lines.contains($0) }.prefix(5)
            return "with \(candidate.batches) batches it lacks \(Array(missing)) and has \(Array(surplus))"
        }.joined(separator: "; ")
    }

    private static func compare(_ report: OpenReport, _ expected: ExpectedJournal) throws {
        guard report.lastSequence.number == expected.lastSequence else {
            return try fail("the last is reported as \(report.lastSequence)")
        }
        guard report.oldestSequence.number == expected.events.first?.seq ?? expected.lastSequence + 1 else {
            return try fail("the oldest is \(report.oldestSequence)")
        }
        guard report.snapshot == expected.snapshot, report.snapshotProblem == nil else {
            return try fail("the snapshot is not that of the last batch that is there")
        }
        guard report.unfinished == expected.ledger.filter({ $0.outcome == nil }),
            report.lastCommand == expected.ledger.last?.command
        else { return try fail("the ledger is reported as \(report.unfinished), \(report.lastCommand as Any)") }
        guard report.outboxCounts == expected.counts else { return try fail("counted are \(report.outboxCounts)") }
        guard report.phoneCounters == expected.phones.map({ PhoneCounters(phone: $0.id, rows: $0.rows) }) else {
            return try fail("the counters are \(report.phoneCounters)")
        }
    }

    /// The ways in which the daemon reads agree with the tables.
    private static func compareReader(_ workshop: Workshop, _ expected: ExpectedJournal) throws {
        let events = try workshop.events()
        guard events.map(\.seq.number) == expected.events.map(\.seq),
            events.map(\.event) == expected.events.map(\.event)
        else { return try fail("the pages hold \(events.map(\.seq.number))") }
        let reader = try JournalReader(directory: workshop.directory)
        let page = try reader.messages(.open(addresses: Workload.addresses, limit: OutboxPage.limit))
        let open = expected.open(Workload.addresses).map { "\($0.row.message.text) \($0.event.message)" }
        let found = page.messages.map { "\($0.message.text) \($0.event.message)" }
        guard found == open, page.orphans.isEmpty, !page.hasMore
        else { return try fail("open messages are \(page.messages.map(\.message)) and \(page.orphans)") }
    }
}
