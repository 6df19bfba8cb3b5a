import AlarmModel
import Glibc

/// Standard output and standard error of a command: lines go out at once, and a reader that went away is no error.
package final class Console {
    /// Whoever read the output has gone, or it cannot be written; nothing more is.
    package private(set) var isOutputGone = false
    /// Why it cannot be written, where a reader that went away is not the reason: a full disk.
    package private(set) var outputProblem: String?
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
        write(lines.joined(separator: "\n") + "\n")
    }

    /// Text as it is, for a terminal.
    package func write(_ text: String) {
        guard !isOutputGone, !Self.write(Array(text.utf8), to: output) else { return }
        isOutputGone = true
        if errno != EPIPE { outputProblem = String(cString: strerror(errno)) }
    }

    /// What a command ends with that has ended with `status`: output that could not be written is no success.
    package func status(after status: Int32) -> Int32 {
        guard let outputProblem else { return status }
        complain("the output cannot be written: \(outputProblem)")
        return status == ExitStatus.done ? ExitStatus.failed : status
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
