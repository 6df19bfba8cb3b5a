import AlarmModel
import CommandKit
import Reports

/// The house as a picture in text: a room for each partition, its zones in it.
struct DemoPicture {
    struct Line {
        var text: String
        var paint: Paint?
    }

    private static let zoneWidth = 24
    private static let zonesInLine = 3

    let lines: [Line]

    /// - Parameter panel: as the daemon knows it
    init(_ panel: PanelState) {
        lines = panel.partitions.filter { $0.name != nil }.flatMap { partition in
            Self.room(partition, panel.zones.filter { $0.partition == partition.number })
        }
    }

    private static func room(_ partition: PartitionState, _ zones: [ZoneState]) -> [Line] {
        let width = zoneWidth * zonesInLine
        let title = "─ \(partition.name ?? ""): \(PartitionText.state(partition)) "
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
        return Text.cell("\(mark) \(zone.name ?? "zone \(zone.number)")", zoneWidth)
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
