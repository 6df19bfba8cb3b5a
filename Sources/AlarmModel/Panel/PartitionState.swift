package enum ArmMode: String, Codable, Hashable, Sendable, CaseIterable {
    case away, stay
    case zeroEntryAway = "zero-entry-away"
    case zeroEntryStay = "zero-entry-stay"
}

/// What a partition is doing: the last of the panel's primary lines (docs/envisalink.md 4.1).
package enum PartitionStatus: Codable, Equatable, Sendable {
    /// 655: disarmed, readiness not told yet.
    case disarmed
    /// 650
    case ready
    /// 653: zones are open, arming would force them.
    case readyForce
    /// 651
    case notReady
    /// 656; the mode is the one asked for, where it is known.
    case exitDelay(ArmMode?)
    /// 652; old firmware does not tell the mode.
    case armed(ArmMode?)
    /// 657; the mode the partition was armed in.
    case entryDelay(ArmMode?)
    /// 654 or 601; the mode the partition was armed in, nil when it was disarmed or nobody told us.
    case alarm(ArmMode?)
    /// 673 as the only thing ever said: not enabled on this panel.
    case notEnabled

    private enum CodingKeys: String, CodingKey {
        case disarmed = "disarmed", ready = "ready", readyForce = "readyForce", notReady = "notReady",
            exitDelay = "exitDelay", armed = "armed", entryDelay = "entryDelay", alarm = "alarm",
            notEnabled = "notEnabled"
    }

    package var isArmed: Bool {
        switch self {
        case .armed, .entryDelay: true
        case .alarm(let mode): mode != nil
        case .disarmed, .ready, .readyForce, .notReady, .exitDelay, .notEnabled: false
        }
    }

    /// Armed, in exit or entry delay, or in alarm: who cuts something off now may be a burglar.
    package var isGuarded: Bool {
        switch self {
        case .exitDelay, .armed, .entryDelay, .alarm: true
        case .disarmed, .ready, .readyForce, .notReady, .notEnabled: false
        }
    }

    /// The mode it is, or is about to be, armed in.
    package var mode: ArmMode? {
        switch self {
        case .exitDelay(let mode), .armed(let mode), .entryDelay(let mode), .alarm(let mode): mode
        case .disarmed, .ready, .readyForce, .notReady, .notEnabled: nil
        }
    }

    package var isAlarm: Bool {
        if case .alarm = self { true } else { false }
    }

    package var isDisarmed: Bool {
        switch self {
        case .disarmed, .ready, .readyForce, .notReady: true
        case .exitDelay, .armed, .entryDelay, .alarm, .notEnabled: false
        }
    }
}

/// Who armed or disarmed a partition last, as far as the panel told (700, 701, 750, 751).
package enum Attribution: Codable, Equatable, Sendable {
    /// 700/750: a user number of the panel.
    case user(Int)
    /// 701/751: quick arm, auto arm, key switch, DLS, wireless key.
    case special

    private enum CodingKeys: String, CodingKey {
        case user = "user", special = "special"
    }
}

package struct PartitionState: Codable, Equatable, Sendable {
    package let number: Int
    package var name: String?
    package var status: Reading<PartitionStatus> = .unknown
    /// 673: somebody works at a keypad; ends with the next primary line.
    package var isBusy = false
    /// 674: auto-arming is about to arm.
    package var isAutoArming = false
    /// An alarm happened since the partition was last armed.
    package var hasAlarmMemory = false
    /// The last alarm, open or ended; nil if the appliance knows of none.
    package var incident: Incident?
    /// 840/841: the trouble LED.
    package var trouble: Reading<Bool> = .unknown
    /// 663/664; no query exists, so unknown until the panel says.
    package var chime: Reading<Bool> = .unknown
    /// 702: armed with bypassed zones.
    package var isArmedWithBypass = false
    package var lastChangedBy: Attribution?
    package var lastChangedByName: String?
    /// Time of the line that named `lastChangedBy`; nil in states of older versions.
    package var lastChangedAt: WallTime?
    /// Zones that stood open as the partition was armed away, ascending; nil while there are none.
    package var openAtArming: [Int]?

    private enum CodingKeys: String, CodingKey {
        case number = "number", name = "name", status = "status", isBusy = "isBusy",
            isAutoArming = "isAutoArming", hasAlarmMemory = "hasAlarmMemory", incident = "incident",
            trouble = "trouble", chime = "chime",
            isArmedWithBypass = "isArmedWithBypass", lastChangedBy = "lastChangedBy",
            lastChangedByName = "lastChangedByName", lastChangedAt = "lastChangedAt", openAtArming = "openAtArming"
    }

    package init(number: Int, name: String? = nil) {
        self.number = number
        self.name = name
    }

    /// The incident that nobody has ended; nil if there is none.
    package var openIncident: Incident? { incident.flatMap { $0.isOpen ? $0 : nil } }

    /// An incident is open. A state of an older version may show an alarm without its record.
    package var isInAlarm: Bool {
        guard let incident else { return status.last?.isAlarm ?? false }
        return incident.isOpen
    }

    /// The status that people see: `alarm` while an incident is open, whatever siren and doors do. Commands read `status`.
    package var shownStatus: Reading<PartitionStatus> {
        guard isInAlarm else { return status }
        let alarm = PartitionStatus.alarm(status.last?.mode)
        switch status {
        case .known: return .known(alarm)
        case .stale, .unknown: return .stale(alarm)
        }
    }

    /// In an alarm of a partition that is not armed: a fire, a key for help. Where nobody knows, it counts as armed.
    package var isDisarmedInAlarm: Bool { openIncident?.wasArmed == false && status.last?.mode == nil }

    /// Zones of the incident that the partition's alarm memory stands for, ascending.
    package var alarmZones: [Int] {
        guard isInAlarm || hasAlarmMemory else { return [] }
        return (incident?.zones.map { $0.number } ?? []).sorted()
    }

    package mutating func age() {
        status = status.aged
        trouble = trouble.aged
        chime = chime.aged
        isBusy = false
        isAutoArming = false
    }
}

#if !hasFeature(Embedded)
    extension PartitionState {
        /// Keys of versions before the incident record.
        private enum FormerKeys: String, CodingKey {
            case alarmZones = "alarmZones", alarmSince = "alarmSince", pastAlarm = "pastAlarm"
        }

        private struct FormerAlarm: Codable {
            var since: WallTime
            var until: WallTime
            var endedBy: String?
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            number = try container.decode(Int.self, forKey: .number)
            name = try container.decodeIfPresent(String.self, forKey: .name)
            status = try container.decode(Reading<PartitionStatus>.self, forKey: .status)
            isBusy = try container.decode(Bool.self, forKey: .isBusy)
            isAutoArming = try container.decode(Bool.self, forKey: .isAutoArming)
            hasAlarmMemory = try container.decode(Bool.self, forKey: .hasAlarmMemory)
            trouble = try container.decode(Reading<Bool>.self, forKey: .trouble)
            chime = try container.decode(Reading<Bool>.self, forKey: .chime)
            isArmedWithBypass = try container.decode(Bool.self, forKey: .isArmedWithBypass)
            lastChangedBy = try container.decodeIfPresent(Attribution.self, forKey: .lastChangedBy)
            lastChangedByName = try container.decodeIfPresent(String.self, forKey: .lastChangedByName)
            lastChangedAt = try container.decodeIfPresent(WallTime.self, forKey: .lastChangedAt)
            openAtArming = try container.decodeIfPresent([Int].self, forKey: .openAtArming)
            incident = try container.decodeIfPresent(Incident.self, forKey: .incident)
            guard incident == nil else { return }
            incident = try Self.formerIncident(in: decoder.container(keyedBy: FormerKeys.self), status.last)
        }

        /// Writes the keys of versions before the incident record, too: an update that is rolled back reads this state.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var former = encoder.container(keyedBy: FormerKeys.self)
            try container.encode(number, forKey: .number)
            try container.encodeIfPresent(name, forKey: .name)
            try container.encode(status, forKey: .status)
            try container.encode(isBusy, forKey: .isBusy)
            try container.encode(isAutoArming, forKey: .isAutoArming)
            try container.encode(hasAlarmMemory, forKey: .hasAlarmMemory)
            try former.encode(alarmZones, forKey: .alarmZones)
            try former.encodeIfPresent(openIncident?.since, forKey: .alarmSince)
            if let incident, hasAlarmMemory, let end = incident.end {
                let past = FormerAlarm(since: incident.since, until: end.time, endedBy: end.person)
                try former.encode(past, forKey: .pastAlarm)
            }
            try container.encode(trouble, forKey: .trouble)
            try container.encode(chime, forKey: .chime)
            try container.encode(isArmedWithBypass, forKey: .isArmedWithBypass)
            try container.encodeIfPresent(lastChangedBy, forKey: .lastChangedBy)
            try container.encodeIfPresent(lastChangedByName, forKey: .lastChangedByName)
            try container.encodeIfPresent(lastChangedAt, forKey: .lastChangedAt)
            try container.encodeIfPresent(openAtArming, forKey: .openAtArming)
            try container.encodeIfPresent(incident, forKey: .incident)
        }

        /// Versions before the record kept an alarm only while the status was `alarm`, and the times of the last one.
        private static func formerIncident(
            in container: KeyedDecodingContainer<FormerKeys>, _ status: PartitionStatus?
        ) throws -> Incident? {
            let past = try container.decodeIfPresent(FormerAlarm.self, forKey: .pastAlarm)
            let since = try container.decodeIfPresent(WallTime.self, forKey: .alarmSince)
            guard let began = since ?? past?.since else { return nil }
            var wasArmed: Bool?
            if case .alarm(_?)? = status { wasArmed = true }
            let zones = try container.decodeIfPresent([Int].self, forKey: .alarmZones) ?? []
            var incident = Incident(since: began, wasArmed: wasArmed, zones: zones)
            incident.isShown = true
            if since == nil, let past {
                incident.end = Incident.End(.disarmed, at: past.until, person: past.endedBy)
            }
            return incident
        }
    }
#endif
