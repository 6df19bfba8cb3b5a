import AlarmModel

/// One small step that deletes the oldest rows, never from the middle: numbers stay without gaps.
struct Retention {
    let step: RetentionStep
    let lastSequence: Int64

    func apply(to database: Database) throws(StoreError) {
        precondition(step.limit >= 0, "a retention step deletes at most a number of rows that is not negative")
        let last = try lastEventToGo(database)
        if let last {
            try run("DELETE FROM events WHERE seq <= ?1", last, in: database)
        }
        guard let oldest = step.olderThan else { return }
        for (table, key, condition) in [("duress", "seq", ""), ("ledger", "command", "AND outcome IS NOT NULL")] {
            try run(
                """
                DELETE FROM \(table) WHERE \(key) IN
                (SELECT \(key) FROM \(table) WHERE time < ?1 \(condition) ORDER BY \(key) LIMIT \(step.limit))
                """, oldest.milliseconds, in: database)
        }
    }

    /// Looks at the first `limit` rows only. An event whose clock was not trusted goes with those around it.
    private func lastEventToGo(_ database: Database) throws(StoreError) -> Int64? {
        let head = try database.prepare(
            "SELECT seq, time, time_trusted FROM events ORDER BY seq LIMIT ?1", doing: "deleting old events")
        head.bind(1, step.limit)
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

    private func run(_ sql: String, _ value: Int64, in database: Database) throws(StoreError) {
        let statement = try database.prepare(sql, doing: "deleting old rows")
        statement.bind(1, value)
        try statement.run()
    }
}
