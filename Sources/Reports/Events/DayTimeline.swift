package import AlarmModel
import CommandKit

/// The last 24 hours as a picture of letters: when each partition was armed, when there was an alarm, when zones moved
/// and when something was wrong.
package struct DayTimeline {
    /// Oldest first.
    var events: [StoredEvent]
    /// As it is now.
    var panel: PanelState?
    var now: WallTime
    var rules: TimeZoneRules

    package struct Line: Equatable, Sendable {
        package var text: String
        package var hasAlarm = false
    }

    package init(events: [StoredEvent], panel: PanelState?, now: WallTime, rules: TimeZoneRules) {
        self.events = events
        self.panel = panel
        self.now = now
        self.rules = rules
    }

    private static let label = 8
    private static let day: Duration = .hours(24)

    /// None wider than `width`, which is at least 40.
    package func lines(width: Int) -> [Line] {
        let columns = [72, 48, 24].first { $0 + Self.label <= width } ?? 24
        var lines = [Line(text: hours(columns))]
        for partition in partitions { lines.append(armed(partition, columns)) }
        lines.append(row("Alarm", columns) { $0.contains { $0.priority == .alarm } ? "!" : nil })
        lines.append(
            row("Zones", columns) { events in
                let count = events.count { $0.zone != nil && $0.type == .info && !$0.flags.contains(.whileAway) }
                return count == 0 ? nil : count < 10 ? ":" : "#"
            })
        lines.append(row("Trouble", columns) { $0.contains { $0.type == .fault } ? "x" : nil })
        lines.append(Line(text: ""))
        lines.append(Line(text: "A armed  - disarmed  ? unknown  ! alarm"))
        lines.append(Line(text: ": zones moved  # many  x trouble"))
        if let first = events.first?.event.time, first > begin {
            lines.append(Line(text: "Known here since \(rules.civilTime(at: first).text.prefix(16))."))
        }
        return lines
    }

    private var begin: WallTime { now + (.zero - Self.day) }

    /// Each sixth hour stands over its column.
    private func hours(_ columns: Int) -> String {
        var text = Array(repeating: Character(" "), count: Self.label + columns)
        let span = Self.day.milliseconds / Int64(columns)
        for column in 0..<columns {
            let start = rules.civilTime(at: begin + .milliseconds(Int(span) * column))
            let end = rules.civilTime(at: begin + .milliseconds(Int(span) * (column + 1)))
            guard start.hour != end.hour, end.hour % 3 == 0, columns >= 48 || end.hour % 6 == 0 else { continue }
            let place = Self.label + column + 1
            guard place + 1 < text.count else { break }
            text.replaceSubrange(place...place + 1, with: end.time.prefix(2))
        }
        return Text.trimmed(String(text))
    }

    private var partitions: [PartitionState] {
        (panel?.partitions ?? []).filter { $0.status.last != .notEnabled }
    }

    private func slot(_ time: WallTime, _ columns: Int) -> Int? {
        let since = (time - begin).milliseconds
        guard since >= 0, since <= Self.day.milliseconds else { return nil }
        return min(columns - 1, Int(since * Int64(columns) / Self.day.milliseconds))
    }

    private func row(_ label: String, _ columns: Int, _ mark: ([Event]) -> Character?) -> Line {
        var slots = Array(repeating: [Event](), count: columns)
        for stored in events {
            if let slot = slot(stored.event.time, columns) { slots[slot].append(stored.event) }
        }
        let marks = slots.map { mark($0) ?? " " }
        return Line(text: Text.cell(label, Self.label) + String(marks), hasAlarm: marks.contains("!"))
    }

    /// Times at which nothing is known of the panel: before the first event, and while the box or the panel was away.
    private var unknown: [Range<WallTime>] {
        var spans: [Range<WallTime>] = []
        var since: WallTime? = begin
        // Known from the first event on, unless that one says that the panel was away until then.
        if let first = events.first, first.event.time <= begin { since = nil }
        func isKnown(from time: WallTime) {
            if let start = since, start < time { spans.append(start..<time) }
            since = nil
        }
        for event in events.map(\.event) {
            switch EventCode(rawValue: event.code) {
            case .stopped, .panelOffline, .panelRefused: since = since ?? event.time
            case .started: since = since ?? event.time
            case .panelOnline: isKnown(from: event.time)
            case _ where since == begin: isKnown(from: event.time)
            case _: break
            }
        }
        if let start = since, panel?.link != .up || events.isEmpty, start < now { spans.append(start..<now) }
        return spans
    }

    /// Armed or not, told backwards from what is so now: before it was armed it was not. What nobody knows has a `?`.
    private func armed(_ partition: PartitionState, _ columns: Int) -> Line {
        let unknown = unknown
        let span = Self.day.milliseconds / Int64(columns)
        let changes = events.map(\.event).filter {
            $0.partition == partition.number && ($0.type == .armed || $0.type == .disarmed)
                && slot($0.time, columns) != nil
        }
        var isArmed: Bool? = changes.first.map { $0.type == .disarmed } ?? partition.isArmed
        var marks: [Character] = []
        var rest = changes[...]
        for column in 0..<columns {
            while let change = rest.first, slot(change.time, columns) == column {
                isArmed = change.type == .armed
                rest.removeFirst()
            }
            let middle = begin + .milliseconds(Int(span) * column + Int(span) / 2)
            let isKnown = !unknown.contains { $0.contains(middle) }
            marks.append(isArmed.map { $0 ? "A" : "-" }.flatMap { isKnown ? $0 : nil } ?? "?")
        }
        let name = partition.name.map { Text.printable($0) } ?? "Part. \(partition.number)"
        return Line(text: Text.cell(Text.fitted(name, to: Self.label - 1), Self.label) + String(marks))
    }
}

extension PartitionState {
    fileprivate var isArmed: Bool? {
        switch status.current {
        case .armed, .exitDelay, .entryDelay: true
        // A fire alarm comes to a house that is not armed.
        case .alarm(let mode): mode.map { _ in true }
        case .ready, .readyForce, .notReady, .disarmed: false
        case .notEnabled, nil: nil
        }
    }
}
