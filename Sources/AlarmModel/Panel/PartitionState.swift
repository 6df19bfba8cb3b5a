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

/// An alarm that is over.
package struct PastAlarm: Codable, Equatable, Sendable {
    package var since: WallTime
    package var until: WallTime
    /// Who disarmed: named by the panel or by the command that did it; nil while nobody has told.
    package var endedBy: String?

    private enum CodingKeys: String, CodingKey {
        case since = "since", until = "until", endedBy = "endedBy"
    }

    package init(since: WallTime, until: WallTime, endedBy: String? = nil) {
        self.since = since
        self.until = until
        self.endedBy = endedBy
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
    /// Zones that were in alarm since the partition was last armed, ascending.
    package var alarmZones: [Int] = []
    package var alarmSince: WallTime?
    /// The last alarm that ended, until the partition is armed again.
    package var pastAlarm: PastAlarm?
    /// 840/841: the trouble LED.
    package var trouble: Reading<Bool> = .unknown
    /// 663/664; no query exists, so unknown until the panel says.
    package var chime: Reading<Bool> = .unknown
    /// 702: armed with bypassed zones.
    package var isArmedWithBypass = false
    package var lastChangedBy: Attribution?
    package var lastChangedByName: String?

    private enum CodingKeys: String, CodingKey {
        case number = "number", name = "name", status = "status", isBusy = "isBusy",
            isAutoArming = "isAutoArming", hasAlarmMemory = "hasAlarmMemory", alarmZones = "alarmZones",
            alarmSince = "alarmSince", pastAlarm = "pastAlarm", trouble = "trouble", chime = "chime",
            isArmedWithBypass = "isArmedWithBypass", lastChangedBy = "lastChangedBy",
            lastChangedByName = "lastChangedByName"
    }

    package init(number: Int, name: String? = nil) {
        self.number = number
        self.name = name
    }

    package mutating func age() {
        status = status.aged
        trouble = trouble.aged
        chime = chime.aged
        isBusy = false
        isAutoArming = false
    }
}
