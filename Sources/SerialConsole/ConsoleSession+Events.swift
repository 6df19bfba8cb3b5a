import AlarmModel
import Reports

/// One event with all that is known of it, and what the keys of a screen do.
extension ConsoleSession {
    /// Up from the end chooses the newest; down from the newest chooses none.
    mutating func select(by lines: Int) {
        let events = view.events
        let current = events.firstIndex { $0.seq == view.selectedEvent } ?? events.count
        let next = max(0, current + lines)
        guard next < events.count else {
            view.selectedEvent = nil
            return scroll = 0
        }
        view.selectedEvent = events[next].seq
        // It stays in sight.
        let fromEnd = events.count - 1 - next
        scroll = min(max(scroll, fromEnd - bodyRows + 1), fromEnd)
    }

    /// - Returns: whether there is one to show
    mutating func showSelected() -> Bool {
        guard screen == .events, let event = view.events.first(where: { $0.seq == view.selectedEvent }) else {
            return false
        }
        let text = EventText(rules: view.rules).detail(event).joined(separator: "\n")
        dialog = .outcome(text, ConsoleLine.Style(EventText.paint(event.event.type)))
        return true
    }

    var helpText: String {
        let screens = ConsoleScreen.allCases.map { "\($0.digit) \($0.title)" }.joined(separator: ", ")
        let here =
            switch screen {
            case .overview:
                "The overview: what is so now. An alarm, and that somebody was not told, stands on every screen."
            case .events: "Events: arrows choose one, Enter shows all of it. PgUp and PgDn turn pages."
            case .links: "Links: the ways to the outside and what they cost."
            case .panel: "Panel: the session with the module, and its lines as they come; codes are left out."
            case .phones: "Phones: who is told, by which channel, and when it last worked. P pairs one, F revokes one."
            case .network: "Network: addresses of this box. Nobody can connect to it."
            case .software: "Software: the version that runs, and the one before. U installs one from a USB stick."
            case .test: "Test: the box tries everything that it needs. T and X try the phones."
            case .zones: "Zones: Z bypasses one. A ? means that it was so before the link to the panel was lost."
            case .timeline: "The last day, from left to right; the hours stand on top."
            }
        return "\(here)\n\n\(screens).\nM opens the menu: arm, disarm, pair, test, backup and more. "
            + "Its letters work on every screen. Esc goes back. What changes something asks for the PIN."
    }
}
