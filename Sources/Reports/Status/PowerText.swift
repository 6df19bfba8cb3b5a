package import AlarmModel
package import ApplianceCore
import CommandKit
import PhoneProtocol

/// One picture of power: what the panel runs on, what the box runs on, and whether the board gets enough of it.
package struct PowerText {
    private let panel: SystemState
    private let ups: UPSReport?
    /// nil: this board does not say.
    private let isVoltageLow: Bool?

    package init(panel: SystemState, ups: UPSReport?, isVoltageLow: Bool?) {
        self.panel = panel
        self.ups = ups
        self.isVoltageLow = isVoltageLow
    }

    /// nil: nothing is known of it, and nobody is asked.
    package var line: String? {
        let parts = [panelPart, ups.map(upsPart), voltagePart].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// Nothing that is known is wrong.
    package var isWell: Bool {
        panel[.ac].last != .trouble && panel[.battery].last != .trouble && isVoltageLow != true
            && ups.map { !$0.isLost && $0.reading?.supply ?? .mains == .mains } ?? true
    }

    private var panelPart: String? {
        let mains = word(panel[.ac], "on mains", "WITHOUT MAINS")
        let battery = word(panel[.battery], "battery good", "battery LOW")
        guard mains != nil || battery != nil else { return nil }
        return "panel " + [mains ?? "mains unknown", battery].compactMap { $0 }.joined(separator: ", ")
    }

    private func word(_ reading: Reading<Health>, _ good: String, _ bad: String) -> String? {
        switch reading {
        case .unknown: nil
        case .known(let health): health == .ok ? good : bad
        case .stale(let health): (health == .ok ? good : bad) + "?"
        }
    }

    private func upsPart(_ ups: UPSReport) -> String {
        let problem = ups.problem.map { " (\(Text.printable($0)))" } ?? ""
        let name = "UPS \(Text.printable(ups.name))"
        guard let reading = ups.reading else { return "\(name) unknown\(problem)" }
        let supply =
            switch reading.supply {
            case .mains: "on mains"
            case .battery: "ON BATTERY"
            case .low: reading.isEnding ? "BEING SWITCHED OFF" : "BATTERY LOW"
            }
        let rest = [
            reading.charge.map { "\($0) %" }, reading.minutes.map { "\($0) min" },
        ].compactMap { $0 }
        return ([name + " " + supply + (ups.isLost ? "?" : "")] + rest).joined(separator: ", ") + problem
    }

    private var voltagePart: String? {
        switch isVoltageLow {
        case true: "this board gets TOO LITTLE VOLTAGE: use a stronger supply or a shorter cable"
        case false: "this board's voltage good"
        default: nil
        }
    }

    /// nil: there is neither a UPS nor a sensor.
    var json: JSON? {
        guard ups != nil || isVoltageLow != nil else { return nil }
        func health(_ reading: Reading<Health>) -> JSON { reading.last.map { .string($0.rawValue) } ?? .null }
        return .object([
            "panel_mains": health(panel[.ac]), "panel_battery": health(panel[.battery]),
            "ups": ups.map(Self.json) ?? .null,
            "voltage_low": isVoltageLow.map { .bool($0) } ?? .null,
        ])
    }

    private static func json(_ ups: UPSReport) -> JSON {
        .object([
            "name": .string(ups.name), "server": .string(ups.server),
            "supply": ups.reading.map { .string($0.supply.rawValue) } ?? .null,
            "charge": ups.reading?.charge.map { .integer(Int64($0)) } ?? .null,
            "minutes_left": ups.reading?.minutes.map { .integer(Int64($0)) } ?? .null,
            "last_read": ups.lastRead.map { .integer($0.seconds) } ?? .null,
            "problem": ups.problem.map { .string($0) } ?? .null, "lost": .bool(ups.isLost),
        ])
    }
}

extension StatusView {
    var power: PowerText { PowerText(panel: panel.system, ups: daemon?.ups, isVoltageLow: isVoltageLow) }
}
