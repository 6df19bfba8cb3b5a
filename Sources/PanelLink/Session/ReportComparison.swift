import AlarmModel

/// Alarms that were known as a session ended; none after a start.
struct AlarmsSeen: Codable, Equatable, Sendable {
    private struct Alarm: Codable, Equatable, Sendable {
        var partition: Int
        var until: BootTime
    }

    /// An alarm that a report shows after a shorter outage is the one from before: a link that comes and goes must not
    /// tell it at each login. In a longer one somebody can have disarmed, armed again and been broken into.
    static let sameWithin = Duration.minutes(3)

    private var alarms: [Alarm] = []

    mutating func sessionLost(_ state: PanelState, heardUntil: BootTime) {
        for partition in state.partitions where partition.status.current?.isAlarm ?? false {
            alarms.removeAll { $0.partition == partition.number }
            alarms.append(Alarm(partition: partition.number, until: heardUntil))
        }
    }

    /// True if an alarm of the partition is still the one that was known.
    func includes(_ partition: Int, at now: BootTime) -> Bool {
        alarms.contains { $0.partition == partition && now - $0.until < Self.sameWithin }
    }
}

/// The state before and after a line of a status report. Only a difference becomes an event.
struct ReportComparison {
    var before: PanelState
    var after: PanelState
    var alarmsSeen: AlarmsSeen
    var now: BootTime

    func finds(_ message: DSCMessage) -> Bool {
        switch message {
        case .zoneOpen(let number, _): return Self.differs(before.zone(number)?.open, after.zone(number)?.open)
        case .partition(let number, .alarm): return isNewAlarm(number)
        case .partition(let number, _): return differs(number, \.status) || endsIncident(number)
        case .troubleLED(let number, _): return differs(number, \.trouble)
        case .chime(let number, _): return differs(number, \.chime)
        case .leds: return Self.differs(before.system.leds, after.system.leds)
        case .flashingLEDs: return Self.differs(before.system.flashingLEDs, after.system.flashingLEDs)
        case .busy, .acknowledged, .commandError, .systemError, .login, .time, .phoneRing, .temperature, .zoneAlarm,
            .zoneTamper, .zoneFault, .zoneTimers, .bypassed, .duress, .keyAlarm, .smoke, .keypadLockout,
            .failedToArm, .outputInProgress, .invalidCode, .functionNotAvailable, .failureToArm, .autoArming,
            .installerMode, .userClosing, .specialClosing, .partialClosing, .userOpening, .specialOpening,
            .trouble, .eventBufferNearlyFull, .zoneLowBattery, .troubles, .codeRequired, .outputPressed,
            .serialModule, .unknown:
            return false
        }
    }

    private func endsIncident(_ number: Int) -> Bool {
        before.partition(number)?.openIncident != nil && after.partition(number)?.openIncident == nil
    }

    /// False for an alarm that was reported before and goes on. After a restart that is not known: it is reported again.
    private func isNewAlarm(_ number: Int) -> Bool {
        guard let partition = before.partition(number), partition.status.last?.isAlarm ?? false else { return true }
        // A silent alarm was known, and the panel shows one.
        if let open = partition.openIncident, !open.isShown { return true }
        guard partition.status.current == nil else { return false }
        return !alarmsSeen.includes(number, at: now)
    }

    private func differs<Value>(_ number: Int, _ reading: KeyPath<PartitionState, Reading<Value>>) -> Bool {
        Self.differs(before.partition(number)?[keyPath: reading], after.partition(number)?[keyPath: reading])
    }

    static func differs<Value>(_ before: Reading<Value>?, _ after: Reading<Value>?) -> Bool {
        guard let known = before?.last else { return false }
        return known != after?.last
    }
}
