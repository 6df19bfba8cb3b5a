/// One fact of the journal: a line of the panel or something the box itself found out.
package struct Event: Codable, Hashable, Sendable {
    /// The class shown in `events` (docs/envisalink.md 4.5).
    package var type: EventType
    /// Three digits of the TPI for a line of the panel; an `EventCode` of ours otherwise.
    package var code: String
    /// The panel's line without checksum and line end, redacted; equal to `code` for events of ours.
    package var raw: String
    /// One sentence for people, without line ends.
    package var message: String
    package var time: WallTime
    /// False when the wall clock was not trusted as this was written down.
    package var isTimeTrusted: Bool
    package var partition: Int?
    package var partitionName: String?
    package var zone: Int?
    package var zoneName: String?
    package var user: Int?
    package var userName: String?
    package var flags: EventFlags
    /// How many times the zone changed within the last minute, counted while it flaps; nil below the threshold.
    package var flapCount: Int?
    /// The command that caused this event, where one did.
    package var command: CommandID?
    /// Present on events that went out before they could be stored (docs/ARCHITECTURE.md 2, "The store fails").
    package var unstored: UnstoredMark?
    /// Of an event of ours: the link or channel that it is about; nil: it is about neither, or an older version wrote it.
    package var about: EventSubject?

    package init(
        type: EventType, code: String, raw: String, message: String, time: WallTime, isTimeTrusted: Bool,
        partition: Int? = nil, partitionName: String? = nil, zone: Int? = nil, zoneName: String? = nil,
        user: Int? = nil, userName: String? = nil, flags: EventFlags = [], flapCount: Int? = nil,
        command: CommandID? = nil, unstored: UnstoredMark? = nil, about: EventSubject? = nil
    ) {
        self.type = type
        self.code = code
        self.raw = raw
        self.message = message
        self.time = time
        self.isTimeTrusted = isTimeTrusted
        self.partition = partition
        self.partitionName = partitionName
        self.zone = zone
        self.zoneName = zoneName
        self.user = user
        self.userName = userName
        self.flags = flags
        self.flapCount = flapCount
        self.command = command
        self.unstored = unstored
        self.about = about
    }

    /// Which events go first when not all can go at once, and who is told.
    package var priority: PriorityClass {
        if flags.contains(.testAlarm) { return .alarm }
        if flags.contains(.repeats) { return .info }
        if !flags.isDisjoint(with: [.endsAlarm, .sirenStopped]) { return .fault }
        return panelNotice == nil && !isReminder ? type.priority : .state
    }

    /// A reminder, or news of the schedule that arms.
    package var isReminder: Bool {
        // Codes of the panel have three digits.
        type == .info && code.utf8.count > 3 && EventCode(rawValue: code)?.isReminder ?? false
    }

    /// Among the panel's news (`info`) that which people are told like arming; nil: it is none.
    package var panelNotice: PanelNotice? {
        guard type == .info else { return nil }
        return switch code {
        case "657": .entryDelay
        case "674": .automaticArming
        case "680": .installerMode
        case "702": .armedWithBypass
        default: nil
        }
    }
}

/// News of the panel that people want to hear as it happens (docs/envisalink.md 2.2).
package enum PanelNotice: Equatable, Sendable {
    /// Somebody has come in; an alarm follows unless he disarms.
    case entryDelay
    /// The panel is about to arm by itself.
    case automaticArming
    case installerMode
    case armedWithBypass
}

/// The HowAlarming event types.
package enum EventType: String, Codable, Hashable, Sendable, CaseIterable {
    case command, info, armed, disarmed, response, alarm, recovery, fault, unknown

    package var priority: PriorityClass {
        switch self {
        case .alarm: .alarm
        case .fault, .recovery: .fault
        case .armed, .disarmed: .state
        case .command, .info, .response, .unknown: .info
        }
    }
}

/// The order in which events leave the box (docs/ARCHITECTURE.md 5). `alarm` is never held back.
package enum PriorityClass: Int, Codable, Hashable, Comparable, Sendable, CaseIterable {
    case alarm = 0
    case fault, state, info
    package static func < (a: PriorityClass, b: PriorityClass) -> Bool { a.rawValue < b.rawValue }
}

package struct EventFlags: OptionSet, Codable, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// For contacts marked `duress` only; no local surface may show it (docs/ARCHITECTURE.md 1.6).
    package static let duress = EventFlags(rawValue: 1 << 0)
    /// Found by comparing a status report with what was known; happened at an unknown time before.
    package static let whileAway = EventFlags(rawValue: 1 << 1)
    /// Written while maintenance (test mode) was on: recorded, not notified.
    package static let maintenance = EventFlags(rawValue: 1 << 2)
    /// One of many changes of a flapping zone.
    package static let flapping = EventFlags(rawValue: 1 << 3)
    /// The event ended an incident: everybody who was notified of the alarm is notified of its end. The event's type is
    /// `disarmed` only if somebody disarmed.
    package static let endsAlarm = EventFlags(rawValue: 1 << 4)
    /// The panel says once more what it has said by another line; recorded, not notified.
    package static let repeats = EventFlags(rawValue: 1 << 5)
    /// Told like an alarm so that people hear its sound; it says that it is a test.
    package static let testAlarm = EventFlags(rawValue: 1 << 6)
    /// Written by the box about what it held back in a storm: the panel has not said it once more.
    package static let stormSummary = EventFlags(rawValue: 1 << 7)
    /// The panel stopped its siren (652 in an incident). The partition is still armed and nobody has disarmed.
    package static let sirenStopped = EventFlags(rawValue: 1 << 8)
}

/// An event with its place in the journal.
package struct StoredEvent: Codable, Equatable, Sendable {
    package var seq: SequenceNumber
    package var event: Event

    package init(seq: SequenceNumber, event: Event) {
        self.seq = seq
        self.event = event
    }
}
