import CSQLite

/// A prepared statement: bind all parameters (numbered from 1), then `run` or `step`; columns are numbered from 0.
package final class Statement {
    private let handle: OpaquePointer
    private let database: Database
    private let activity: String

    init(handle: OpaquePointer, database: Database, activity: String) {
        self.handle = handle
        self.database = database
        self.activity = activity
    }

    deinit { sqlite3_finalize(handle) }

    /// Tells SQLite to copy the bytes; the header's macro is a cast that Swift cannot see.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    package func bind(_ index: Int32, _ value: Int64?) {
        if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
    }

    package func bind(_ index: Int32, _ value: Int?) { bind(index, value.map(Int64.init)) }

    package func bind(_ index: Int32, _ value: String?) {
        guard let value else {
            sqlite3_bind_null(handle, index)
            return
        }
        sqlite3_bind_text(handle, index, value, Int32(clamping: value.utf8.count), Self.transient)
    }

    package func bind(_ index: Int32, _ value: [UInt8]) {
        // An empty array has no address, which SQLite would take for NULL.
        guard !value.isEmpty else {
            sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        sqlite3_bind_blob(handle, index, value, Int32(clamping: value.count), Self.transient)
    }

    /// True with a row to read; false when there are no more, and then it is ready for the next use.
    package func step() throws(StoreError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        case let result:
            let error = database.error(result, doing: activity)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Carries it out, passing over any rows.
    package func run() throws(StoreError) {
        while try step() {}
    }

    /// Ends reading before the last row.
    package func reset() { sqlite3_reset(handle) }

    /// nil for NULL and for everything that is not stored as an integer.
    package func integer(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_INTEGER ? sqlite3_column_int64(handle, column) : nil
    }

    /// nil for NULL and for everything that is not stored as text; invalid UTF-8 is repaired.
    package func text(_ column: Int32) -> String? {
        guard sqlite3_column_type(handle, column) == SQLITE_TEXT, let bytes = sqlite3_column_text(handle, column)
        else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// nil for NULL and for everything that is not stored as bytes.
    package func bytes(_ column: Int32) -> [UInt8]? {
        guard sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
}
