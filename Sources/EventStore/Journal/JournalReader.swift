package import AlarmModel

/// A second connection that only reads: beside the writer, without a daemon, and in a directory that cannot be written.
package final class JournalReader {
    /// True where the directory cannot be written and a write-ahead log lies beside the journal that needs recovery:
    /// the newest events are then missing from what is read.
    package let isMissingNewest: Bool
    let database: Database
    private var pageStatements: [(sql: String, statement: Statement)] = []
    private var openStatements: [Statement] = []
    private var taken: Statement?
    /// Of events: a reader looks into files that an older version has written, too.
    private lazy var columns = Schema.eventColumns(in: database)
    private lazy var briefColumns = Schema.briefEventColumns(in: database)
    private var eventStatements: [(isDuress: Bool, statement: Statement)] = []
    /// Reads of open messages in a row in which an event could not be read.
    var failedPages = 0

    /// - Throws: kind `missing` when there is no journal in the directory.
    package init(directory: String, busyTimeout: Duration = .seconds(1)) throws(StoreError) {
        let path = "\(directory)/\(Journal.fileName)"
        do throws(StoreError) {
            database = try Self.open(path, .readOnly, busyTimeout)
            isMissingNewest = false
        } catch {
            // What SQLite says when it cannot make the index of the write-ahead log.
            guard [.readOnly, .ioError, .missing].contains(error.kind), StateFile.exists(path) else { throw error }
            database = try Self.open(path, .immutable, busyTimeout)
            isMissingNewest = (try StateFile.size(of: path + "-wal") ?? 0) > 0
        }
    }

    private static func open(
        _ path: String, _ access: Database.Access, _ busyTimeout: Duration
    ) throws(StoreError) -> Database {
        let database = try Database(path: path, access: access, busyTimeout: busyTimeout)
        try database.execute("PRAGMA cache_size = -\(PageMemory.readerKiB)", doing: "opening \(path)")
        // SQLite opens files when they are first read.
        _ = try database.integer("SELECT last_seq FROM meta", doing: "opening \(path)")
        return database
    }

    /// The number of the newest event ever written.
    package func lastSequence() throws(StoreError) -> SequenceNumber {
        let last = try database.integer("SELECT last_seq FROM meta", doing: "reading the journal") ?? 0
        return SequenceNumber(min(max(last, 0), JournalMeta.highest))
    }

    /// Whether duress was ever written.
    package func hasDuress() throws(StoreError) -> Bool {
        try (database.integer("SELECT last_duress FROM meta", doing: "reading the journal") ?? 0) > 0
    }

    /// The snapshot as it was last written; nil when there is none or it cannot be read.
    package func snapshot() throws(StoreError) -> Snapshot? {
        try SnapshotRows.read(database).snapshot
    }

    /// Whether the file is sound, as far as can be looked at within `span`; false when the time was over first.
    ///
    /// - Throws: kind `corrupt` when it is not.
    package func check(within span: Duration) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let verdict = try database.withTimeLimit(span) { () throws(StoreError) in
                try database.text("PRAGMA quick_check(1)", doing: "checking the journal")
            }
            guard verdict == "ok" else {
                throw StoreError(kind: .corrupt, activity: "checking the journal", detail: verdict ?? "no verdict")
            }
            return true
        } catch {
            guard error.kind == .interrupted else { throw error }
            return false
        }
    }

    /// How many events of each type there are, in the order of `EventType`; types without events are left out. Reads
    /// the whole journal: for a command line, not for the daemon.
    package func countByType() throws(StoreError) -> [(type: EventType, count: Int)] {
        let statement = try database.prepare(
            "SELECT type, count(*) FROM events GROUP BY type", doing: "counting events")
        var counts = EventType.allCases.map { (type: $0, count: 0) }
        while try statement.step() {
            let type = statement.text(0).flatMap(EventType.init(rawValue:)) ?? .unknown
            guard let index = counts.firstIndex(where: { $0.type == type }) else { continue }
            counts[index].count += Int(clamping: statement.integer(1) ?? 0)
        }
        return counts.filter { $0.count > 0 }
    }

    /// The whole database as one piece.
    func serialized() throws(StoreError) -> [UInt8] { try database.serialized() }

    /// One page, at most `query.limit` events (1…1000), and what can be read within about `slice`: at least one window
    /// of rows is always looked at, so that repeating ends.
    ///
    /// - Parameter isBrief: without the panel's lines, and without sentences and names of its news, of which there is most
    package func page(
        _ query: EventQuery, slice: Duration = .milliseconds(5), isBrief: Bool = false
    ) throws(StoreError) -> EventPage {
        let deadline = Deadline(in: slice)
        let limit = min(max(query.limit, 1), 1000)
        // All windows and the bounds are read from one state of the file.
        try database.execute("BEGIN", doing: "reading events")
        defer { database.rollBack() }
        let newest = try lastSequence().number
        let first = try database.integer("SELECT min(seq) FROM events", doing: "reading events") ?? newest + 1
        // Bounds come from a client: nothing may overflow.
        let after = min(max(query.after.number, 0), .max - 1)
        let bottom = max(after, max(first, 1) - 1)
        let top = min(newest, query.before.map { max($0.number, 1) - 1 } ?? newest)
        guard bottom < top else {
            return EventPage(
                events: [], cursor: SequenceNumber(max(after, top)), hasMore: false, bottom: SequenceNumber(after + 1))
        }
        var scan = PageScan(bottom: bottom, top: top, order: query.order, limit: limit)
        let statement = try pageStatement(for: query, isBrief)
        repeat {
            let window = scan.nextWindow
            bind(query, to: statement, window: window, limit: limit - scan.events.count)
            var rows: [StoredEvent] = []
            while try statement.step() { rows.append(EventRow.read(statement)) }
            scan.looked(at: window, found: rows)
        } while !scan.isComplete && !deadline.isOver
        return scan.page
    }

    private func pageStatement(for query: EventQuery, _ isBrief: Bool) throws(StoreError) -> Statement {
        let sql = pageSQL(for: query, isBrief)
        if let known = pageStatements.first(where: { $0.sql == sql }) { return known.statement }
        let statement = try database.prepare(sql, doing: "reading events")
        if pageStatements.count >= 8 { pageStatements.removeFirst() }
        pageStatements.append((sql, statement))
        return statement
    }

    /// The n-th of the statements for open messages, which are used side by side, one for each address.
    func openStatement(_ index: Int) throws(StoreError) -> Statement {
        while openStatements.count <= index {
            openStatements.append(try database.prepare(OutboxRows.openSelection, doing: "reading messages"))
        }
        return openStatements[index]
    }

    func takenStatement() throws(StoreError) -> Statement {
        if let taken { return taken }
        let statement = try database.prepare(OutboxRows.takenSelection, doing: "reading messages")
        taken = statement
        return statement
    }

    func eventStatement(isDuress: Bool) throws(StoreError) -> Statement {
        if let known = eventStatements.first(where: { $0.isDuress == isDuress }) { return known.statement }
        let statement = try database.prepare(
            "SELECT \(columns) FROM \(isDuress ? "duress" : "events") WHERE seq = ?1",
            doing: "reading messages")
        eventStatements.append((isDuress, statement))
        return statement
    }

    private func pageSQL(for query: EventQuery, _ isBrief: Bool) -> String {
        let columns = isBrief ? briefColumns : columns
        var sql = "SELECT \(columns) FROM events WHERE seq > ?1 AND seq <= ?2"
        if query.since != nil { sql += " AND time >= ?4" }
        if query.zone != nil { sql += " AND zone = ?5" }
        if query.partition != nil { sql += " AND \"partition\" = ?6" }
        if !query.types.isEmpty {
            // Names of our own enum: nothing to escape. A row of a type that is not ours reads as unknown.
            let names = query.types.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            let ours = EventType.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            sql +=
                query.types.contains(.unknown)
                ? " AND (type IN (\(names)) OR type NOT IN (\(ours)))" : " AND type IN (\(names))"
        }
        return sql + (query.order == .newest ? " ORDER BY seq DESC" : " ORDER BY seq") + " LIMIT ?3"
    }

    private func bind(_ query: EventQuery, to statement: Statement, window: PageScan.Window, limit: Int) {
        statement.bind(1, window.above)
        statement.bind(2, window.upTo)
        statement.bind(3, limit)
        if let since = query.since { statement.bind(4, since.milliseconds) }
        if let zone = query.zone { statement.bind(5, zone) }
        if let partition = query.partition { statement.bind(6, partition) }
    }
}
