package import AlarmModel
package import CommandKit
import PhoneProtocol

/// Events as `events` prints them.
package struct EventText {
    var rules: TimeZoneRules
    var colours = false

    package init(rules: TimeZoneRules, colours: Bool = false) {
        self.rules = rules
        self.colours = colours
    }

    /// `2026-11-21 06:05:04       12  alarm     Alarm: Kitchen window`; a `?` behind the time: the clock was not trusted.
    package func line(_ stored: StoredEvent) -> String { line(stored.event, number: "\(stored.seq.number)") }

    /// An alarm that is not stored yet has no number.
    package func line(unstored event: Event) -> String { line(event, number: "-") }

    private func line(_ event: Event, number: String) -> String {
        let time = rules.civilTime(at: event.time).text + (event.isTimeTrusted ? " " : "?")
        var message = Text.printable(event.message)
        let remarks = remarks(event)
        if !remarks.isEmpty { message += " [\(remarks.joined(separator: ", "))]" }
        let rest = Text.padded(event.type.rawValue, to: 8) + "  " + message
        return "\(time)\(Text.rightAligned(number, to: 8))  "
            + Paint.painted(rest, Self.paint(event.type), isOn: colours)
    }

    /// Everything that is known of one event, in lines of any length.
    package func detail(_ stored: StoredEvent) -> [String] {
        let event = stored.event
        let clock = event.isTimeTrusted ? "" : ", by a clock that was not trusted"
        var lines = [
            Text.printable(event.message), "",
            "Number: \(stored.seq.number)", "Time: \(rules.civilTime(at: event.time).text)\(clock)",
            "Kind: \(event.type.rawValue)",
        ]
        func add(_ label: String, _ number: Int?, _ name: String?) {
            guard let number else { return }
            lines.append("\(label): \(number)" + (name.map { ", \(Text.printable($0))" } ?? ""))
        }
        add("Partition", event.partition, event.partitionName)
        add("Zone", event.zone, event.zoneName)
        add("User", event.user, event.userName)
        let isOwn = EventCode(rawValue: event.code) != nil
        lines.append(isOwn ? "From the box: \(event.code)" : "From the panel: \(Text.printable(event.raw))")
        let remarks = remarks(event)
        if !remarks.isEmpty { lines.append("Besides: \(remarks.joined(separator: ", "))") }
        return lines
    }

    private func remarks(_ event: Event) -> [String] {
        var remarks: [String] = []
        if event.flags.contains(.whileAway) { remarks.append("while away") }
        if event.flags.contains(.maintenance) { remarks.append("maintenance") }
        if let count = event.flapCount { remarks.append("\(count) times in a minute") }
        if let mark = event.unstored { remarks.append("sent as \(Text.printable(mark.text))") }
        return remarks
    }

    package static func paint(_ type: EventType) -> Paint? {
        switch type {
        case .alarm: .red
        case .fault: .yellow
        case .armed: .green
        case .disarmed, .command, .info, .response, .recovery, .unknown: nil
        }
    }

    package static func json(_ stored: StoredEvent) -> String { EventRecord(stored).json.text }

    /// The same object; `seq` is null, because the event is not stored yet. Its row repeats `u`.
    package static func json(unstored event: Event) -> String {
        let record = EventRecord(StoredEvent(seq: .zero, event: event)).json
        guard case .object(let members) = record else { return record.text }
        return JSON.object(
            members.map { $0.key == "seq" ? JSON.Member(key: "seq", value: .null) : $0 }
        ).text
    }
}
