/// Takes the newest events over from a damaged journal, as far as they can be read without a gap.
struct Salvage {
    let database: Database
    let damagedPath: String

    /// Best effort: returns the number of events taken over and never fails.
    ///
    /// - Parameter withPhoneCounters: false when commits are known to be lost, and with them perhaps counters.
    func run(within limit: Duration, withPhoneCounters: Bool) -> Int {
        let attached: Void? = try? attach()
        guard attached != nil else { return 0 }
        defer { try? database.execute("DETACH damaged", doing: "salvaging") }
        let outcome = try? database.withTimeLimit(limit) { () throws(StoreError) in
            if withPhoneCounters { copyPhoneCounters() }
            copyDownwards("events", key: "seq", columns: Schema.eventColumns)
            copyDownwards("duress", key: "seq", columns: Schema.eventColumns)
            copyDownwards("ledger", key: "command", columns: "command, summary, origin, time, outcome, detail")
            try? database.execute(
                "INSERT OR IGNORE INTO main.snapshot SELECT id, content FROM damaged.snapshot", doing: "salvaging")
            try database.transaction(doing: "salvaging") { () throws(StoreError) in
                try database.execute(
                    """
                    UPDATE main.meta SET last_seq = coalesce((SELECT max(seq) FROM main.events), 0),
                    last_duress = coalesce((SELECT max(seq) FROM main.duress), 0)
                    """, doing: "salvaging")
            }
            let count = try database.integer("SELECT count(*) FROM main.events", doing: "salvaging") ?? 0
            return count
        }
        // Time of their own: the events may have used up theirs.
        if let outcome, outcome > 0 { try? database.withTimeLimit(limit) { copyOpenMessages() } }
        return Int(clamping: outcome ?? 0)
    }

    private func attach() throws(StoreError) {
        let statement = try database.prepare("ATTACH ?1 AS damaged", doing: "salvaging")
        statement.bind(1, damagedPath)
        try statement.run()
    }

    /// In pieces, each its own transaction; a piece that cannot be read is tried in smaller ones.
    private func copyDownwards(_ table: String, key: String, columns: String) {
        var size = 512
        var below = Int64.max
        while size > 0 {
            do throws(StoreError) {
                let sql = """
                    INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM damaged.\(table)
                    WHERE \(key) < ?1 AND \(key) BETWEEN 1 AND \(JournalMeta.highest) ORDER BY \(key) DESC LIMIT \(size)
                    """
                let statement = try database.prepare(sql, doing: "salvaging")
                statement.bind(1, below)
                try statement.run()
                guard database.changes > 0 else { return }
                below = try database.integer("SELECT min(\(key)) FROM main.\(table)", doing: "salvaging") ?? 1
            } catch {
                size = error.kind == .corrupt ? size / 8 : 0
            }
        }
    }
}
