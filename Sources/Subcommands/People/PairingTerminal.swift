import CommandKit
import Glibc
import Platform
import Reports

/// The terminal while a pairing is on it: the alternate screen, no echo, keys one by one.
final class PairingTerminal {
    private var before = termios()
    private var isOpen = false
    private var shown: [String] = []
    private let output = Console()

    /// nil when standard input or output is no terminal.
    init?() {
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDOUT_FILENO),
            tcgetattr(STDIN_FILENO, &before) == 0
        else { return nil }
        var raw = before
        // Without signals from keys: an interruption must not leave the code on the screen.
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else { return nil }
        isOpen = true
        output.write("\u{1B}[?1049h\u{1B}[2J\u{1B}[H\u{1B}[?25l")
    }

    /// Draws what differs from what is there.
    func show(_ screen: PairingScreen) {
        let lines = screen.lines(size: Terminal.size(STDOUT_FILENO))
        guard lines != shown else { return }
        shown = lines
        // Cleared first: to clear behind a line that fills the screen's width would take its last character.
        output.write("\u{1B}[H\u{1B}[J" + lines.joined(separator: "\r\n"))
    }

    /// Wipes the screen, gives back the old one and the keyboard.
    func leave() {
        guard isOpen else { return }
        isOpen = false
        shown = []
        output.write("\u{1B}[2J\u{1B}[H\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
    }
}

/// Standard input without waiting.
enum ReadyInput {
    /// nil at its end; empty when nothing is there now.
    static func bytes() -> [UInt8]? {
        var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 { return Array(buffer.prefix(count)) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
    }
}

/// Whether somebody wants this program to end; its signals must be blocked (`SignalSource.blockSignals`).
enum PendingSignal {
    static var wantsEnd: Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return [SIGINT, SIGTERM, SIGHUP].contains { sigismember(&pending, $0) == 1 }
    }
}
