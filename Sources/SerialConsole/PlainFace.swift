import Card
import CommandKit
import Platform
import Reports

/// A console on a terminal that only prints: pages and lines instead of a screen.
///
/// A line that is typed is a key of the screens, or the answer to a question. What is typed is shown as it is typed,
/// but for a PIN.
struct PlainFace: Equatable, Sendable {
    private var typed = ""
    /// It was begun as the answer to a question for a PIN, which may be over by now.
    private var isTypedSecret = false
    private var printed: Mark?
    private var eventsPrinted = 0
    private var tracePrinted = 0
    private var testPrinted = 0

    private struct Mark: Equatable {
        var screen: ConsoleScreen
        var visits: Int
        var dialog: ConsoleDialog?
        var daemon: ConsoleView.Daemon
        var hasStatus: Bool
        var restore: RestoreReport?
    }

    /// Whatever was printed is forgotten: it was on another terminal.
    mutating func forget() {
        typed = ""
        isTypedSecret = false
        printed = nil
    }

    /// Takes a key of the line that is typed. The line's keys for the session come at its end.
    ///
    /// - Returns: what is to be printed at once, and keys for the session; nil keys: the line goes on
    mutating func take(_ key: ConsoleKey, _ dialog: ConsoleDialog?) -> (echo: String, keys: [ConsoleKey]?) {
        let isSecret = dialog?.isSecret ?? false || isTypedSecret
        switch key {
        case .character(let character):
            guard typed.utf8.count < dialog?.longestLine ?? 64 else { return ("", nil) }
            typed.append(character)
            isTypedSecret = isSecret
            return (isSecret ? "" : String(character), nil)
        case .backspace:
            guard !typed.isEmpty else { return ("", nil) }
            typed.removeLast()
            if typed.isEmpty { isTypedSecret = false }
            return (isSecret ? "" : "\u{8} \u{8}", nil)
        case .enter:
            let line = typed
            typed = ""
            let isLate = isTypedSecret && dialog?.isSecret != true
            isTypedSecret = false
            // What was typed as a PIN is not shown, and answers no other question.
            if isLate { return ("\r\n", [.redraw]) }
            // Enter alone asks for the page again; on a list it would choose what nobody has pointed at.
            guard dialog?.takesText ?? false else {
                guard let first = line.first else { return ("\r\n", dialog == nil ? [.redraw] : [.escape]) }
                if first == "0", dialog != nil { return ("\r\n", [.escape]) }
                return ("\r\n", [.character(first)])
            }
            if line.isEmpty { return ("\r\n", [.escape]) }
            return ("\r\n", line.map { ConsoleKey.character($0) } + [.enter])
        case .interrupt, .escape:
            typed = ""
            isTypedSecret = false
            return ("\r\n", [key])
        case .redraw: return ("", [.redraw])
        case .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .cursor: return ("", nil)
        }
    }

    /// Lines that are to be printed now: a new page, or what was added to a page that grows.
    mutating func print(_ session: ConsoleSession) -> [String] {
        // Nobody wants to read a page that is out of date a moment later.
        let isSettled = session.view.daemon != .connecting && (session.view.status != nil || !session.view.isDaemonHere)
        guard isSettled || session.dialog != nil else { return [] }
        let mark = Mark(
            screen: session.screen, visits: session.visits, dialog: session.dialog?.mark, daemon: session.view.daemon,
            hasStatus: session.view.status != nil, restore: session.view.machine.restore)
        guard mark != printed else { return news(session) }
        printed = mark
        eventsPrinted = session.view.eventsTaken
        tracePrinted = session.view.traceTaken
        testPrinted = session.view.selfTest.count
        return [""] + Self.page(session) + [Self.prompt(session)]
    }

    static func page(_ session: ConsoleSession) -> [String] {
        let width = session.size.columns
        var lines = ["== \(session.title) =="] + session.banner.map(\.text)
        if let dialog = session.dialog {
            lines += DialogText.lines(dialog, size: session.size).map(\.text)
        } else {
            let rows = max(4, session.size.rows - 6)
            let all = session.screen.lines(session.view, width: width)
            lines += (session.screen.showsEnd ? all.suffix(rows) : all.prefix(rows)).map(\.text)
        }
        return lines.map { Text.trimmed(Text.fitted($0, to: width)) }
    }

    static func prompt(_ session: ConsoleSession) -> String {
        let width = session.size.columns
        let text: String
        switch session.dialog {
        case nil:
            let screens = ConsoleScreen.allCases.map { "\($0.digit) \($0.title)" }.joined(separator: ", ")
            text = "\(screens), m Menu, ? help. Number or letter, then Enter:"
        case .choice: text = "Key, then Enter; 0 goes back:"
        case .confirm: text = "y or n, then Enter:"
        case .entry: text = "Enter alone goes back:"
        case .working: text = "waiting …"
        case .outcome: text = "Enter goes on:"
        case .pairing(let screen): text = screen.isAwaitingDigits ? "Enter alone ends it:" : "0 and Enter ends it:"
        }
        return Text.wrapped(text, width: width).map { Text.fitted($0, to: width) }.joined(separator: "\r\n")
    }

    /// More came than is kept.
    private static func leftOut(_ new: Int, of kept: Int) -> [String] {
        new > kept ? ["(\(Text.count(new - kept, "line")) left out: they came faster than this line carries)"] : []
    }

    /// While nobody types, a page of events or of the trace goes on.
    private mutating func news(_ session: ConsoleSession) -> [String] {
        guard session.dialog == nil, typed.isEmpty else { return [] }
        let view = session.view
        switch session.screen {
        case .events:
            let new = view.eventsTaken - eventsPrinted
            eventsPrinted = view.eventsTaken
            return Self.leftOut(new, of: view.events.count)
                + view.events.suffix(max(0, new)).map { EventsScreen.line($0, view, session.size.columns).text }
        case .panel:
            let new = view.traceTaken - tracePrinted
            tracePrinted = view.traceTaken
            return Self.leftOut(new, of: view.trace.count)
                + view.trace.suffix(max(0, new)).map { Text.fitted($0, to: session.size.columns) }
        case .test:
            let new = view.selfTest.count - testPrinted
            testPrinted = view.selfTest.count
            return SelfTestScreen(view: view, width: session.size.columns).lines(of: view.selfTest.suffix(max(0, new)))
                .map(\.text)
        case .overview, .links, .phones, .network, .software, .zones, .timeline: return []
        }
    }
}
