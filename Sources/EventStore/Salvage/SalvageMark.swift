/// Says in the new journal what became of the old one, until an event is committed that tells people of it: the start that
/// set it aside may be cut short before.
enum SalvageMark {
    private static let origin = "journal"
    private static let activity = "noting what became of the damaged journal"

    static func leave(_ outcome: OpenReport.Outcome, in database: Database) throws(StoreError) {
        let statement = try database.prepare(
            "INSERT INTO suspect (origin, row, content) VALUES (?1, 0, ?2)", doing: activity)
        statement.bind(1, origin)
        statement.bind(2, try StoredJSON.text(of: outcome, doing: activity))
        try statement.run()
    }

    static func read(_ database: Database) throws(StoreError) -> OpenReport.Outcome? {
        let text = try database.text(
            "SELECT content FROM suspect WHERE origin = '\(origin)' ORDER BY id DESC LIMIT 1", doing: activity)
        return text.flatMap { StoredJSON.value(OpenReport.Outcome.self, from: $0).value }
    }

    static func remove(from database: Database) throws(StoreError) {
        try database.execute("DELETE FROM suspect WHERE origin = '\(origin)'", doing: activity)
    }
}
