import AlarmModel
import Glibc

/// Standard output and standard error of a command: lines go out at once, and a reader that went away is no error.
package final class Console {
    /// Whoever read the output has gone; nothing more is written.
    package private(set) var isOutputGone = false
    private let output: Int32
    private let errors: Int32
    private let program: String

    /// - Parameter program: whose messages these are
    package init(output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO, program: String = "howalarming") {
        self.program = program
        self.output = output
        self.errors = errors
    }

    /// A terminal, one that knows colours, and nobody set NO_COLOR.
    package var takesColours: Bool {
        isatty(output) == 1 && (Self.environment("NO_COLOR") ?? "").isEmpty && Self.environment("TERM") != "dumb"
    }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    package func print(_ lines: [String]) {
        guard !lines.isEmpty, !isOutputGone else { return }
        if !Self.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: output) { isOutputGone = true }
    }

    /// Text as it is, for a terminal.
    package func write(_ text: String) {
        if !isOutputGone, !Self.write(Array(text.utf8), to: output) { isOutputGone = true }
    }

    /// A message for people, on standard error.
    package func complain(_ text: String) { _ = Self.write(Array("\(program): \(text)\n".utf8), to: errors) }

    /// Whether somebody still reads, asked without writing: a pipe without a reader says so.
    package func noticeOutputEnd() { waitForOutputEnd(.zero) }

    /// The same, waiting for it; over at once when the reader goes.
    package func waitForOutputEnd(_ span: Duration) {
        var entry = pollfd(fd: output, events: 0, revents: 0)
        if poll(&entry, 1, Int32(clamping: span.milliseconds)) > 0, entry.revents & Int16(POLLERR) != 0 {
            isOutputGone = true
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Ctrl-C is the usual end of a command that goes on for ever.
    package static func endQuietlyOnInterrupt() {
        signal(SIGINT) { _ in _exit(0) }
    }
}
