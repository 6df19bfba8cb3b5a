/// Prepared once, for the connection's life.
struct JournalStatements {
    let insertEvent: Statement
    let insertDuress: Statement
    let upsertLedger: Statement
    let writeSnapshot: Statement
    let readMeta: Statement
    let writeMeta: Statement
    let outbox: OutboxRows
    let phoneCounters: PhoneCounterRows

    init(_ database: Database) throws(StoreError) {
        insertEvent = try database.prepare(EventRow.insertion(into: "events"), doing: "storing an event")
        insertDuress = try database.prepare(EventRow.insertion(into: "duress"), doing: "storing an event")
        upsertLedger = try database.prepare(
            """
            INSERT INTO ledger (command, summary, origin, time, outcome, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (command) DO UPDATE SET summary = ?2, origin = ?3, time = ?4, outcome = ?5, detail = ?6
            """, doing: "storing a command")
        writeSnapshot = try database.prepare(SnapshotRows.insertion, doing: "storing the snapshot")
        readMeta = try database.prepare(
            JournalMeta.selection, doing: "reading the journal's counters")
        writeMeta = try database.prepare(
            "UPDATE meta SET last_seq = ?1, last_duress = ?2, run = ?3, last_batch = ?4",
            doing: "storing the journal's counters")
        outbox = try OutboxRows(database)
        phoneCounters = try PhoneCounterRows(database)
    }
}
