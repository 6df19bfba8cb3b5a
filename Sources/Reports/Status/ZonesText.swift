package import AlarmModel
package import CommandKit

/// Zones, one a line, as `zones` and the console show them. A ? behind a word: it was so before the link to the panel
/// was lost.
package enum ZonesText {
    package struct Row: Equatable, Sendable {
        package var text: String
        package var paint: Paint?
    }

    /// A module reports 64 zones whatever is wired to it: those with a name, and others that are open or in alarm.
    package static func shown(_ zones: [ZoneState], isAll: Bool = false) -> [ZoneState] {
        zones.filter { isAll || $0.name != nil || $0.open.last == true || $0.alarm.last == true }
    }

    package static func row(_ zone: ZoneState) -> Row {
        let name = Text.cell(Text.printable(zone.name ?? ""), 24)
        let text = Text.trimmed("\(Text.rightAligned("\(zone.number)", to: 3))  \(name) \(words(zone))")
        return Row(text: text, paint: paint(zone))
    }

    private static func paint(_ zone: ZoneState) -> Paint? {
        if zone.alarm.last == true { return .red }
        let isWorthALook = [zone.open, zone.bypassed, zone.tamper, zone.fault, zone.lowBattery].contains {
            $0.last == true
        }
        return isWorthALook ? .yellow : nil
    }

    private static func words(_ zone: ZoneState) -> String {
        var words = [word(zone.open, "open", "closed")]
        func add(_ reading: Reading<Bool>, _ text: String) {
            if reading.last == true { words.append(text + (reading.current == nil ? "?" : "")) }
        }
        add(zone.alarm, "IN ALARM")
        add(zone.bypassed, "bypassed")
        add(zone.tamper, "tampered")
        add(zone.fault, "faulty")
        add(zone.lowBattery, "low battery")
        return words.joined(separator: ", ")
    }

    private static func word(_ reading: Reading<Bool>, _ yes: String, _ no: String) -> String {
        switch reading {
        case .unknown: "unknown"
        case .known(let value): value ? yes : no
        case .stale(let value): (value ? yes : no) + "?"
        }
    }
}
