package import AlarmModel
import Glibc

/// Writes log entries to standard error: with the level in front for the journal, with the time for people. Where
/// standard error leads into the journal and its own socket is there, to that one, with fields of their own.
/// Never waits: a reader that does not keep up loses lines, and is told how many.
package final class LogWriter {
    package enum Form: Equatable, Sendable {
        /// `<4>message key=value`; the journal has the time itself.
        case journal
        /// `2025-03-01 12:00:00 warning: message key=value`, in the machine's time zone.
        case people
    }

    /// Entries above this level are left out.
    package var level: LogEntry.Level
    private let descriptor: Int32
    private let form: Form
    private let journal: JournalSocket?
    private var dropped = 0
    /// What a pipe takes whole.
    private static let longest = 4096

    /// - Parameters:
    ///   - form: nil: the journal's when standard error leads there
    ///   - journal: where the journal takes datagrams; nil: its usual place, when standard error leads there
    package init(
        level: LogEntry.Level = .info, form: Form? = nil, descriptor: Int32 = STDERR_FILENO,
        journal: String? = nil
    ) {
        self.level = level
        self.descriptor = descriptor
        self.form = form ?? (Self.isJournal(descriptor) ? .journal : .people)
        let place = journal ?? (form == nil && self.form == .journal ? JournalSocket.path : nil)
        self.journal = place.flatMap { JournalSocket(path: $0) }
    }

    package func write(_ entry: LogEntry, at time: WallTime = SystemClock.wallTime()) {
        guard entry.level <= level else { return }
        if dropped > 0 {
            let note = LogEntry(.warning, "log lines were dropped", [LogEntry.Field("count", String(dropped))])
            guard put(note, at: time) else {
                dropped += 1
                return
            }
            dropped = 0
        }
        if !put(entry, at: time) { dropped += 1 }
    }

    private func put(_ entry: LogEntry, at time: WallTime) -> Bool {
        let line = Self.line(entry, at: time, form: form)
        guard let journal else { return put(line) }
        switch journal.write(entry, text: Self.text(entry)) {
        case .taken: return true
        case .full: return false
        case .gone: return put(line)
        }
    }

    /// One line, without its end.
    package static func line(_ entry: LogEntry, at time: WallTime, form: Form) -> String {
        let front =
            switch form {
            case .journal: "<\(entry.level.rawValue)>"
            case .people: "\(stamp(time)) \(word(entry.level)): "
            }
        return front + text(entry)
    }

    private static func text(_ entry: LogEntry) -> String {
        clean(entry.message) + entry.fields.map { " \($0.key)=\(quoted($0.value))" }.joined()
    }

    private func put(_ line: String) -> Bool {
        let bytes = Array(line.utf8.prefix(Self.longest - 1)) + [UInt8(ascii: "\n")]
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return false }
        return uninterrupted { Glibc.write(descriptor, bytes, bytes.count) } == bytes.count
    }

    private static func isJournal(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard let text = getenv("JOURNAL_STREAM"), fstat(descriptor, &status) == 0 else { return false }
        return String(cString: text) == "\(status.st_dev):\(status.st_ino)"
    }

    private static func stamp(_ time: WallTime) -> String {
        var seconds = time_t(time.seconds)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "-" }
        let day = "\((parts.tm_year + 1900).padded(4))-\((parts.tm_mon + 1).padded())-\(parts.tm_mday.padded())"
        return "\(day) \(parts.tm_hour.padded()):\(parts.tm_min.padded()):\(parts.tm_sec.padded())"
    }

    private static func word(_ level: LogEntry.Level) -> String {
        switch level {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") }
        guard !isPlain else { return clean(value) }
        return "\"" + clean(value).map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }

    /// A peer's bytes must not start a new line nor command a terminal.
    private static func clean(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { isControl($0) ? "\\x" + $0.value.padded(radix: 16) : String($0) }.joined()
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
