import AlarmModel

/// What is said of a loss that is an alarm.
struct LossWords {
    var state: PanelState
    var names: SiteNames
    /// What feeds the box; nil: nobody says it.
    var box: UPSReading?
    /// Since it was lost.
    var seconds: Int64

    func words(of kind: PanelLoss) -> String {
        let span = "\(seconds) s\(whileGuarded)"
        return switch kind {
        case .module:
            "The alarm module has not answered for \(span): it may have been cut off. Look at the house, then at the "
                + "module's power and network. Until it is back no alarm of the panel is heard."
        case .answers:
            "The alarm module has not told what the panel is doing for \(span): it may have been tampered with. Look "
                + "at the house, then at the panel and the module."
        case .keybus:
            "The alarm module has not reached the panel for \(span): its wires may have been cut. Look at the house, "
                + "then at the wires and the panel's power. Until it does no alarm of the panel is heard."
        case .power where box.isOnBattery: allPower
        case .power:
            "The panel has had neither mains nor a good battery for \(span): it will fall silent soon. Look at the "
                + "house, then at the panel's fuse and battery."
        }
    }

    private var allPower: String {
        let panel = state.system[.battery].last == .trouble ? "neither mains nor a good battery" : "no mains"
        let ups = box?.supply == .low ? "has a low battery" : "runs on its battery"
        let rest = box?.minutes.map { ", \($0) min left" } ?? ""
        return "All power is going\(whileGuarded): the panel has \(panel), and the UPS of this box \(ups)\(rest). Then "
            + "nobody is told of an alarm. Look at the house, then at its fuses."
    }

    /// " while House is armed and Workshop is in alarm"
    private var whileGuarded: String {
        let clauses = state.partitions.compactMap { partition -> String? in
            let what: String
            switch partition.shownStatus.last {
            case .exitDelay: what = "is in exit delay"
            case .armed: what = "is armed"
            case .entryDelay: what = "is in entry delay"
            case .alarm: what = "is in alarm"
            case .disarmed, .ready, .readyForce, .notReady, .notEnabled, nil: return nil
            }
            return "\(names.partition(partition.number) ?? "partition \(partition.number)") \(what)"
        }
        return clauses.isEmpty ? "" : " while \(clauses.joined(separator: " and "))"
    }
}

extension PanelLoss {
    var code: EventCode {
        switch self {
        case .module, .answers: .panelOffline
        case .keybus: .keybusLost
        case .power: .powerLost
        }
    }
}

extension UPSReading? {
    /// Not where nobody says it.
    var isOnBattery: Bool { map { $0.supply != .mains } ?? false }
}
