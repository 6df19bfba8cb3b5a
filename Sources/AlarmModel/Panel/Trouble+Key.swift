extension Trouble {
    /// Its name for programs, in everything that they read: `status --json`, and the ids and states at the broker.
    package var key: String {
        switch self {
        case .ac: "ac"
        case .battery: "battery"
        case .bell: "bell"
        case .phoneLine: "phone_line"
        case .failureToCommunicate: "failure_to_communicate"
        case .tamper: "tamper"
        case .fireTrouble: "fire_trouble"
        case .clock: "clock"
        case .service: "service"
        case .zoneFault: "zone_fault"
        case .zoneTamper: "zone_tamper"
        case .zoneBattery: "zone_battery"
        case .keybus: "keybus"
        case .fireKey: "fire_key"
        case .auxiliaryKey: "auxiliary_key"
        case .panicKey: "panic_key"
        case .smoke: "smoke"
        }
    }
}
