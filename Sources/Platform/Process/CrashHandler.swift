package import AlarmModel
import CLinux
import Glibc

/// Writes down that this process crashed and says where, from inside the crash.
package enum CrashHandler {
    /// From now on a crash (SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV) appends its time and its mark to the file,
    /// says at standard error at which places of the program it happened (`tools/crash-places` has their names), and ends the
    /// process as it would have ended anyway. A file that cannot be written costs only the record.
    package static func install(recordingIn path: String) {
        let descriptor = uninterrupted { ha_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }
        // Left open for the life of the process: a crash must not need to open anything.
        ha_record_crashes(descriptor, STDERR_FILENO, "\(Product.name) \(Product.version)")
    }

    /// From now on a crash ends the process a moment later, so that the threads that only write things down can finish.
    ///
    /// - Parameter span: below a second
    package static func linger(_ span: Duration) {
        ha_linger_in_crashes(Int32(clamping: min(999, max(0, span.nanoseconds / 1_000_000))))
    }

    package struct Record: Equatable, Sendable {
        package var time: BootTime
        /// As it was set last by `mark`; 0: never.
        package var mark: Int
    }

    /// What is at work now; a crash writes it down.
    package static func mark(_ value: Int) { ha_mark_crashes(Int32(clamping: value)) }

    /// The crashes recorded in the file, oldest first; empty when there is none.
    package static func records(in path: String) -> [Record] {
        guard let bytes = try? FileReader.read(path, limit: 1 << 16) else { return [] }
        func number(_ start: Int) -> Int64 {
            bytes[start..<start + 8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
        return stride(from: 0, to: bytes.count - bytes.count % 16, by: 16).map { start in
            Record(time: BootTime(nanoseconds: number(start)), mark: Int(truncatingIfNeeded: number(start + 8)))
        }
    }
}
