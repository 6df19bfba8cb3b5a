import AlarmModel
import CSQLite
import Glibc

/// One connection to an SQLite file.
package final class Database {
    package enum Access: Equatable, Sendable {
        /// Made when it does not exist.
        case readWrite
        case readOnly
        /// Without any lock and without the write-ahead log: for a directory that cannot be written.
        case immutable
    }

    package let path: String
    let handle: OpaquePointer
    private let walPageCount = WALPageCount()
    private var begin: OpaquePointer?
    private var commit: OpaquePointer?

    /// - Parameter vfs: the name of the file layer to use; nil is SQLite's own.
    package init(
        path: String, access: Access, busyTimeout: Duration = .seconds(5), vfs: String? = nil
    ) throws(StoreError) {
        self.path = path
        // Without the block pages come from the heap, one by one: dearer, not worse.
        _ = PageMemory.isTaken
        var opened: OpaquePointer?
        let name = access == .immutable ? "file:\(Self.percentEncoded(path))?immutable=1" : path
        let flags: Int32 =
            switch access {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let result = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, vfs)
        guard let opened else {
            throw StoreError(kind: .other, code: result, activity: "opening \(path)", detail: "no memory")
        }
        handle = opened
        guard result == SQLITE_OK else {
            let error = Self.error(of: opened, result: result, doing: "opening \(path)")
            sqlite3_close_v2(opened)
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout.milliseconds))
    }

    deinit {
        sqlite3_finalize(begin)
        sqlite3_finalize(commit)
        sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing of interest.
    package func execute(_ sql: String, doing activity: String) throws(StoreError) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result, doing: activity) }
    }

    package func prepare(_ sql: String, doing activity: String) throws(StoreError) -> Statement {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let result = sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil)
        guard result == SQLITE_OK, let prepared else { throw error(result, doing: activity) }
        return Statement(handle: prepared, database: self, activity: activity)
    }

    /// The first column of the first row; nil without a row or for NULL.
    package func integer(_ sql: String, doing activity: String) throws(StoreError) -> Int64? {
        let statement = try prepare(sql, doing: activity)
        return try statement.step() ? statement.integer(0) : nil
    }

    package func text(_ sql: String, doing activity: String) throws(StoreError) -> String? {
        let statement = try prepare(sql, doing: activity)
        return try statement.step() ? statement.text(0) : nil
    }

    /// All of `body` or nothing of it. An error of `body` or of the commit leaves no transaction open.
    package func transaction<R>(
        doing activity: String, _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try run(&begin, "BEGIN IMMEDIATE", doing: activity)
        do throws(StoreError) {
            let value = try body()
            try run(&commit, "COMMIT", doing: activity)
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Carries out a statement without parameters that is prepared once.
    private func run(_ statement: inout OpaquePointer?, _ sql: String, doing activity: String) throws(StoreError) {
        if statement == nil {
            let result = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
            guard result == SQLITE_OK else { throw error(result, doing: activity) }
        }
        let result = sqlite3_step(statement)
        let failure = result == SQLITE_DONE ? nil : error(result, doing: activity)
        sqlite3_reset(statement)
        if let failure { throw failure }
    }

    /// After some errors SQLite has rolled back by itself.
    func rollBack() {
        guard sqlite3_get_autocommit(handle) == 0 else { return }
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Ends `body`'s statements with an error of kind `interrupted` once `span` is over.
    package func withTimeLimit<R>(_ span: Duration, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        let deadline = Unmanaged.passRetained(Deadline(in: span))
        sqlite3_progress_handler(
            handle, 1000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            }, deadline.toOpaque())
        defer {
            sqlite3_progress_handler(handle, 0, nil, nil)
            deadline.release()
        }
        return try body()
    }

    /// Rows changed by the last statement.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    func error(_ result: Int32, doing activity: String) -> StoreError {
        Self.error(of: handle, result: result, doing: activity)
    }

    private static func error(of handle: OpaquePointer, result: Int32, doing activity: String) -> StoreError {
        let extended = sqlite3_extended_errcode(handle)
        return StoreError(
            result: extended & 0xFF == result & 0xFF ? extended : result,
            systemError: sqlite3_system_errno(handle), activity: activity,
            detail: String(cString: sqlite3_errmsg(handle)))
    }

    /// For the path part of a `file:` name.
    private static func percentEncoded(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"): text += "%25"
            case UInt8(ascii: "?"): text += "%3f"
            case UInt8(ascii: "#"): text += "%23"
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }
}

extension Database {
    /// Pages in the write-ahead log after the last commit of this connection.
    package var walPages: Int { walPageCount.pages }

    /// Counts the pages of the log from now on. SQLite's own check-points after a commit end with this.
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<WALPageCount>.fromOpaque(context).takeUnretainedValue().pages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(walPageCount).toOpaque())
    }

    /// Copies pages of the log into the database file as far as readers allow; `truncating` waits for them and empties
    /// the log.
    func checkpoint(truncating: Bool) throws(StoreError) -> Checkpoint {
        var inLog: Int32 = 0
        var done: Int32 = 0
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let result = sqlite3_wal_checkpoint_v2(handle, nil, mode, &inLog, &done)
        guard result == SQLITE_OK else { throw error(result, doing: "check-pointing the journal") }
        let outcome = Checkpoint(pagesInLog: max(0, Int(inLog)), pagesDone: max(0, Int(done)))
        walPageCount.pages = outcome.isComplete ? 0 : outcome.pagesInLog
        return outcome
    }

    /// A consistent copy of the whole database, the write-ahead log included.
    func serialized() throws(StoreError) -> [UInt8] {
        var size: sqlite3_int64 = 0
        guard let memory = sqlite3_serialize(handle, "main", &size, 0) else {
            throw StoreError(
                kind: .other, code: SQLITE_NOMEM, activity: "copying \(path)", detail: "no copy could be made")
        }
        defer { sqlite3_free(memory) }
        return [UInt8](UnsafeBufferPointer(start: memory, count: Int(size)))
    }
}

/// What a check-point achieved.
package struct Checkpoint: Codable, Equatable, Sendable {
    package var pagesInLog: Int
    package var pagesDone: Int
    /// Whether the next commit can begin the log anew.
    package var isComplete: Bool { pagesDone >= pagesInLog }
}

/// Written by the hook of one connection on that connection's thread.
private final class WALPageCount {
    var pages = 0
}

/// A point on the monotonic clock.
final class Deadline {
    private let end: Int64

    init(in span: Duration) {
        let (sum, overflow) = Self.now().addingReportingOverflow(span.nanoseconds)
        end = overflow ? .max : sum
    }

    var isOver: Bool { Self.now() >= end }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
