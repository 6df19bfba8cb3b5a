import CommandKit
import Platform
import Reports

/// A dialog as lines, and what its keys are.
enum DialogText {
    static func lines(_ dialog: ConsoleDialog, size: Terminal.Size) -> [ConsoleLine] {
        let width = size.columns
        switch dialog {
        case .choice(let choice):
            let lines = choice.items.enumerated().map { index, item in
                let line = " \(item.key)  \(item.label)"
                return ConsoleLine(line, index == choice.selected ? .bar : .plain).fitted(to: width)
            }
            let head = ConsoleLine.wrapped(choice.title, width: width) + [ConsoleLine("")]
            // What is chosen stays in sight; a terminal that prints has all of it.
            let rows = max(1, size.rows - head.count)
            let first = max(0, min(choice.selected - rows + 1, lines.count - rows))
            return head + lines.dropFirst(first)
        case .entry(let entry):
            var lines = ConsoleLine.wrapped(entry.purpose.label, width: width)
            // Not even how many digits there are is shown, but that keys arrive.
            let secret = entry.typed.isEmpty ? "_" : "(not shown)"
            lines.append(ConsoleLine("> \(entry.purpose.isSecret ? secret : "\(entry.typed)_")").fitted(to: width))
            if let remark = entry.remark {
                lines += [ConsoleLine("")] + ConsoleLine.wrapped(remark, width: width, .yellow)
            }
            return lines
        case .confirm(let act):
            return ConsoleLine.wrapped(act.question ?? "", width: width, .yellow) + [
                ConsoleLine(""), ConsoleLine(" y  yes"), ConsoleLine(" n  no"),
            ]
        case .working(let text): return ConsoleLine.wrapped(text, width: width)
        case .outcome(let text, let style):
            return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
                line.isEmpty ? [ConsoleLine("")] : ConsoleLine.wrapped(String(line), width: width, style)
            }
        case .pairing(let screen): return pairing(screen, size)
        }
    }

    private static func pairing(_ screen: PairingScreen, _ size: Terminal.Size) -> [ConsoleLine] {
        let lines = screen.lines(size: size, painted: false)
        let width = screen.picture.map(\.count).max() ?? 0
        return lines.enumerated().map { row, line in
            guard width > 0, row < screen.picture.count, line.hasPrefix(Text.trimmed(screen.picture[row])) else {
                return ConsoleLine(line)
            }
            let padded = Text.padded(line, to: width)
            return ConsoleLine([
                ConsoleLine.Piece(text: String(padded.prefix(width)), style: .picture),
                ConsoleLine.Piece(text: String(padded.dropFirst(width)), style: .plain),
            ])
        }
    }

    static func hints(_ dialog: ConsoleDialog) -> String {
        switch dialog {
        case .choice: "Arrows Enter or a key chooses, Esc back"
        case .entry: "Enter takes it, Esc back"
        case .confirm: "Y yes  N no"
        case .working: "Esc stops waiting"
        case .outcome: "Enter or Esc goes on"
        case .pairing: "Esc ends the pairing"
        }
    }
}
