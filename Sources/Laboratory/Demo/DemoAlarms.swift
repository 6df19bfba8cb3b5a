import AlarmModel
import CommandKit

/// How long each alarm took: from what happened in the house to the journal, and to everybody who was told.
struct DemoAlarms {
    private struct Row {
        var name = ""
        var happenedAt: BootTime
        var stored: Duration?
        var phone: Duration?
        var topic: Duration?
        var browser: Duration?
    }

    private var rows: [SequenceNumber: Row] = [:]
    private(set) var happenedAt = BootTime.zero
    private static let nameWidth = 22
    private static let timeWidth = 18

    /// Something is about to happen in the house.
    mutating func happens(at now: BootTime) { happenedAt = now }

    mutating func stored(_ stored: StoredEvent, at now: BootTime) {
        guard stored.event.type == .alarm, stored.event.zone != nil else { return }
        var row = rows[stored.seq] ?? Row(happenedAt: happenedAt)
        row.name = stored.event.zoneName ?? stored.event.message
        row.stored = now - row.happenedAt
        rows[stored.seq] = row
    }

    /// A line of the phone: `event 00000001.17 alarm 601 Alarm: zone 3 …`. It may come before the box's own line.
    mutating func phoneTold(_ line: String, at now: BootTime) {
        let words = line.split(separator: " ", maxSplits: 4)
        guard words.count == 5, words[0] == "event", words[2] == EventType.alarm.rawValue, words[4].contains("zone "),
            let number = words[1].split(separator: ".").last.flatMap({ Int64($0) })
        else { return }
        let seq = SequenceNumber(number)
        var row = rows[seq] ?? Row(happenedAt: happenedAt)
        if row.phone == nil { row.phone = now - row.happenedAt }
        rows[seq] = row
    }

    /// The newest alarm is in the store app's topic.
    mutating func topicTold(at now: BootTime) {
        guard let newest = rows.keys.max(), let row = rows[newest], row.topic == nil else { return }
        rows[newest]?.topic = now - row.happenedAt
    }

    /// The demo's Firefox has the push of the newest alarm.
    mutating func browserTold(after span: Duration) {
        if let newest = rows.keys.max() { rows[newest]?.browser = span }
    }

    /// As a table; empty when there was none.
    var lines: [String] {
        guard !rows.isEmpty else { return [] }
        let hasBrowser = rows.values.contains { $0.browser != nil }
        let head = Self.line(
            "Alarm", ["stored", "Anna's phone", "Ben's store app"] + (hasBrowser ? ["your Firefox"] : []))
        return [head]
            + rows.sorted { $0.key < $1.key }.map { _, row in
                let spans = [row.stored, row.phone, row.topic] + (hasBrowser ? [row.browser] : [])
                return Self.line(row.name, spans.map { $0.map(Self.time) ?? "-" })
            }
    }

    private static func line(_ name: String, _ cells: [String]) -> String {
        "  " + Text.cell(name, nameWidth) + cells.map { Text.rightAligned($0, to: timeWidth) }.joined()
    }

    private static func time(_ span: Duration) -> String {
        span < .seconds(1) ? "\(max(1, span.milliseconds)) ms" : "\(DemoPace.seconds(span)) s"
    }
}
