import AlarmModel
import PhoneProtocol

extension Journal {
    /// Safe mode: puts every row that cannot be understood into table `suspect`, where it is kept. An event leaves a
    /// stand-in at its place, so that numbers stay without gaps; a snapshot, messages and rows of the
    /// ledgers are taken out.
    ///
    /// - Returns: how many rows were moved.
    package func setAsideSuspectRows() throws(StoreError) -> Int {
        let activity = "setting suspect rows aside"
        let moved = try database.transaction(doing: activity) { () throws(StoreError) in
            let events = try setAside(suspectEvents(in: "events"), from: "events", key: "seq")
            let duress = try setAside(suspectEvents(in: "duress"), from: "duress", key: "seq")
            let ledger = try setAside(
                try suspectRows("SELECT command, summary, origin, time, outcome, detail FROM ledger") { row in
                    Self.isReadableLedgerRow(row)
                }, from: "ledger", key: "command")
            let snapshot = try setAside(
                try suspectRows("SELECT id, content FROM snapshot") { row in
                    row.text(1).map { SnapshotRows.isReadable(row.integer(0) ?? 0, $0) } ?? false
                }, from: "snapshot", key: "id")
            return try events + duress + ledger + snapshot + setAsidePhoneRows()
        }
        if moved > 0 { snapshotWasRemoved() }
        return moved
    }

    /// An outbox row whose event is gone is no suspect: the core ends it.
    private func setAsidePhoneRows() throws(StoreError) -> Int {
        let messages = try setAside(
            try suspectRows("SELECT \(OutboxRows.columns) FROM outbox") { OutboxRows.readable($0) != nil },
            from: "outbox", key: "rowid")
        let commands = try setAside(
            try suspectRows("SELECT rowid, phone, counter, digest, time, out, why FROM phone_ledger") { row in
                PhoneCounterRows.readable(row, from: 1) != nil
            }, from: "phone_ledger", key: "rowid")
        return messages + commands
    }

    private func suspectEvents(in table: String) throws(StoreError) -> [Int64] {
        try suspectRows("SELECT \(Schema.eventColumns) FROM \(table)") { EventRow.readable($0) != nil }
    }

    private func suspectRows(_ sql: String, isSound: (Statement) -> Bool) throws(StoreError) -> [Int64] {
        let statement = try database.prepare(sql, doing: "looking for suspect rows")
        var keys: [Int64] = []
        while try statement.step() {
            if !isSound(statement), let key = statement.integer(0) { keys.append(key) }
        }
        return keys
    }

    private static func isReadableLedgerRow(_ row: Statement) -> Bool {
        guard row.text(1) != nil, row.text(2) != nil, row.integer(3) != nil else { return false }
        if row.isNull(4) { return row.isNull(5) }
        guard let name = row.text(4), let detail = row.text(5) else { return false }
        return StoredJSON.value(Outcome.self, from: detail).value?.name == name
    }

    private func setAside(_ keys: [Int64], from table: String, key: String) throws(StoreError) -> Int {
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
            EventRow.bind(EventRow.standIn(time: time), seq: value, to: insertion)
            try insertion.run()
        }
        return keys.count
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
