import AlarmModel

extension Salvage {
    /// A phone of which not all can be read is left out: its counter is then not known, and known not to be.
    func copyPhoneCounters() {
        for (phone, last) in damagedOwners() {
            try? database.transaction(doing: activity) { () throws(StoreError) in
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

    /// Those whose events were taken over, newest first. They come after the counters of the events: with those missing,
    /// another event could get the number that a message names.
    func copyOpenMessages() {
        let columns =
            "message, address, is_duress, seq, place, priority, created, expires, state, detail, changed"
        var top = highestRow()
        var size: Int64 = 512
        while top > 0 {
            let bottom = max(0, top - size)
            do throws(StoreError) {
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
                guard error.kind == .corrupt else { return }
                // A row that cannot be read is passed over alone.
                if size == 1 { top = bottom } else { size /= 8 }
            }
        }
    }

    private var activity: String { "salvaging" }

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
