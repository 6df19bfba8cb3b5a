import Glibc
import Platform

/// Lines from standard input: typed at a terminal, or through a pipe. Confined to the loop's thread.
final class DemoKeyboard {
    /// Nothing comes any more.
    private(set) var hasEnded = false
    private var lines: [String] = []
    private var splitter = PhoneLineSplitter()
    private var watch: Watch?
    private let loop: EventLoop
    /// Of a file, which is read at once.
    private static let longest = 64 * 1024

    init(on loop: EventLoop) {
        self.loop = loop
        do throws(SystemError) {
            watch = try loop.watch(STDIN_FILENO, for: .read) { [weak self] _ in
                self?.read()
                loop.stop()
            }
        } catch {
            var rounds = Self.longest / 4096
            // No poll tells of files; anything else is no input.
            while error.number == EPERM, !hasEnded, rounds > 0 {
                read()
                rounds -= 1
            }
            hasEnded = true
        }
    }

    var hasLine: Bool { !lines.isEmpty }

    /// The oldest line that nobody has taken.
    func takeLine() -> String? { lines.isEmpty ? nil : lines.removeFirst() }

    /// What came before a question is no answer to it.
    func forget() { lines = [] }

    func close() {
        watch?.cancel()
        watch = nil
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 {
            lines += splitter.add(Array(buffer.prefix(count)))
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            if let rest = splitter.finish() { lines.append(rest) }
            hasEnded = true
            close()
        }
    }
}
