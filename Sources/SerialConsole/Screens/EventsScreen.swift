import AlarmModel
import CommandKit
import Reports

/// The journal's newest events, oldest first; new ones appear at the end. One may be chosen.
struct EventsScreen {
    var view: ConsoleView
    var width: Int

    var lines: [ConsoleLine] {
        guard !view.events.isEmpty else { return [ConsoleLine("no events are known yet")] }
        return view.events.map { event in
            let line = Self.line(event, view, width)
            return event.seq == view.selectedEvent ? ConsoleLine(Text.padded(line.text, to: width), .bar) : line
        }
    }

    /// As `events` prints it where there is room, else the time of day and the message.
    static func line(_ stored: StoredEvent, _ view: ConsoleView, _ width: Int) -> ConsoleLine {
        let event = stored.event
        let style = ConsoleLine.Style(EventText.paint(event.type))
        guard width < 70 else { return ConsoleLine(EventText(rules: view.rules).line(stored), style).fitted(to: width) }
        let time = view.rules.civilTime(at: event.time).text
        let today = view.rules.civilTime(at: view.now.wall).text
        // The date alone for what is old: 06:05 or 11-20.
        let short = time.prefix(10) == today.prefix(10) ? time.dropFirst(11).prefix(5) : time.dropFirst(5).prefix(5)
        let text = "\(short)\(event.isTimeTrusted ? " " : "?")\(Text.printable(event.message))"
        return ConsoleLine(text, style).fitted(to: width)
    }
}
