import AlarmModel
import PhoneProtocol

/// What the search for rows that cannot be understood came to.
package struct SuspectSearch: Equatable, Sendable {
    /// Rows that were moved.
    package var moved = 0
    /// False when time or number had their limit first: what was not looked at is as it was, and nothing of it is lost.
    package var isComplete = true

    package init() {}
}

extension Journal {
    /// Rows of one table that one search moves.
    private static let mostMoved = 1000

    /// Safe mode: puts rows that cannot be understood into table `suspect`, where they are kept. An event leaves a
    /// substitute at its place, so that numbers stay without gaps; a snapshot, messages and rows of the ledgers
    /// are taken out. Of the tables that grow, the newest rows are looked at, as far as `Options.searchLimit` allows: a
    /// row that is passed over is met where it is read, and does no harm there.
    package func setAsideSuspectRows() throws(StoreError) -> SuspectSearch {
        let activity = "setting suspect rows aside"
        let deadline = Deadline(in: options.searchLimit)
        let search = try database.transaction(doing: activity) { () throws(StoreError) in
            var found = SuspectSearch()
            try setAside("id, content", of: "snapshot", key: "id", &found) { row in
                row.text(1).map { SnapshotRows.isReadable(row.integer(0) ?? 0, $0) } ?? false
            }
            try setAside("rowid, phone, counter, digest, time, out, why", of: "phone_ledger", &found) { row in
                PhoneCounterRows.readable(row, from: 1) != nil
            }
            // An outbox row whose event is gone is no suspect: the core ends it.
            try setAside(OutboxRows.columns, of: "outbox", until: deadline, &found) { row in
                OutboxRows.readable(row) != nil
            }
            try setAside(
                "command, summary, origin, time, outcome, detail", of: "ledger", key: "command", until: deadline, &found
            ) { row in
                Self.isReadableLedgerRow(row)
            }
            for table in ["duress", "events"] {
                try setAside(Schema.eventColumns, of: table, key: "seq", until: deadline, &found) { row in
                    EventRow.readable(row) != nil
                }
            }
            return found
        }
        if search.moved > 0 { snapshotWasRemoved() }
        return search
    }

    /// - Parameter deadline: nil for a table that is small.
    private func setAside(
        _ columns: String, of table: String, key: String = "rowid", until deadline: Deadline? = nil,
        _ found: inout SuspectSearch, isSound: (Statement) -> Bool
    ) throws(StoreError) {
        let statement = try database.prepare(
            "SELECT \(columns) FROM \(table) ORDER BY \(key) DESC", doing: "looking for suspect rows")
        var keys: [Int64] = []
        while try statement.step() {
            if keys.count >= Self.mostMoved || deadline?.isOver ?? false {
                found.isComplete = false
                break
            }
            if !isSound(statement), let key = statement.integer(0) { keys.append(key) }
        }
        statement.reset()
        try setAside(keys, from: table, key: key)
        found.moved += keys.count
    }

    private static func isReadableLedgerRow(_ row: Statement) -> Bool {
        guard row.text(1) != nil, row.text(2) != nil, row.integer(3) != nil else { return false }
        if row.isNull(4) { return row.isNull(5) }
        guard let name = row.text(4), let detail = row.text(5) else { return false }
        return StoredJSON.value(Outcome.self, from: detail).value?.name == name
    }

    private func setAside(_ keys: [Int64], from table: String, key: String) throws(StoreError) {
        let activity = "setting suspect rows aside"
        let columns = try database.columns(of: table).map { "quote(\"\($0)\")" }.joined(separator: " || ', ' || ")
        for value in keys {
            try database.execute(
                """
                INSERT INTO suspect (origin, row, content)
                SELECT '\(table)', \(value), \(columns) FROM \(table) WHERE \(key) = \(value)
                """, doing: activity)
            let time =
                key == "seq"
                ? try database.integer("SELECT time FROM \(table) WHERE seq = \(value)", doing: activity) : nil
            try database.execute("DELETE FROM \(table) WHERE \(key) = \(value)", doing: activity)
            guard key == "seq" else { continue }
            let insertion = try database.prepare(EventRow.insertion(into: table), doing: activity)
            EventRow.bind(EventRow.substitute(time: time), seq: value, to: insertion)
            try insertion.run()
        }
    }
}

extension Database {
    /// The names of a table's columns, in order.
    fileprivate func columns(of table: String) throws(StoreError) -> [String] {
        let statement = try prepare("SELECT name FROM pragma_table_info('\(table)')", doing: "reading the tables")
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0) ?? "") }
        return names
    }
}
