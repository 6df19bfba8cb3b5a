package import AlarmModel

/// Truth of the simulated panel: its incidents, what its partitions did, and the wrong codes.
///
/// The panel itself writes the ledger as it acts; nothing of the product's code takes part in it.
package struct IncidentLedger: Codable, Equatable, Sendable {
    /// Place at which a change was caused.
    package enum Source: String, Codable, Hashable, Sendable {
        case keypad
        /// A command of the module's client.
        case network
    }

    package enum Kind: String, Codable, Hashable, Sendable { case burglary, fire, silent, panic, medical }

    package enum End: Codable, Equatable, Sendable {
        /// A disarming of the armed partition.
        case disarmed(Attribution)
        /// A code while the partition was disarmed.
        case silenced(Attribution)
        /// The siren's time is over in a disarmed partition.
        case noLongerReported
        case armedAgain(Attribution)

        /// True if a code or a key ended it.
        package var isByPerson: Bool {
            switch self {
            case .disarmed, .silenced: true
            case .noLongerReported, .armedAgain: false
            }
        }
    }

    /// An alarm of one partition, from its first zone or key to its end.
    package struct Incident: Codable, Equatable, Sendable {
        /// Number from 1 on, in the order of the beginnings.
        package var number: Int
        package var partition: Int
        package var kind: Kind
        package var wasArmed: Bool
        package var began: BootTime
        /// In their order; empty for keys.
        package var zones: [Int] = []
        /// nil while the siren is on, and for silent alarms.
        package var sirenStopped: BootTime?
        /// nil while a zone of it is open.
        package var restored: BootTime?
        /// nil while it is open.
        package var end: End?
        package var endedAt: BootTime?

        package var isOpen: Bool { end == nil }

        /// The panel shows nothing of it any more, although nobody has ended it.
        package var isHidden: Bool { kind == .silent && !wasArmed && restored != nil && isOpen }
    }

    /// A phase that a partition enters at this time.
    package struct Change: Codable, Equatable, Sendable {
        package enum Phase: String, Codable, Hashable, Sendable { case disarmed, exitDelay, armed, entryDelay, alarm }
        package var at: BootTime
        package var partition: Int
        package var phase: Phase
        package var source: Source
        /// The exit delay ended, or an alarm ended it.
        package var isArming = false
        /// True if a person disarmed, or silenced an alarm.
        package var isDisarming = false
    }

    package struct WrongCode: Codable, Equatable, Sendable {
        package var at: BootTime
        package var partition: Int
        package var source: Source
    }

    /// Number of entries of each kind that are kept; the oldest are dropped first.
    static let limit = 1000

    /// Ascending by number.
    package private(set) var incidents: [Incident] = []
    package private(set) var changes: [Change] = []
    package private(set) var wrongCodes: [WrongCode] = []
    private var begun = 0

    package func openIncident(_ partition: Int) -> Incident? {
        incidents.last { $0.partition == partition && $0.isOpen }
    }

    /// To the module a silent alarm of a disarmed partition changes nothing at the keypads. One that ended while the module
    /// did not hear the panel has not ended for it before it hears the partition do something else.
    package func isEndUntold(_ partition: Int, deadKeybus: [ClosedRange<BootTime>]) -> Bool {
        func isUnheard(_ time: BootTime) -> Bool { deadKeybus.contains { $0.contains(time) } }
        let lastHeard = changes.last { $0.partition == partition && !isUnheard($0.at) }?.at ?? .zero
        return incidents.contains { incident in
            guard incident.partition == partition, incident.kind == .silent, !incident.wasArmed,
                let ended = incident.endedAt
            else { return false }
            return isUnheard(ended) && lastHeard < ended
        }
    }

    /// - Parameter zone: nil for a key or a smoke loop
    mutating func alarm(_ kind: Kind, _ partition: Int, zone: Int?, wasArmed: Bool, at time: BootTime) {
        if openIncident(partition) == nil {
            begun += 1
            incidents.append(
                Incident(number: begun, partition: partition, kind: kind, wasArmed: wasArmed, began: time))
            if incidents.count > Self.limit { incidents.removeFirst() }
        }
        change(partition) { incident in
            incident.sirenStopped = nil
            incident.restored = nil
            if let zone, !incident.zones.contains(zone) { incident.zones.append(zone) }
        }
    }

    mutating func sirenStopped(_ partition: Int, at time: BootTime) { change(partition) { $0.sirenStopped = time } }

    mutating func restored(_ partition: Int, at time: BootTime) { change(partition) { $0.restored = time } }

    mutating func ended(_ partition: Int, _ end: End, at time: BootTime) {
        change(partition) {
            $0.end = end
            $0.endedAt = time
        }
    }

    mutating func note(_ change: Change) {
        changes.append(change)
        if changes.count > Self.limit { changes.removeFirst() }
    }

    mutating func note(_ wrongCode: WrongCode) {
        wrongCodes.append(wrongCode)
        if wrongCodes.count > Self.limit { wrongCodes.removeFirst() }
    }

    private mutating func change(_ partition: Int, _ change: (inout Incident) -> Void) {
        guard let index = incidents.lastIndex(where: { $0.partition == partition && $0.isOpen }) else { return }
        change(&incidents[index])
    }
}

extension PanelSimulator {
    /// Truth that statements are compared with.
    package var ledger: IncidentLedger { panel.ledger }
    /// The module can see the panel, and answers no order with the error that says otherwise (502 014).
    package var isKeybusAlive: Bool { module.isKeybusAlive && (faults.busy.code != 14 || faults.busy.times == 0) }

    /// The memory light, which stands for partition 1.
    package var isMemoryLit: Bool { panel.partitions[0].hasMemory }

    /// The panel shows an alarm of this partition to anybody who asks for a status report: in its primary line, or, of
    /// partition 1, in the memory light.
    ///
    /// - Parameter isMemoryNew: no earlier alarm has lit the memory light
    package func showsAlarm(_ partition: Int, isMemoryNew: Bool) -> Bool {
        let runtime = panel.partitions[partition - 1]
        if runtime.phase == .alarm { return !runtime.isSilentAlarm }
        return partition == 1 && runtime.hasMemory && isMemoryNew
    }

    /// Zones of the partition that are open and were left out when it was armed. Zones that guard at all times, such as smoke
    /// detectors, hinder no arming.
    package func leavesZonesOpen(_ partition: Int) -> Bool {
        panel.zonesOf(partition).contains { $0.isForceArmable && panel.zones[$0.number - 1].isForced }
    }
}
