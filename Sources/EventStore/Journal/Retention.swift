import AlarmModel

/// What goes whatever is open, so that a module that lies cannot fill the card (docs/BOUNDS.md).
package struct RetentionLimits: Sendable {
    /// Events above what is to be kept, while messages about them are open; a message whose event has gone ends.
    package var openEvents: Int64 = 1_000_000
    /// Rows of duress, and of the ledger of commands.
    package var rows: Int64 = 100_000
}

/// One small step that deletes the oldest rows, never from the middle: numbers stay without gaps. What a message is about
/// that may still be sent stays, up to `RetentionLimits`.
struct Retention {
    let step: RetentionStep
    let lastSequence: Int64
    let limits: RetentionLimits
    private static let messageAge = Duration.hours(24 * 30)

    func apply(to database: Database) throws(StoreError) {
        precondition(step.limit >= 0, "a retention step deletes at most a number of rows that is not negative")
        let last = try lastEventToGo(database)
        if let last {
            try run("DELETE FROM events WHERE seq <= ?1", last, in: database)
        }
        try deleteOldRows(database)
        try deleteMessages(database)
    }

    private func deleteOldRows(_ database: Database) throws(StoreError) {
        for (table, key) in [("duress", "seq"), ("ledger", "command")] {
            try deleteSurplus(of: table, key, in: database)
        }
        guard let oldest = step.olderThan else { return }
        let firstDuress = try firstToStay(database, isDuress: 1)
        for (table, key, condition) in [
            ("duress", "seq", "AND seq < \(firstDuress)"), ("ledger", "command", "AND outcome IS NOT NULL"),
        ] {
            try run(
                """
                DELETE FROM \(table) WHERE \(key) IN
                (SELECT \(key) FROM \(table) WHERE time < ?1 \(condition) ORDER BY \(key) LIMIT \(step.limit))
                """, oldest.milliseconds, in: database)
        }
    }

    /// Counts only where a row that is so many places behind the newest exists. A command without an outcome stays.
    private func deleteSurplus(of table: String, _ key: String, in database: Database) throws(StoreError) {
        try run(
            """
            DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE rowid <=
            (SELECT rowid FROM \(table) ORDER BY rowid DESC LIMIT 1 OFFSET ?1)
            \(table == "ledger" ? "AND outcome IS NOT NULL" : "") ORDER BY rowid LIMIT \(step.limit))
            """, limits.rows, in: database)
    }

    /// Finished messages go with their events, and after `messageAge` in any case; open ones stay until they are ended.
    private func deleteMessages(_ database: Database) throws(StoreError) {
        for (flag, table) in [(0, "events"), (1, "duress")] {
            let first = try database.integer("SELECT min(seq) FROM \(table)", doing: "deleting old rows")
            try run(
                """
                DELETE FROM outbox WHERE rowid IN
                (SELECT rowid FROM outbox WHERE is_duress = \(flag) AND seq < ?1 AND \(Schema.final)
                ORDER BY seq LIMIT \(step.limit))
                """, first ?? .max, in: database)
        }
        // As late as it can be by what was written: without a clock of its own, and never before its time.
        let written = try database.integer(
            """
            SELECT max(coalesce((SELECT time FROM events ORDER BY seq DESC LIMIT 1), 0),
            coalesce((SELECT max(changed) FROM outbox WHERE \(Schema.final)), 0))
            """, doing: "deleting old rows")
        try run(
            """
            DELETE FROM outbox WHERE rowid IN
            (SELECT rowid FROM outbox WHERE changed < ?1 AND \(Schema.final) ORDER BY changed LIMIT \(step.limit))
            """, max(written ?? 0, 0) - Self.messageAge.milliseconds, in: database)
    }

    /// Looks at the first `limit` rows only. An event whose clock was not trusted goes with those around it.
    private func lastEventToGo(_ database: Database) throws(StoreError) -> Int64? {
        let needed = try firstToStay(database, isDuress: 0)
        let beyond = step.keepAtMost.map { lastSequence - Int64(max($0, 0)) - limits.openEvents + 1 } ?? 0
        let firstEvent = max(needed, beyond)
        let head = try database.prepare(
            "SELECT seq, time, time_trusted FROM events WHERE seq < ?2 ORDER BY seq LIMIT ?1",
            doing: "deleting old events")
        head.bind(1, step.limit)
        head.bind(2, firstEvent)
        let surplus = step.keepAtMost.map { lastSequence - Int64(max($0, 0)) } ?? 0
        var last: Int64?
        while try head.step() {
            guard let seq = head.integer(0) else { continue }
            let isOld = step.olderThan.map { (head.integer(1) ?? 0) < $0.milliseconds } ?? false
            if seq <= surplus || isOld {
                last = seq
            } else if head.integer(2) != 0 {
                head.reset()
                break
            }
        }
        return last
    }

    /// The lowest number that a message still needs. One that has expired needs none, also where nobody ends it: an
    /// address that is not known any more would keep everything.
    private func firstToStay(_ database: Database, isDuress flag: Int) throws(StoreError) -> Int64 {
        let statement = try database.prepare(OutboxRows.firstNeededSelection, doing: "deleting old rows")
        statement.bind(1, flag)
        statement.bind(2, step.now?.milliseconds)
        defer { statement.reset() }
        guard try statement.step(), let first = statement.integer(0) else { return .max }
        return first
    }

    private func run(_ sql: String, _ value: Int64, in database: Database) throws(StoreError) {
        let statement = try database.prepare(sql, doing: "deleting old rows")
        statement.bind(1, value)
        try statement.run()
    }
}
