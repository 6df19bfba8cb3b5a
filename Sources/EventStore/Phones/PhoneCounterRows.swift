import AlarmModel

/// The counters of signed commands as rows of `phone_ledger`, and of `phone_counter`, which tells a phone that has
/// commanded nothing from one whose counter was lost (docs/pairing.md 7.3).
struct PhoneCounterRows {
    private let add: Statement
    private let remove: [Statement]
    private let upsert: Statement
    private let count: Statement
    private let dropOld: Statement

    init(_ database: Database) throws(StoreError) {
        let activity = "storing a phone's counter"
        add = try database.prepare(
            "INSERT INTO phone_counter (phone, last) VALUES (?1, 0) ON CONFLICT DO NOTHING", doing: activity)
        remove = [
            try database.prepare("DELETE FROM phone_counter WHERE phone = ?1", doing: activity),
            try database.prepare("DELETE FROM phone_ledger WHERE phone = ?1", doing: activity),
        ]
        upsert = try database.prepare(
            """
            INSERT INTO phone_ledger (phone, counter, digest, time, out, why) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (phone, counter) DO UPDATE SET digest = ?3, time = ?4, out = ?5, why = ?6
            """, doing: activity)
        count = try database.prepare(
            """
            INSERT INTO phone_counter (phone, last) VALUES (?1, ?2)
            ON CONFLICT (phone) DO UPDATE SET last = max(last, ?2)
            """, doing: activity)
        dropOld = try database.prepare(
            """
            DELETE FROM phone_ledger WHERE phone = ?1 AND counter <=
            (SELECT counter FROM phone_ledger WHERE phone = ?1 ORDER BY counter DESC LIMIT 1 OFFSET ?2)
            """, doing: activity)
    }

    /// Who comes and goes first, in their order; a row then makes its phone known, unless this batch removed it.
    func write(_ batch: Batch) throws(StoreError) {
        var removed: [PhoneID] = []
        for owner in batch.phoneLedgerOwners {
            switch owner {
            case .added(let phone):
                removed.removeAll { $0 == phone }
                add.bind(1, phone.stored)
                try add.run()
            case .removed(let phone):
                removed.append(phone)
                for statement in remove {
                    statement.bind(1, phone.stored)
                    try statement.run()
                }
            }
        }
        for row in batch.phoneLedger where !removed.contains(row.phone) { try write(row) }
    }

    private func write(_ row: PhoneLedgerRow) throws(StoreError) {
        guard let counter = Int64(exactly: row.counter) else {
            throw StoreError(
                kind: .rejected, activity: "storing a phone's counter",
                detail: "\(row.counter) is above the highest counter there is")
        }
        upsert.bind(1, row.phone.stored)
        upsert.bind(2, counter)
        upsert.bind(3, row.digest)
        upsert.bind(4, row.time.milliseconds)
        upsert.bind(5, row.result?.out.rawValue)
        upsert.bind(6, row.result?.why)
        try upsert.run()
        count.bind(1, row.phone.stored)
        count.bind(2, counter)
        try count.run()
        dropOld.bind(1, row.phone.stored)
        dropOld.bind(2, PhoneLedgerRow.kept)
        try dropOld.run()
    }
}

extension PhoneCounterRows {
    /// The phones whose counter is surely known, ascending. Of any other what is left is taken out, and it is kept among
    /// the suspect rows: a counter that is too low would let an old command through, one that is not known does not.
    static func read(_ database: Database) throws(StoreError) -> [PhoneCounters] {
        let activity = "reading the phones' counters"
        let owners = try database.prepare(
            """
            SELECT phone, last FROM phone_counter UNION ALL SELECT DISTINCT phone, NULL FROM phone_ledger
            WHERE phone NOT IN (SELECT phone FROM phone_counter)
            """, doing: activity)
        var known: [(phone: Int64, last: Int64?)] = []
        while try owners.step() { known.append((owners.integer(0) ?? 0, owners.integer(1))) }
        let selection = try database.prepare(
            """
            SELECT phone, counter, digest, time, out, why FROM phone_ledger WHERE phone = ?1
            ORDER BY counter DESC LIMIT \(PhoneLedgerRow.kept)
            """, doing: activity)
        var counters: [PhoneCounters] = []
        for (phone, last) in known {
            selection.bind(1, phone)
            var rows: [PhoneLedgerRow] = []
            while try selection.step() {
                if let row = readable(selection) { rows.append(row) }
            }
            if let last, last >= 0, rows.first?.counter ?? 0 == UInt64(last) {
                counters.append(PhoneCounters(phone: PhoneID(stored: phone), rows: rows.reversed()))
            } else {
                // A card that takes nothing now changes nothing: it is looked at again with the next start.
                try? setAside(phone, in: database)
            }
        }
        return counters.sorted { $0.phone < $1.phone }
    }

    /// No phone's counter is known any more: commands may have been accepted that this journal knows nothing of.
    static func forget(in database: Database) throws(StoreError) {
        try database.execute(
            "DELETE FROM phone_counter; DELETE FROM phone_ledger", doing: "forgetting the phones' counters")
    }

    /// nil for a row with an unknown word, a missing value or a value of another kind. From column `first` on there are
    /// phone, counter, digest, time, out and why.
    static func readable(_ statement: Statement, from first: Int32 = 0) -> PhoneLedgerRow? {
        guard let phone = statement.integer(first), let digest = statement.bytes(first + 2),
            let counter = statement.integer(first + 1).flatMap(UInt64.init(exactly:)),
            let time = statement.integer(first + 3), statement.isNull(first + 5) || statement.text(first + 5) != nil
        else { return nil }
        var row = PhoneLedgerRow(
            phone: PhoneID(stored: phone), counter: counter, digest: digest, time: WallTime(milliseconds: time))
        if !statement.isNull(first + 4) {
            guard let word = statement.text(first + 4).flatMap(PhoneResult.Word.init(rawValue:)) else { return nil }
            row.result = PhoneResult(word, why: statement.text(first + 5))
        }
        return row
    }

    private static func setAside(_ phone: Int64, in database: Database) throws(StoreError) {
        try database.transaction(doing: "setting suspect rows aside") { () throws(StoreError) in
            try database.execute(
                """
                INSERT INTO suspect (origin, row, content)
                SELECT 'phone_ledger', rowid, quote(phone) || ', ' || quote(counter) || ', ' || quote(digest) || ', '
                || quote(time) || ', ' || quote(out) || ', ' || quote(why) FROM phone_ledger WHERE phone = \(phone);
                DELETE FROM phone_ledger WHERE phone = \(phone);
                DELETE FROM phone_counter WHERE phone = \(phone);
                """, doing: "setting suspect rows aside")
        }
    }
}

extension PhoneID {
    /// SQLite's integers have a sign.
    fileprivate var stored: Int64 { Int64(bitPattern: number) }
    fileprivate init(stored: Int64) { self.init(UInt64(bitPattern: stored)) }
}
