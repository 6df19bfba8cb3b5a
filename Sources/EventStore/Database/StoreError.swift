import CSQLite
import Glibc

/// Why the store could not do something.
package struct StoreError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    /// What a caller decides by.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// No room on the card.
        case full
        /// The file system or the file cannot be written.
        case readOnly
        /// The card or its file system failed.
        case ioError
        /// The file is not a sound database.
        case corrupt
        /// Another connection holds a lock for longer than the busy time.
        case busy
        /// There is no such file or directory.
        case missing
        /// The time limit of this call ended.
        case interrupted
        /// The store refuses these very values: another try changes nothing.
        case rejected
        case other
    }

    package var kind: Kind
    /// Primary result code of SQLite; 0 for a system call of ours.
    package var code: Int32
    /// Extended result code of SQLite.
    package var extendedCode: Int32
    /// errno where one is known, else 0.
    package var systemError: Int32
    /// What was being done: "writing events".
    package var activity: String
    /// In SQLite's or the system's words.
    package var detail: String

    package init(
        kind: Kind, code: Int32 = 0, extendedCode: Int32 = 0, systemError: Int32 = 0, activity: String, detail: String
    ) {
        self.kind = kind
        self.code = code
        self.extendedCode = extendedCode
        self.systemError = systemError
        self.activity = activity
        self.detail = detail
    }

    /// A failure of a result code of SQLite.
    init(result extendedCode: Int32, systemError: Int32, activity: String, detail: String) {
        self.init(
            kind: Self.kind(of: extendedCode, systemError: systemError), code: extendedCode & 0xFF,
            extendedCode: extendedCode, systemError: systemError, activity: activity, detail: detail)
    }

    /// A failure of a system call of ours.
    init(errno number: Int32, activity: String) {
        self.init(
            kind: Self.kind(ofSystemError: number), systemError: number, activity: activity,
            detail: String(cString: strerror(number)))
    }

    package var description: String { "\(reason); \(advice)" }

    /// The same without what to do next.
    package var reason: String {
        let numbers = code == 0 ? "errno \(systemError)" : "SQLite \(extendedCode)"
        return "\(activity): \(detail) (\(numbers))"
    }

    /// Where the words came from and what to do next.
    private var advice: String {
        switch kind {
        case .full: "the disk is full, make room on it"
        case .readOnly:
            "the state directory cannot be written, check its permissions and whether the card became read-only"
        case .ioError: "the card or disk failed, replace it soon"
        case .corrupt: "the file is damaged"
        case .busy: "another program holds the database, close it"
        case .missing: "check the path of the state directory"
        case .interrupted: "it took too long and was stopped"
        case .rejected, .other: "please report this"
        }
    }

    private static func kind(of extendedCode: Int32, systemError: Int32) -> Kind {
        switch extendedCode & 0xFF {
        case SQLITE_FULL: return .full
        case SQLITE_READONLY, SQLITE_PERM: return .readOnly
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy
        case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE: return .rejected
        case SQLITE_INTERRUPT: return .interrupted
        case SQLITE_CANTOPEN:
            let kind = kind(ofSystemError: systemError)
            return kind == .other ? .ioError : kind
        case SQLITE_IOERR:
            switch extendedCode {
            case 266, 522, 8202, 8458: return .corrupt  // read, short read, checksum, file system damaged
            default: return kind(ofSystemError: systemError) == .full ? .full : .ioError
            }
        default: return .other
        }
    }

    private static func kind(ofSystemError number: Int32) -> Kind {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: .full
        case EROFS, EACCES, EPERM: .readOnly
        case EIO, ENXIO, ENODEV: .ioError
        case ENOENT, ENOTDIR: .missing
        case EAGAIN, EBUSY: .busy
        default: .other
        }
    }
}
