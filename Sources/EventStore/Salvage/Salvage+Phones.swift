import AlarmModel

extension Salvage {
    /// A phone of which not all can be read is left out: its counter is then not known, and known not to be.
    func copyPhoneCounters() throws(StoreError) {
        for (phone, last) in damagedOwners() {
            try leavingOut { () throws(StoreError) in
                try database.transaction(doing: activity) { () throws(StoreError) in
                    try database.execute(
                        """
                        INSERT INTO main.phone_counter (phone, last) VALUES (\(phone), \(last));
                        INSERT INTO main.phone_ledger (phone, counter, digest, time, out, why)
                        SELECT phone, counter, digest, time, out, why FROM damaged.phone_ledger
                        WHERE phone = \(phone) ORDER BY counter DESC LIMIT \(PhoneLedgerRow.kept)
                        """, doing: activity)
                }
            }
        }
    }

    /// With the events that they are about, newest first; without its event a message is of no use.
    func copyOpenMessages() throws(StoreError) {
        let columns =
            "message, address, is_duress, seq, place, priority, created, expires, state, detail, changed"
        var top = highestRow()
        var size: Int64 = 512
        while top > 0 {
            let bottom = max(0, top - size)
            do throws(StoreError) {
                try copyEvents("events", ofMessages: "NOT is_duress", above: bottom, upTo: top)
                try copyEvents("duress", ofMessages: "is_duress", above: bottom, upTo: top)
                try database.execute(
                    """
                    INSERT OR IGNORE INTO main.outbox (rowid, \(columns))
                    SELECT rowid, \(columns) FROM damaged.outbox AS old
                    WHERE rowid > \(bottom) AND rowid <= \(top) AND \(Schema.open)
                    AND CASE WHEN is_duress THEN EXISTS (SELECT 1 FROM main.duress WHERE seq = old.seq)
                        ELSE EXISTS (SELECT 1 FROM main.events WHERE seq = old.seq) END
                    """, doing: activity)
                top = bottom
            } catch {
                guard Self.mayLeaveOut(error) else { throw error }
                guard error.kind == .corrupt else { return }
                if size > 1 {
                    size /= 8
                } else {
                    // A row that cannot be read, or whose event cannot, is passed over alone.
                    top = bottom
                    size = 512
                }
            }
        }
    }

    private func copyEvents(
        _ table: String, ofMessages kind: String, above bottom: Int64, upTo top: Int64
    ) throws(StoreError) {
        let columns = Schema.eventColumns(of: "damaged", in: database)
        try database.execute(
            """
            INSERT OR IGNORE INTO main.\(table) (\(columns)) SELECT \(columns) FROM damaged.\(table)
            WHERE seq BETWEEN 1 AND \(JournalMeta.highest) AND seq IN (SELECT seq FROM damaged.outbox
            WHERE rowid > \(bottom) AND rowid <= \(top) AND \(Schema.open) AND \(kind))
            """, doing: activity)
    }

    private func damagedOwners() -> [(phone: Int64, last: Int64)] {
        var owners: [(phone: Int64, last: Int64)] = []
        guard let statement = try? database.prepare("SELECT phone, last FROM damaged.phone_counter", doing: activity)
        else { return [] }
        while (try? statement.step()) ?? false {
            if let phone = statement.integer(0), let last = statement.integer(1) { owners.append((phone, last)) }
        }
        return owners
    }

    private func highestRow() -> Int64 {
        let highest = try? database.integer("SELECT max(rowid) FROM damaged.outbox", doing: activity)
        return min(highest ?? 0, JournalMeta.highest)
    }
}
