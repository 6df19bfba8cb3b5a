import AlarmModel
import CommandKit
import Reports

/// The house as a picture in text: a room for each partition, its zones in it; and what has changed since another one.
struct DemoPicture {
    struct Line: Equatable {
        var text: String
        var paint: Paint?
    }

    private static let zoneWidth = 22
    private static let zonesInLine = 3

    let lines: [Line]
    /// A line for each part of the house, in the same order in every picture.
    private let facts: [Line]
    /// Each zone is known to be open or closed.
    let isComplete: Bool

    /// - Parameter panel: as the daemon knows it
    init(_ panel: PanelState) {
        let rooms = panel.partitions.filter { $0.name != nil }
        let zones = panel.zones.filter { zone in rooms.contains { $0.number == zone.partition } }
        lines = rooms.flatMap { room in Self.room(room, zones.filter { $0.partition == room.number }) }
        isComplete = zones.allSatisfy { $0.open.last != nil }
        let isUp = panel.link == .up
        let hasTrouble = rooms.contains { $0.trouble.last == true }
        facts =
            [Line(text: "link to the panel: \(isUp ? "up" : "down, what is known is out of date")")]
            + rooms.map { Line(text: "\($0.name ?? ""): \(Self.state($0))", paint: Self.paint($0.status.last)) }
            + zones.map(Self.fact) + [Line(text: "trouble light: \(hasTrouble ? "on" : "off")")]
    }

    func changes(since older: DemoPicture) -> [Line] {
        zip(facts, older.facts).filter { $0 != $1 }.map { new, _ in Line(text: "→ \(new.text)", paint: new.paint) }
    }

    private static func room(_ partition: PartitionState, _ zones: [ZoneState]) -> [Line] {
        let width = zoneWidth * zonesInLine
        let title = "─ \(partition.name ?? ""): \(state(partition)) "
        let paint = paint(partition.status.last)
        var lines = [
            Line(text: "┌" + title + String(repeating: "─", count: max(0, width + 1 - title.count)) + "┐", paint: paint)
        ]
        for start in stride(from: 0, to: zones.count, by: zonesInLine) {
            let row = zones[start..<min(start + zonesInLine, zones.count)]
            lines.append(
                Line(
                    text: "│ " + Text.padded(row.map(cell).joined(), to: width) + "│",
                    paint: row.contains { $0.alarm.last == true } ? .red : nil))
        }
        lines.append(Line(text: "└" + String(repeating: "─", count: width + 1) + "┘", paint: paint))
        return lines
    }

    private static func cell(_ zone: ZoneState) -> String {
        let mark =
            if zone.alarm.last == true {
                "!"
            } else if let isOpen = zone.open.last {
                isOpen ? "o" : "·"
            } else {
                "?"
            }
        return Text.cell("\(mark) \(name(zone))", zoneWidth)
    }

    private static func fact(_ zone: ZoneState) -> Line {
        if zone.alarm.last == true { return Line(text: "\(name(zone)): ALARM", paint: .red) }
        let state = zone.open.last.map { $0 ? "open" : "closed" } ?? "not known"
        return Line(text: "\(name(zone)): \(state)")
    }

    private static func name(_ zone: ZoneState) -> String { zone.name ?? "zone \(zone.number)" }

    /// Last known state. A line of its own says that the state is out of date.
    private static func state(_ partition: PartitionState) -> String {
        var partition = partition
        if let last = partition.status.last { partition.status = .known(last) }
        return PartitionText.state(partition)
    }

    private static func paint(_ status: PartitionStatus?) -> Paint? {
        switch status {
        case .alarm: .red
        case .entryDelay, .exitDelay: .yellow
        case .armed: .green
        case .disarmed, .ready, .readyForce, .notReady, .notEnabled, nil: nil
        }
    }
}
