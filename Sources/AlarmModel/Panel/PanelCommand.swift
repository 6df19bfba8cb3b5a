/// What a person can ask of the panel (docs/envisalink.md 5).
package enum PanelCommand: Codable, Equatable, Sendable {
    /// `force`: arm although zones are open (the panel decides whether it can).
    case arm(partition: Int, mode: ArmRequest, force: Bool)
    case disarm(partition: Int)
    /// Bypass is a toggle at the panel; the wanted state is given here.
    case bypass(zone: Int, bypassed: Bool)
    case panic(Panic)
    /// A command output (PGM) 1…4.
    case output(partition: Int, output: Int)
    case chime(partition: Int, on: Bool)
    /// Silence the bell: the panel knows no other way than its disarm command.
    case silence(partition: Int)
    /// *72: reset latched smoke detectors.
    case smokeReset(partition: Int)
    /// Set the panel's clock to the site's local time.
    case setClock
    /// Keys `0-9 * #`; treated as secret. `allowInstaller` lets `*8` through.
    case keys(partition: Int, keys: Secret, allowInstaller: Bool)
    /// Ask for a status report (001).
    case refresh
    /// Ask for the zone timers (008).
    case timers

    /// The longest key string of one order: nine seconds of typing, so that a disarm never waits long behind one.
    package static let keyLimit = 36

    package enum ArmRequest: String, Codable, Hashable, Sendable, CaseIterable {
        case away, stay
        case zeroEntry = "zero-entry"
    }

    package enum Panic: String, Codable, Hashable, Sendable, CaseIterable {
        case fire, ambulance, police
    }

    /// The plain word for logs and events; never contains a code or keys.
    package var summary: String {
        switch self {
        case .arm(let partition, let mode, let force):
            "arm \(mode.rawValue) partition \(partition)\(force ? " by force" : "")"
        case .disarm(let partition): "disarm partition \(partition)"
        case .bypass(let zone, let bypassed): "\(bypassed ? "bypass" : "unbypass") zone \(zone)"
        case .panic(let kind): "panic \(kind.rawValue)"
        case .output(let partition, let output): "output \(output) partition \(partition)"
        case .chime(let partition, let on): "chime \(on ? "on" : "off") partition \(partition)"
        case .silence(let partition): "silence partition \(partition)"
        case .smokeReset(let partition): "smoke reset partition \(partition)"
        case .setClock: "set the panel's clock"
        case .keys(let partition, _, _): "keys to partition \(partition)"
        case .refresh: "status report"
        case .timers: "zone timers"
        }
    }

    /// The partition it acts on, where it names one.
    package var partition: Int? {
        switch self {
        case .arm(let partition, _, _), .disarm(let partition), .output(let partition, _), .chime(let partition, _),
            .silence(let partition), .smokeReset(let partition), .keys(let partition, _, _):
            partition
        case .bypass, .panic, .setClock, .refresh, .timers: nil
        }
    }
}

/// A command with its name and who asked.
package struct PanelOrder: Codable, Equatable, Sendable {
    package var id: CommandID
    package var command: PanelCommand
    /// A user code given with this command; nil takes the configured one.
    package var code: Secret?
    /// Not taken by the module by then: expired.
    package var deadline: BootTime

    package init(id: CommandID, command: PanelCommand, code: Secret? = nil, deadline: BootTime) {
        self.id = id
        self.command = command
        self.code = code
        self.deadline = deadline
    }
}
