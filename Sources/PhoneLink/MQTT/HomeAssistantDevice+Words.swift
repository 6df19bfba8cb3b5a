package import AlarmModel

extension HomeAssistantDevice {
    /// What Home Assistant lists as classes of binary sensors, ascending.
    package static let deviceClasses = [
        "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door", "garage_door", "gas", "heat",
        "light", "lock", "moisture", "motion", "moving", "occupancy", "opening", "plug", "power", "presence", "problem",
        "running", "safety", "smoke", "sound", "tamper", "update", "vibration", "window",
    ]

    static func label(_ trouble: Trouble) -> String {
        switch trouble {
        case .ac: "Mains power"
        case .battery: "Panel battery"
        case .bell: "Siren circuit"
        case .phoneLine: "Phone line"
        case .failureToCommunicate: "Reports to the station"
        case .tamper: "Panel tamper"
        case .fireTrouble: "Fire detector trouble"
        case .clock: "Panel clock"
        case .service: "Service required"
        case .zoneFault: "Zone faults"
        case .zoneTamper: "Zone tampers"
        case .zoneBattery: "Zone batteries"
        case .keybus: "Wiring to the panel"
        case .fireKey: "Fire key"
        case .auxiliaryKey: "Auxiliary key"
        case .panicKey: "Panic key"
        case .smoke: "Smoke detectors on two wires"
        }
    }

    static func deviceClass(_ trouble: Trouble) -> String {
        switch trouble {
        case .ac, .bell, .phoneLine, .failureToCommunicate, .fireTrouble, .clock, .service, .zoneFault, .keybus:
            "problem"
        case .battery, .zoneBattery: "battery"
        case .tamper, .zoneTamper: "tamper"
        case .fireKey, .auxiliaryKey, .panicKey: "safety"
        case .smoke: "smoke"
        }
    }

    /// The partition in Home Assistant's words; nil: not known, or not enabled on the panel.
    package static func state(_ status: PartitionStatus) -> String? {
        switch status {
        case .disarmed, .ready, .readyForce, .notReady: "disarmed"
        case .exitDelay: "arming"
        case .armed(let mode): armed(mode)
        case .entryDelay: "pending"
        case .alarm: "triggered"
        case .notEnabled: nil
        }
    }

    private static func armed(_ mode: ArmMode?) -> String {
        switch mode {
        // Old firmware does not tell the mode.
        case .away, .zeroEntryAway, nil: "armed_away"
        case .stay: "armed_home"
        case .zeroEntryStay: "armed_night"
        }
    }
}
