package import AlarmModel

/// The one writer of the journal.
package final class Journal {
    package struct Options: Sendable {
        /// Names this start of the daemon: batches are numbered anew in each.
        package var run: String
        /// Safe mode: begin as if there were no snapshot.
        package var ignoresSnapshot = false
        /// How long the check of an existing file may take; what is not checked by then is taken as sound.
        package var checkLimit: Duration = .seconds(5)
        /// How long taking over from a damaged file may take: for what must not be lost, and again for the other events.
        package var salvageLimit: Duration = .seconds(3)
        /// How long safe mode may look for rows that cannot be understood.
        package var searchLimit: Duration = .seconds(2)
        /// How long to wait for another connection's lock.
        package var busyTimeout: Duration = .seconds(5)
        /// The database file grows to so many pages (of 4 KiB) and no further.
        package var maximumPages: Int?
        package var retention = RetentionLimits()
        /// The file layer of SQLite, by name: for tests with disks that fail.
        package var vfs: String?
        package var schema = Schema()

        package init(run: String) { self.run = run }
    }

    package static let fileName = "journal.db"

    package let directory: String
    package let report: OpenReport
    /// The identity of this journal now: as reported, until a batch renews it.
    package private(set) var log: LogNumber
    let database: Database
    let options: Options
    private let statements: JournalStatements
    /// The snapshot that the file holds, where this connection wrote it.
    private var writtenSnapshot: Snapshot?
    /// A damaged file was set aside, and no event in the journal says so yet.
    private var isSalvageUntold: Bool

    /// Opens the journal in an existing directory, or begins one. A damaged file is set aside and kept.
    ///
    /// - Throws: when the file can be neither used nor replaced: the disk is full, read-only or failing, or another
    ///   program holds it.
    package init(directory: String, options: Options) throws(StoreError) {
        let opened = try JournalOpening(directory: directory, options: options).run()
        self.directory = directory
        self.options = options
        database = opened.database
        statements = try JournalStatements(opened.database)
        report = opened.report
        log = opened.report.log
        isSalvageUntold = if case .damagedSetAside = opened.report.outcome { true } else { false }
    }

    /// Pages of the write-ahead log after the last commit: when to check-point.
    package var walPages: Int { database.walPages }

    /// Writes these batches, whole, durably and in this order, as one transaction; batches that this run has written
    /// already are passed over. After an error none of them is stored, and they may be given again.
    ///
    /// Their phone book is not written here but by `PhoneFile`, before.
    ///
    /// - Returns: the number of the journal's last event.
    package func commit(_ batches: [Batch]) throws(StoreError) -> SequenceNumber {
        for (first, second) in zip(batches, batches.dropFirst()) {
            precondition(first.id < second.id, "batches are committed in the order of their numbers")
        }
        var snapshot: Snapshot?
        var renewed: LogNumber?
        var isSalvageTold = false
        let last = try database.transaction(doing: "storing events") { () throws(StoreError) in
            var meta = try readMeta()
            let done = meta.run == options.run ? meta.lastBatch : 0
            let waiting = batches.filter { Int64(bitPattern: $0.id.number) > done }
            guard let newest = waiting.last else { return meta.lastSequence }
            for batch in waiting {
                var places: [OutboxRows.Place] = []
                for event in batch.events { places.append(try insert(event, counting: &meta)) }
                for row in batch.ledger { try upsert(row) }
                try statements.outbox.write(batch, places: places)
                try statements.phoneCounters.write(batch)
            }
            snapshot = newestSnapshot(of: waiting)
            if let snapshot, snapshot != writtenSnapshot {
                try SnapshotRows.write(snapshot, over: writtenSnapshot, with: statements.writeSnapshot, in: database)
            }
            for step in waiting.compactMap(\.retention) {
                try Retention(step: step, lastSequence: meta.lastSequence, limits: options.retention)
                    .apply(to: database)
            }
            if isSalvageUntold, waiting.contains(where: \.tellsOfDamage) {
                try SalvageMark.remove(from: database)
                isSalvageTold = true
            }
            if let number = waiting.compactMap(\.newLog).max() { renewed = try renewLog(LogNumber(number)) }
            meta.run = options.run
            meta.lastBatch = Int64(bitPattern: newest.id.number)
            try write(meta)
            return meta.lastSequence
        }
        if let snapshot { writtenSnapshot = snapshot }
        if let renewed { log = renewed }
        if isSalvageTold { isSalvageUntold = false }
        return SequenceNumber(last)
    }

    /// One that knows nothing of the console's lock leaves what an earlier one of the same transaction says of it.
    private func newestSnapshot(of batches: [Batch]) -> Snapshot? {
        let snapshots = batches.compactMap(\.snapshot)
        var newest = snapshots.last
        newest?.console = snapshots.last { $0.console != nil }?.console
        return newest
    }

    /// Moves what the write-ahead log holds into the database file, as far as readers allow. Its cost grows with
    /// `walPages`; it waits for nobody.
    @discardableResult
    package func checkpoint() throws(StoreError) -> Checkpoint { try database.checkpoint(truncating: false) }

    /// The clean end: empties the write-ahead log. The journal is not used afterwards.
    package func close() throws(StoreError) { _ = try database.checkpoint(truncating: true) }

    /// Forgets what this object believes the file holds, after the file was changed by other means.
    func snapshotWasRemoved() { writtenSnapshot = nil }

    private func readMeta() throws(StoreError) -> JournalMeta {
        let statement = statements.readMeta
        guard try statement.step() else { throw JournalMeta.damage("the row of table meta is missing") }
        defer { statement.reset() }
        guard let meta = JournalMeta(statement) else { throw JournalMeta.damage("table meta holds no counters") }
        return meta
    }

    private func write(_ meta: JournalMeta) throws(StoreError) {
        let statement = statements.writeMeta
        statement.bind(1, meta.lastSequence)
        statement.bind(2, meta.lastDuress)
        statement.bind(3, meta.run)
        statement.bind(4, meta.lastBatch)
        try statement.run()
    }

    /// The file comes first: with the transaction lost it tells the next start that numbers may have been used.
    private func renewLog(_ number: LogNumber) throws(StoreError) -> LogNumber {
        let number = max(number, log)
        try number.store(in: directory)
        try database.execute("UPDATE meta SET log = \(number.number)", doing: "storing the log number")
        return number
    }

    private func insert(_ event: Event, counting meta: inout JournalMeta) throws(StoreError) -> OutboxRows.Place {
        if event.flags.contains(.duress) {
            meta.lastDuress += 1
            EventRow.bind(event, seq: meta.lastDuress, to: statements.insertDuress)
            try statements.insertDuress.run()
            return OutboxRows.Place(isDuress: true, seq: meta.lastDuress, place: meta.lastSequence * 2 + 1)
        } else {
            meta.lastSequence += 1
            EventRow.bind(event, seq: meta.lastSequence, to: statements.insertEvent)
            try statements.insertEvent.run()
            return OutboxRows.Place(isDuress: false, seq: meta.lastSequence, place: meta.lastSequence * 2)
        }
    }

    private func upsert(_ row: LedgerRow) throws(StoreError) {
        let statement = statements.upsertLedger
        statement.bind(1, Int64(bitPattern: row.command.number))
        statement.bind(2, row.summary)
        statement.bind(3, row.origin)
        statement.bind(4, row.time.milliseconds)
        statement.bind(5, row.outcome?.name)
        var detail: String?
        if let outcome = row.outcome { detail = try StoredJSON.text(of: outcome, doing: "storing an outcome") }
        statement.bind(6, detail)
        try statement.run()
    }
}

extension Batch {
    fileprivate var tellsOfDamage: Bool { events.contains { $0.code == EventCode.storeDamaged.rawValue } }
}
