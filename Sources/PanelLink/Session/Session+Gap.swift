import AlarmModel

/// A time in which the appliance did not hear the panel: a lost session, or a restart.
struct Gap: Codable, Equatable, Sendable {
    /// Last line before the gap; nil after a restart, because nothing stores it.
    var heardUntil: Moment?
    /// Partitions that were armed then.
    var armed: [Int]

    init(_ state: PanelState, heardUntil: Moment?) {
        self.heardUntil = heardUntil
        armed = state.partitions.filter { $0.wasArmed }.map(\.number)
    }

    /// A shorter gap hides no alarm: the panel's siren rings longer, so the status report still shows the alarm.
    static let harmless = Duration.minutes(1)
}

extension PartitionState {
    fileprivate var wasArmed: Bool { openIncident?.wasArmed ?? status.last?.isArmed ?? false }
}

/// Alarms that no line told as they happened.
extension Session {
    /// 510 with the memory bit, which stands for partition 1 alone (docs/envisalink.md 2.3).
    ///
    /// In a gap the light is the only sign that is left of an alarm. While the panel is heard, the lines of the alarm may
    /// come a moment behind the light, so that only a light that stays alone counts.
    mutating func memoryLightSeen(at now: Moment, into actions: inout [PanelAction]) {
        if let gap {
            tellUnheardAlarm(in: gap, at: now, into: &actions)
        } else {
            loneMemoryLightAt = now
        }
    }

    /// True if the line switches on a memory light that the state, which has not taken the line up yet, has as off.
    func lightsMemory(_ message: DSCMessage) -> Bool {
        guard case .leds(let bits) = message, bits & KeypadLED.memory != 0, state.system.leds.last != nil else {
            return false
        }
        guard let partition = state.partition(1), !partition.hasAlarmMemory else { return false }
        // The light stands for every alarm since the last arming. A silent alarm lights it as late as at the disarming.
        return partition.incident.map { $0.end?.ending == .armedAgain } ?? true
    }

    /// Deadline of `loneMemoryLightDue`.
    var loneMemoryLightDeadline: BootTime? { loneMemoryLightAt.map { $0.boot + StateReducer.sameMoment } }

    mutating func loneMemoryLightDue(at now: Moment, into actions: inout [PanelAction]) {
        guard let lit = loneMemoryLightAt, let deadline = loneMemoryLightDeadline, deadline <= now.boot else { return }
        loneMemoryLightAt = nil
        // A key for help lights it, too, and its alarm may be another partition's.
        let signs = state.partitions.compactMap(\.incident?.lastRaised) + [reducer.lastKey?.time].compactMap { $0 }
        guard signs.allSatisfy({ $0 + StateReducer.sameMoment < lit.wall }) else { return }
        tellUnheardAlarm(in: nil, at: now, into: &actions)
    }

    /// 510 of a report behind a gap, in which the memory light is off: the panel clears it at arming, so a known alarm of
    /// partition 1 was ended by whoever armed again. A dark keypad (00) is blanked and tells nothing; a silent alarm lights
    /// the memory only as it is disarmed.
    mutating func memoryLightIsOff(_ message: DSCMessage, at now: Moment, into actions: inout [PanelAction]) {
        guard case .leds(let bits) = message, bits != 0, bits & KeypadLED.memory == 0, gap != nil,
            let partition = state.partition(1), partition.openIncident?.isShown ?? false,
            case .armed? = partition.status.current
        else { return }
        reducer.endInGap(1, at: now)
        tellOver(.armedAgain, whileAway: true, at: now, into: &actions)
    }

    private mutating func tellUnheardAlarm(in gap: Gap?, at now: Moment, into actions: inout [PanelAction]) {
        let isArmed = state.partition(1)?.status.last?.isArmed ?? false
        let wasArmed = gap.map { $0.armed.contains(1) } ?? isArmed
        reducer.raiseUnheard(1, heardUntil: gap == nil ? nil : gap?.heardUntil?.wall, wasArmed: wasArmed, at: now)
        let place = writer(at: now).partition(1)
        let words =
            gap == nil
            ? "Alarm: \(place); the panel's memory light shows it, no line says which zones"
            : "Alarm: \(place), while the box did not hear the panel; the panel does not say which zones"
        var event = writer(at: now).event(.alarmUnheard, .alarm, words)
        event.partition = 1
        event.partitionName = settings.names.partition(1)
        if gap != nil { event.flags.insert(.whileAway) }
        actions.append(.event(event))
        guard let ending = state.partition(1)?.incident?.end?.ending else { return }
        tellOver(ending, whileAway: gap != nil, at: now, into: &actions)
    }

    private func tellOver(
        _ ending: Incident.Ending, whileAway: Bool, at now: Moment, into actions: inout [PanelAction]
    ) {
        let (type, words): (EventType, String) =
            switch ending {
            case .disarmed: (.disarmed, "is disarmed now")
            case .noLongerReported: (.info, "is disarmed now")
            case .armedAgain: (.armed, "was armed again")
            }
        var event = writer(at: now).event(
            .alarmOver, type, "The alarm is over: \(writer(at: now).partition(1)) \(words)")
        event.partition = 1
        event.partitionName = settings.names.partition(1)
        event.flags.insert(.endsAlarm)
        if whileAway { event.flags.insert(.whileAway) }
        actions.append(.event(event))
    }

    /// The report has ended. Partitions without a memory light that were armed before and still are may have had an alarm.
    mutating func gapEnded(at now: Moment, into actions: inout [PanelAction]) {
        guard let gap else { return }
        self.gap = nil
        if let heard = gap.heardUntil, now.boot - heard.boot < Gap.harmless { return }
        for number in gap.armed {
            guard let partition = state.partition(number), partition.status.current?.isArmed ?? false,
                !partition.isInAlarm, !hasMemoryLight(number)
            else { continue }
            var words = "Whether there was an alarm while the box did not hear the panel is not known: "
            words += "\(writer(at: now).partition(number)) stayed armed"
            let opened = zonesOpened(of: number, since: gap.heardUntil?.wall)
            if !opened.isEmpty { words += ", and was open meanwhile: \(opened.joined(separator: ", "))" }
            var event = writer(at: now).event(.alarmNotExcluded, .fault, words)
            event.partition = number
            event.partitionName = settings.names.partition(number)
            event.flags.insert(.whileAway)
            actions.append(.event(event))
        }
    }

    /// 510 tells the memory of partition 1. A dark keypad (00) is blanked and tells nothing.
    private func hasMemoryLight(_ number: Int) -> Bool {
        number == 1 && (state.system.leds.current ?? 0) != 0
    }

    /// Names of zones that closed in the gap, by their timers (615).
    private func zonesOpened(of partition: Int, since: WallTime?) -> [String] {
        guard let since else { return [] }
        return state.zones.filter { zone in
            zone.partition == partition && zone.lastClosed.map { $0 > since + .seconds(10) } ?? false
        }.map { settings.names.zone($0.number)?.name ?? "zone \($0.number)" }
    }
}
