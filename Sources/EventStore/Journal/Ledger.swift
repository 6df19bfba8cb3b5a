import AlarmModel

/// Rows of the ledger of commands.
enum Ledger {
    /// Commands without an outcome, ascending; rows that make no sense are passed over.
    static func unfinished(in database: Database) throws(StoreError) -> [LedgerRow] {
        let statement = try database.prepare(
            "SELECT command, summary, origin, time FROM ledger WHERE outcome IS NULL ORDER BY command",
            doing: "reading the ledger")
        var rows: [LedgerRow] = []
        while try statement.step() {
            guard let command = statement.integer(0), let summary = statement.text(1), let origin = statement.text(2),
                let time = statement.integer(3)
            else { continue }
            rows.append(
                LedgerRow(
                    command: CommandID(UInt64(bitPattern: command)), summary: summary, origin: origin,
                    time: WallTime(milliseconds: time), outcome: nil))
        }
        return rows
    }
}
