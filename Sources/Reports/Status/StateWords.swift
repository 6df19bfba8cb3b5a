package import AlarmModel
package import CommandKit

/// A partition in words.
package enum PartitionText {
    /// `armed away`, `unknown`, `ready (stale)`, and what else there is to say of it.
    package static func state(_ partition: PartitionState) -> String {
        var text: String
        switch partition.shownStatus {
        case .unknown: text = "unknown"
        case .known(let status): text = word(status)
        case .stale(let status): text = "\(word(status)) (stale)"
        }
        if partition.isBusy { text += ", busy" }
        if partition.isAutoArming { text += ", auto-arming" }
        if partition.isArmedWithBypass { text += ", bypass" }
        if partition.openIncident?.sirenStopped != nil { text += ", siren stopped" }
        if partition.hasAlarmMemory, !partition.isInAlarm { text += ", had alarm" }
        return text
    }

    static func word(_ status: PartitionStatus) -> String {
        switch status {
        case .disarmed: "disarmed"
        case .ready: "ready"
        case .readyForce: "ready to force"
        case .notReady: "not ready"
        case .exitDelay(let mode): "exit delay" + suffix(mode)
        case .armed(let mode): "armed" + suffix(mode)
        case .entryDelay(let mode): "ENTRY DELAY" + suffix(mode)
        case .alarm(let mode): "ALARM" + suffix(mode)
        case .notEnabled: "not enabled"
        }
    }

    private static func suffix(_ mode: ArmMode?) -> String { mode.map { " \($0.rawValue)" } ?? "" }

    static func changedBy(_ partition: PartitionState) -> String {
        switch partition.lastChangedBy {
        case .user(let number): Text.printable(partition.lastChangedByName ?? "user \(number)")
        case .special: Text.printable(partition.lastChangedByName ?? "not named")
        case nil: "unknown"
        }
    }

    package static func paint(_ partition: PartitionState) -> Paint? {
        guard let status = partition.shownStatus.current else { return .yellow }
        switch status {
        case .alarm, .entryDelay: return .red
        case .armed, .exitDelay, .disarmed, .ready, .readyForce:
            return partition.trouble.last == true ? .yellow : .green
        case .notReady, .notEnabled: return nil
        }
    }

    /// The word for programs; the mode stands beside it.
    static func key(_ status: PartitionStatus) -> String {
        switch status {
        case .disarmed: "disarmed"
        case .ready: "ready"
        case .readyForce: "ready_force"
        case .notReady: "not_ready"
        case .exitDelay: "exit_delay"
        case .armed: "armed"
        case .entryDelay: "entry_delay"
        case .alarm: "alarm"
        case .notEnabled: "not_enabled"
        }
    }
}

/// A zone in words.
package enum ZoneText {
    package static func name(_ zone: ZoneState) -> String {
        zone.name.map { "\(zone.number) \(Text.printable($0))" } ?? "\(zone.number)"
    }
}

/// A trouble in words.
package enum TroubleText {
    package static func word(_ trouble: Trouble) -> String {
        switch trouble {
        case .ac: "AC power"
        case .battery: "panel battery"
        case .bell: "bell circuit"
        case .phoneLine: "phone line"
        case .failureToCommunicate: "failure to communicate"
        case .tamper: "system tamper"
        case .fireTrouble: "fire detector trouble"
        case .clock: "panel clock not set"
        case .service: "service required"
        case .zoneFault: "zone fault"
        case .zoneTamper: "zone tamper"
        case .zoneBattery: "zone battery"
        case .keybus: "keybus down"
        case .fireKey: "fire key"
        case .auxiliaryKey: "auxiliary key"
        case .panicKey: "panic key"
        case .smoke: "smoke"
        }
    }
}
