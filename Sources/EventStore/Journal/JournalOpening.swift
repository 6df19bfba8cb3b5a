import AlarmModel

/// Opens the journal of a directory, whatever is found there.
struct JournalOpening {
    /// So many of the newest events are asked for a trusted time.
    private static let trustWindow: Int64 = 10_000

    let directory: String
    let options: Journal.Options

    struct Opened {
        var database: Database
        var report: OpenReport
    }

    /// Commits that can no longer be read were in the write-ahead log.
    struct Loss {
        var why: String
        /// Numbers that phones have seen may be given again: that must not happen under the same log number.
        var log: LogNumber
    }

    var path: String { "\(directory)/\(Journal.fileName)" }

    func run() throws(StoreError) -> Opened {
        do throws(StoreError) {
            return try runUnexplained()
        } catch {
            // SQLite names the last thing it looked for, not what kept it from making it.
            guard error.kind == .missing, StateFile.exists(path) else { throw error }
            throw StateFile.refusal(in: directory) ?? error
        }
    }

    private func runUnexplained() throws(StoreError) -> Opened {
        try finishStartingAnew()
        guard let size = try StateFile.size(of: path), size > 0 else { return try begin() }
        let loss = try WriteAheadLog.damage(of: path + "-wal", beside: path).map { Loss(why: $0, log: nextLogNumber) }
        do throws(StoreError) {
            if let loss { try keepTrace(of: loss) }
            return try openReadingTwice(loss)
        } catch {
            guard Self.isDamage(error) else { throw error }
            return try startAnew(after: error, loss)
        }
    }

    /// SQLite makes use of what can still be read in the log, and then empties it: the next start, if this one is cut
    /// short, knows by the file's higher number that commits are missing.
    private func keepTrace(of loss: Loss) throws(StoreError) {
        try DamagedFiles(directory: directory).keepCopyOfLog()
        // A card that takes nothing is told when the number is kept.
        try? loss.log.store(in: directory)
    }

    /// A card may fail to read a place once; what is damaged is so the next time as well.
    private func openReadingTwice(_ loss: Loss?) throws(StoreError) -> Opened {
        do throws(StoreError) {
            return try openExisting(loss, checkWithin: options.checkLimit)
        } catch {
            guard Self.isDamage(error) else { throw error }
            return try openExisting(loss, checkWithin: options.checkLimit)
        }
    }

    /// Everything that would stop every later start as well.
    static func isDamage(_ error: StoreError) -> Bool {
        switch error.kind {
        case .corrupt, .rejected, .other: true
        case .full, .readOnly, .ioError, .busy, .missing, .interrupted: false
        }
    }

    /// The one in use, from the file; the next one where a journal is made.
    var nextLogNumber: LogNumber { (LogNumber.stored(in: directory) ?? LogNumber(0)).advanced() }

    func openExisting(_ loss: Loss?, checkWithin limit: Duration) throws(StoreError) -> Opened {
        let database = try connect()
        let application = try database.integer("PRAGMA application_id", doing: "opening \(path)") ?? 0
        let isEmpty = try isEmpty(database)
        guard application == Schema.applicationID || isEmpty else {
            throw StoreError(
                kind: .corrupt, activity: "opening \(path)", detail: "this is not a journal of HowAlarming")
        }
        let isChecked = try quickCheck(database, within: limit)
        let version = try options.schema.migrate(database)
        var report = try read(database, outcome: .opened(quickCheckCompleted: isChecked))
        report.isSchemaNewer = version > options.schema.migrations.count
        report.logDamage = loss?.why
        if let loss { report.log = max(report.log.advanced(), loss.log) }
        try keepLogNumber(&report, in: database, hasLostCommits: loss != nil)
        return Opened(database: database, report: report)
    }

    /// A power cut came between making the file and its first tables.
    private func isEmpty(_ database: Database) throws(StoreError) -> Bool {
        try database.integer("SELECT count(*) FROM sqlite_master", doing: "opening \(path)") == 0
    }

    private func begin() throws(StoreError) -> Opened {
        // Made by us, because SQLite would make it readable for everybody.
        try StateFile.make(path)
        for suffix in ["-wal", "-shm"] { try StateFile.remove(path + suffix) }
        let database = try connect()
        _ = try options.schema.migrate(database)
        try StateFile.syncDirectory(of: path)
        var report = try read(database, outcome: .fresh)
        report.log = nextLogNumber
        try keepLogNumber(&report, in: database)
        return Opened(database: database, report: report)
    }

    private func connect() throws(StoreError) -> Database {
        let database = try Database(path: path, access: .readWrite, busyTimeout: options.busyTimeout, vfs: options.vfs)
        let activity = "opening \(path)"
        try limitSize(of: database)
        guard try database.text("PRAGMA journal_mode = WAL", doing: activity) == "wal" else {
            throw StoreError(kind: .ioError, activity: activity, detail: "no write-ahead log can be kept there")
        }
        try database.execute(
            """
            PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -\(PageMemory.writerKiB);
            PRAGMA temp_store = MEMORY;
            """,
            doing: activity)
        database.watchLog()
        return database
    }

    func limitSize(of database: Database) throws(StoreError) {
        guard let pages = options.maximumPages else { return }
        try database.execute("PRAGMA max_page_count = \(pages)", doing: "opening \(database.path)")
    }

    /// - Returns: false when the time was over first.
    private func quickCheck(_ database: Database, within limit: Duration) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let verdict = try database.withTimeLimit(limit) { () throws(StoreError) in
                try database.text("PRAGMA quick_check(1)", doing: "checking \(path)")
            }
            guard verdict == "ok" else {
                throw StoreError(kind: .corrupt, activity: "checking \(path)", detail: verdict ?? "no verdict")
            }
            return true
        } catch {
            guard error.kind == .interrupted else { throw error }
            return false
        }
    }

    private func read(_ database: Database, outcome: OpenReport.Outcome) throws(StoreError) -> OpenReport {
        let activity = "reading \(path)"
        let meta = try database.prepare(JournalMeta.selection, doing: activity)
        guard try meta.step(), let counters = JournalMeta(meta) else {
            throw JournalMeta.damage("table meta holds no counters")
        }
        meta.reset()
        let highest = try database.integer("SELECT max(seq) FROM events", doing: activity) ?? 0
        guard highest <= counters.lastSequence else {
            throw JournalMeta.damage("event \(highest) is newer than the last one counted (\(counters.lastSequence))")
        }
        let log = try database.integer("SELECT log FROM meta", doing: activity) ?? 0
        var report = OpenReport(
            outcome: try SalvageMark.read(database) ?? outcome, isRestored: false,
            log: LogNumber(UInt32(clamping: log)), isSchemaNewer: false,
            lastSequence: SequenceNumber(counters.lastSequence),
            newestTrustedTime: try database.integer(
                """
                SELECT max(time) FROM events
                WHERE time_trusted AND seq > \(counters.lastSequence - Self.trustWindow)
                """, doing: activity
            ).map(WallTime.init(milliseconds:)),
            unfinished: try Ledger.unfinished(in: database),
            lastCommand: try database.integer("SELECT max(command) FROM ledger", doing: activity)
                .map { CommandID(UInt64(bitPattern: $0)) },
            oldestSequence: SequenceNumber(
                try database.integer("SELECT min(seq) FROM events", doing: activity) ?? counters.lastSequence + 1),
            outboxCounts: try OutboxRows.counts(in: database), phoneCounters: try PhoneCounterRows.read(database))
        if options.ignoresSnapshot {
            report.snapshotProblem = "ignored in safe mode"
        } else {
            (report.snapshot, report.snapshotProblem) = try SnapshotRows.read(database)
        }
        let box = try SnapshotRows.readBox(database)
        report.console = box?.console
        report.refusedPIN = box?.refusedPIN
        report.offer = box?.software?.offer
        return report
    }

    /// The file and the journal name the same number from now on: the higher one.
    private func keepLogNumber(
        _ report: inout OpenReport, in database: Database, hasLostCommits: Bool = false
    ) throws(StoreError) {
        let inJournal = LogNumber(
            UInt32(clamping: try database.integer("SELECT log FROM meta", doing: "reading \(path)") ?? 0))
        let inFile = LogNumber.stored(in: directory)
        // 0: a power cut came between making the journal and giving it its number.
        if inJournal == LogNumber(0) { report.log = max(report.log, nextLogNumber) }
        let number = max(report.log, inJournal, inFile ?? LogNumber(0), LogNumber(1))
        report.isRestored = inJournal > LogNumber(0) && (inFile ?? inJournal) > inJournal && !hasLostCommits
        report.log = number
        if inFile != number {
            do throws(StoreError) {
                try number.store(in: directory)
            } catch {
                report.logNumberProblem = error.description
            }
        }
        guard inJournal != number else { return }
        let forgets = report.isRestored || hasLostCommits
        try database.transaction(doing: "storing the log number") { () throws(StoreError) in
            // Commands may have been accepted of which this file knows nothing: they must not be accepted again.
            if forgets { try PhoneCounterRows.forget(in: database) }
            try database.execute("UPDATE meta SET log = \(number.number)", doing: "storing the log number")
        }
        if forgets { report.phoneCounters = [] }
    }
}
