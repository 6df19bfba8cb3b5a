/// Takes over from a damaged journal what can be read of it: first what people wait for and what guards the box, then
/// the newest events.
struct Salvage {
    let database: Database
    let damagedPath: String

    /// Returns the number of events taken over. What cannot be read is left out. The counters of table `meta` are left to
    /// the caller.
    ///
    /// - Parameters:
    ///   - limit: of the time for what must not be lost, and again of that for the other events
    ///   - number: take over the phones' counters, if the damaged journal has this log number or a higher one; nil:
    ///     commits are known to be lost, and with them perhaps counters
    /// - Throws: where the card refuses what must not be lost.
    func run(within limit: Duration, countersSince number: LogNumber?) throws(StoreError) -> Int {
        do throws(StoreError) {
            try attach()
        } catch {
            guard JournalOpening.isDamage(error) else { throw error }
            return 0
        }
        defer { try? database.execute("DETACH damaged", doing: activity) }
        try database.withTimeLimit(limit) { () throws(StoreError) in
            if let number, hasLog(since: number) { try copyPhoneCounters() }
            try copySnapshot()
            try copyOpenMessages()
            try copyDownwards("ledger", key: "command", columns: "command, summary, origin, time, outcome, detail")
        }
        for table in ["duress", "events"] {
            try? database.withTimeLimit(limit) { () throws(StoreError) in
                try copyDownwards(table, key: "seq", columns: Schema.eventColumns(of: "damaged", in: database))
            }
        }
        return Int(clamping: try database.integer("SELECT count(*) FROM main.events", doing: activity) ?? 0)
    }

    var activity: String { "salvaging" }

    /// What cannot be read, or not in time, is left out. Anything else may go well another time.
    static func mayLeaveOut(_ error: StoreError) -> Bool {
        JournalOpening.isDamage(error) || error.kind == .interrupted
    }

    func leavingOut(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try body()
        } catch {
            guard Self.mayLeaveOut(error) else { throw error }
        }
    }

    private func attach() throws(StoreError) {
        let statement = try database.prepare("ATTACH ?1 AS damaged", doing: activity)
        statement.bind(1, damagedPath)
        try statement.run()
    }

    private func hasLog(since number: LogNumber) -> Bool {
        let log = try? database.integer("SELECT log FROM damaged.meta", doing: activity)
        return log ?? -1 >= Int64(number.number)
    }

    /// The box's own row is of use without the others, because of the console's lock; some of the others are not.
    private func copySnapshot() throws(StoreError) {
        for rows in ["id = \(SnapshotRows.box)", "id <> \(SnapshotRows.box)"] {
            try leavingOut { () throws(StoreError) in
                try database.execute(
                    "INSERT OR IGNORE INTO main.snapshot SELECT id, content FROM damaged.snapshot WHERE \(rows)",
                    doing: activity)
            }
        }
    }

    /// In pieces, each its own transaction, without a gap; a piece that cannot be read is tried in smaller ones. What is
    /// there already is passed over.
    private func copyDownwards(_ table: String, key: String, columns: String) throws(StoreError) {
        var size = 512
        var below = JournalMeta.highest + 1
        while size > 0 {
            do throws(StoreError) {
                let lowest = try database.integer(
                    """
                    SELECT min(\(key)) FROM (SELECT \(key) FROM damaged.\(table)
                    WHERE \(key) BETWEEN 1 AND \(below - 1) ORDER BY \(key) DESC LIMIT \(size))
                    """, doing: activity)
                guard let lowest, lowest < below else { return }
                try database.execute(
                    """
                    INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM damaged.\(table)
                    WHERE \(key) BETWEEN \(lowest) AND \(below - 1) ON CONFLICT DO NOTHING
                    """, doing: activity)
                below = lowest
            } catch {
                guard Self.mayLeaveOut(error) else { throw error }
                size = error.kind == .corrupt ? size / 8 : 0
            }
        }
    }
}
