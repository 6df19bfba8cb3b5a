import CommandKit
import Companion
import Glibc
import Platform
import Simulators

/// The virtual phone on a terminal: state on top, log below, keys. Confined to the loop's thread.
final class PhoneScreen {
    private var before = termios()
    private var isOpen = false
    private var shown: [String] = []
    private let output = Console(program: "howalarming-lab")

    static let keys =
        "a away  s stay  d disarm  f fire  m ambulance  p police  y sync  e seen  o offline/online  q quit"

    /// nil when standard input or output is no terminal.
    init?() {
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDOUT_FILENO),
            tcgetattr(STDIN_FILENO, &before) == 0
        else { return nil }
        var raw = before
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else { return nil }
        isOpen = true
        output.write("\u{1B}[?1049h\u{1B}[2J\u{1B}[H\u{1B}[?25l")
    }

    /// What a key means.
    static func word(for key: UInt8, isOnline: Bool) -> PhoneWord? {
        switch Character(Unicode.Scalar(key)) {
        case "a": .command(.arm(partition: 1, mode: .away, force: false))
        case "s": .command(.arm(partition: 1, mode: .stay, force: false))
        case "d": .command(.disarm(partition: 1))
        case "f": .command(.panic(.fire))
        case "m": .command(.panic(.ambulance))
        case "p": .command(.panic(.police))
        case "y": .sync
        case "e": .seen
        case "o": isOnline ? .offline : .online
        case "q": .quit
        case _: nil
        }
    }

    func show(_ memory: PhoneMemory?, news: [String], title: String, at time: PhoneTime) {
        let size = Terminal.size(STDOUT_FILENO) ?? Terminal.Size(columns: 80, rows: 24)
        var top = [title]
        if let memory {
            top += PhoneText.state(memory, at: time)
            top.append(PhoneText.contact(memory))
            top += memory.commands.suffix(2).map { PhoneText.command($0) }
        }
        let bottom = news.suffix(3) + [Self.keys]
        let room = max(0, size.rows - top.count - bottom.count - 2)
        let rows = (memory?.log.rows ?? []).suffix(room).map { PhoneText.row($0) }
        let filler = [String](repeating: "", count: room - rows.count)
        let rule = String(repeating: "-", count: size.columns)
        let lines = (top + [rule] + rows + filler + [rule] + bottom).map {
            Text.fitted(Text.printable($0), to: size.columns)
        }
        guard lines != shown else { return }
        shown = lines
        output.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    func leave() {
        guard isOpen else { return }
        isOpen = false
        output.write("\u{1B}[2J\u{1B}[H\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
    }
}
