import AlarmModel
import CommandKit
import Glibc
import Platform
import Simulators

/// Drives a virtual phone by words from standard input, for tests and scripts. Confined to the loop's thread.
final class PhoneWords {
    /// With the exit status: 0 at the end of the words, 1 when something was waited for in vain.
    var onEnd: ((Int32) -> Void)?
    private let shell: PhoneShell
    private let loop: EventLoop
    private let console = Console(program: "howalarming-lab")
    private var splitter = PhoneLineSplitter()
    /// Lines that wait for their turn.
    private var waiting: [String] = []
    /// Lines printed since the last wait was over.
    private var lines: [String] = []
    private var wanted: String?
    private var patience: TimerToken?
    private var watch: Watch?
    private var hasEnded = false

    private static let span = Duration.seconds(60)

    init(for shell: PhoneShell, on loop: EventLoop) {
        self.shell = shell
        self.loop = loop
    }

    /// Reads from now on; a file is read at once.
    func open() throws(SystemError) {
        shell.onLine = { [weak self] line in self?.printed(line) }
        do throws(SystemError) {
            watch = try loop.watch(STDIN_FILENO, for: .read) { [weak self] _ in self?.read() }
        } catch {
            guard error.number == EPERM else { throw error }
            loop.later { [weak self] in
                while let self, !hasEnded { read() }
            }
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 {
            for line in splitter.add(Array(buffer.prefix(count))) { take(line) }
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            if let rest = splitter.finish() { take(rest) }
            hasEnded = true
            watch?.cancel()
            watch = nil
        }
        work()
    }

    private func take(_ line: String) {
        if !line.allSatisfy(\.isWhitespace) { waiting.append(line) }
    }

    private func work() {
        while wanted == nil, !waiting.isEmpty {
            let line = waiting.removeFirst()
            guard let word = PhoneWord(line) else {
                console.print(["not understood: \(Text.printable(line)); words are \(PhoneWord.list)"])
                continue
            }
            if case .waitFor(let text) = word { wait(for: text) } else { shell.perform(word) }
        }
        if hasEnded, wanted == nil, waiting.isEmpty { onEnd?(0) }
    }

    private func wait(for text: String) {
        if let index = lines.firstIndex(where: { $0.contains(text) }) {
            lines.removeFirst(index + 1)
            return
        }
        lines = []
        wanted = text
        patience = loop.setTimer(after: Self.span) { [weak self] in
            guard let self else { return }
            console.print(["waited in vain for: \(Text.printable(text))"])
            onEnd?(1)
        }
    }

    private func printed(_ line: String) {
        console.print([Text.printable(line)])
        guard let wanted else { return lines.append(line) }
        guard line.contains(wanted) else { return }
        self.wanted = nil
        if let patience { loop.cancel(patience) }
        // What the line came with is done first.
        loop.later { [weak self] in self?.work() }
    }
}
