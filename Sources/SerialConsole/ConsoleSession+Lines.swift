import AlarmModel
import ApplianceCore
import CommandKit
import Platform
import Reports

/// What a console shows, as lines.
extension ConsoleSession {
    /// Rows between the two bars.
    var bodyRows: Int { max(1, size.rows - 2 - banner.count) }

    /// What stands on every screen while it is so: an alarm, and that somebody has not been told of one.
    var banner: [ConsoleLine] {
        var lines: [ConsoleLine] = []
        if let alarm = AlarmBanner.line(view.panelState, now: view.now.wall, rules: view.rules) {
            lines.append(ConsoleLine(alarm, .alarm).fitted(to: size.columns))
        }
        if let untold = UntoldText.line(view.status?.phones, now: view.now.wall, rules: view.rules) {
            lines += ConsoleLine.wrapped(untold, width: size.columns, .alarm).prefix(2)
        }
        return lines
    }

    /// The whole screen: never more lines than the terminal has rows, none wider than it.
    var lines: [ConsoleLine] {
        guard size.columns >= Self.smallest.columns, size.rows >= Self.smallest.rows else {
            let text = "This terminal shows \(size.columns) by \(size.rows) characters. The console needs 40 by 12."
            return Array(ConsoleLine.wrapped(text, width: max(1, size.columns)).prefix(max(1, size.rows)))
        }
        let body: [ConsoleLine]
        var place = ""
        if let dialog {
            body = Array(
                DialogText.lines(dialog, size: Terminal.Size(columns: size.columns, rows: bodyRows)).prefix(bodyRows))
        } else {
            let all = screen.lines(view, width: size.columns)
            let range = window(of: all.count)
            if range.count < all.count { place = " \(range.lowerBound + 1)-\(range.upperBound) of \(all.count)" }
            body = Array(all[range])
        }
        let filled = body + Array(repeating: ConsoleLine(""), count: max(0, bodyRows - body.count))
        return [bar(title + place, clock)] + banner + filled.map { $0.fitted(to: size.columns) } + [bar(hints, "")]
    }

    private func window(of count: Int) -> Range<Int> {
        let rows = bodyRows
        guard count > rows else { return 0..<count }
        let offset = min(scroll, count - rows)
        let start = screen.showsEnd ? count - rows - offset : offset
        return start..<(start + rows)
    }

    var title: String {
        let name = view.status.map { Text.printable($0.siteName) } ?? Product.name
        let state: String
        switch view.daemon {
        case .here: state = ""
        case .connecting: state = " (connecting)"
        case .away: state = " (DAEMON AWAY)"
        }
        return "\(dialog == nil ? screen.title : dialogTitle)  \(name)\(state)"
    }

    private var dialogTitle: String {
        switch dialog {
        case .choice, nil: "Menu"
        case .entry, .confirm, .working: "Order"
        case .outcome: "Message"
        case .pairing: "Pairing"
        }
    }

    private var clock: String { String(view.rules.civilTime(at: view.now.wall).text.suffix(8)) }

    private func bar(_ left: String, _ right: String) -> ConsoleLine {
        let room = size.columns - (right.isEmpty ? 0 : right.count + 1)
        return ConsoleLine(
            Text.padded(Text.fitted(left, to: room), to: size.columns - right.count) + right, .bar)
    }

    var hints: String {
        if let dialog { return DialogText.hints(dialog) }
        if size.columns < 80 { return "0-9 screens  arrows  M menu  ? help" }
        return ConsoleScreen.allCases.map { "\($0.digit) \($0.shortTitle)" }.joined(separator: " ") + " M menu"
    }
}
