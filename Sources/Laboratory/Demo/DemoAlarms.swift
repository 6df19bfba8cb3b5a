import AlarmModel
import CommandKit

/// Time from what happened in the house until each alarm was seen, by each that the demo looks at.
struct DemoAlarms {
    enum Observer: Sendable, CaseIterable {
        /// Who reads the journal at the box.
        case reader
        case anna, ben, browser
    }

    private struct Row {
        var zone: String
        var happenedAt: BootTime
        var spans: [Observer: Duration] = [:]

        /// The box stores an alarm before it sends it: the first sight of it is the latest time of the commit.
        var storedWithin: Duration? { spans.values.min() }
    }

    private var rows: [Row] = []
    private(set) var happenedAt = BootTime.zero
    private static let nameWidth = 20
    private static let timeWidth = 14

    /// Something is about to happen in the house.
    mutating func happens(at now: BootTime) { happenedAt = now }

    /// The first sight counts. Any of them may be the first.
    mutating func seen(by observer: Observer, zone: String, at now: BootTime) {
        let index = rows.firstIndex { $0.zone == zone } ?? rows.endIndex
        if index == rows.endIndex { rows.append(Row(zone: zone, happenedAt: happenedAt)) }
        let span = now - rows[index].happenedAt
        rows[index].spans[observer] = min(span, rows[index].spans[observer] ?? span)
    }

    mutating func stored(_ event: Event, at now: BootTime) {
        if event.type == .alarm, let zone = event.zoneName { seen(by: .reader, zone: zone, at: now) }
    }

    /// A line of the phone: `event 00000001.17 alarm 601 Alarm: zone 3 Kitchen window, partition 1 Ground floor`.
    mutating func phoneLine(_ line: String, at now: BootTime) {
        let words = line.split(separator: " ", maxSplits: 7)
        guard words.count == 8, words[0] == "event", words[2] == EventType.alarm.rawValue, words[5] == "zone" else {
            return
        }
        seen(by: .anna, zone: String(words[7].prefix { $0 != "," }), at: now)
    }

    /// The demo's Firefox has the push of the newest alarm.
    mutating func browserTold(at now: BootTime) {
        if let zone = rows.last?.zone { seen(by: .browser, zone: zone, at: now) }
    }

    /// As a table; empty when there was none.
    var lines: [String] {
        guard !rows.isEmpty else { return [] }
        let hasBrowser = rows.contains { $0.spans[.browser] != nil }
        let head = Self.line(
            "Alarm", ["stored within", "Anna's phone", "Ben's app"] + (hasBrowser ? ["your Firefox"] : []))
        return [head]
            + rows.map { row in
                let spans =
                    [row.storedWithin, row.spans[.anna], row.spans[.ben]] + (hasBrowser ? [row.spans[.browser]] : [])
                return Self.line(row.zone, spans.map { $0.map(Self.time) ?? "-" })
            }
    }

    private static func line(_ name: String, _ cells: [String]) -> String {
        "  " + Text.cell(name, nameWidth) + cells.map { Text.rightAligned($0, to: timeWidth) }.joined()
    }

    private static func time(_ span: Duration) -> String {
        span < .seconds(1) ? "\(max(1, span.milliseconds)) ms" : "\(DemoPace.seconds(span)) s"
    }
}
