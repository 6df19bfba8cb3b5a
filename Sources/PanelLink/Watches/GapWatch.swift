import AlarmModel

/// Alarms that no line told as they happened: while the session was lost, the keybus dead or the appliance off, or beside a
/// memory light that stays alone.
///
/// Knows the memory light of partition 1 (510), zones that are restored (602) after an alarm that nobody heard, and which
/// partitions were armed before a gap. Partitions 2 to 8 have no memory light: until a zone is restored the watch can only
/// say of them that an alarm is not excluded.
struct GapWatch: Codable, Equatable, Sendable {
    /// A time in which the appliance did not hear the panel: a lost session, a restart, or a dead keybus.
    private struct Gap: Codable, Equatable, Sendable {
        /// Last line before the gap; nil after a restart, because nothing stores it.
        var heardUntil: Moment?
        /// Partitions that were armed then.
        var armed: [Int]
        /// True for a dead keybus, which may have died long before the error that shows it; else nil.
        var isOfKeybus: Bool?
        /// True if partition 1 was known as disarmed then.
        var wasDisarmed: Bool
        /// True once a line of partition 1 has come: its status is not that of before the gap any more.
        var hasStatus = false
        /// True once a 655 has told that partition 1, which was known as disarmed, had been armed in the gap.
        var wasArmedUnheard = false

        init(_ state: PanelState, heardUntil: Moment?, isOfKeybus: Bool? = nil) {
            self.heardUntil = heardUntil
            self.isOfKeybus = isOfKeybus
            wasDisarmed = state.partition(1).map(GapWatch.isLongDisarmed) ?? false
            armed = state.partitions.filter { $0.openIncident?.wasArmed ?? $0.status.last?.isArmedOrArming ?? false }
                .map(\.number)
        }
    }

    /// For some seconds behind a 655 a report repeats it.
    private static func isLongDisarmed(_ partition: PartitionState) -> Bool {
        switch partition.status.last {
        case .ready, .readyForce, .notReady: partition.openIncident == nil
        case .disarmed, .exitDelay, .armed, .entryDelay, .alarm, .notEnabled, nil: false
        }
    }

    enum Finding: Equatable, Sendable {
        case unheardAlarm(UnheardAlarm)
        /// The incident of partition 1 was ended by an arming that nobody heard.
        case armedAgain(isInGap: Bool)
        /// The partition was armed before the gap and is armed now; numbers of its zones that were open meanwhile.
        case notExcluded(partition: Int, opened: [Int])
    }

    /// An alarm of partition 1 that the memory light tells.
    struct UnheardAlarm: Equatable, Sendable {
        /// Time at which the panel was heard before; nil if nobody knows.
        var heardUntil: WallTime?
        /// True if the partition is known to have been armed then.
        var wasArmed: Bool
        /// True if it happened while the appliance did not hear the panel.
        var isInGap: Bool
        /// False if the memory light has gone off again: the partition was armed anew.
        var isInMemory = true
        /// True if the status of the partition is that of before the gap: a dead keybus ends no session, so that nothing marks
        /// it as out of date.
        var isStatusOld = false
        /// True if the light may be that of a silent alarm before, of which everybody was told.
        var mayBeOfEarlier = false
    }

    /// A shorter gap hides no alarm: the panel's siren rings longer, so the status report still shows the alarm.
    static let harmless = Duration.minutes(1)

    /// nil while the panel is heard.
    private var gap: Gap?
    /// Time at which the memory light went on without an alarm's line.
    private var loneLightAt: Moment?

    var isInGap: Bool { gap != nil }

    /// - Parameter known: state of before the restart
    init(known: PanelState) { gap = Gap(known, heardUntil: nil) }

    mutating func sessionLost(_ state: PanelState, heardUntil: Moment) {
        if gap == nil { gap = Gap(state, heardUntil: heardUntil) }
        gap?.hasStatus = false
    }

    mutating func keybusLost(_ state: PanelState, at now: Moment) {
        if gap == nil { gap = Gap(state, heardUntil: now, isOfKeybus: true) }
        gap?.hasStatus = false
    }

    /// True if the line switches on a memory light that the state, which has not taken the line up yet, has as off.
    func lightsMemory(_ message: DSCMessage, _ state: PanelState) -> Bool {
        guard case .leds(let bits) = message, bits & KeypadLED.memory != 0, let last = state.system.leds.last,
            let partition = state.partition(1)
        else { return false }
        guard let incident = partition.incident else { return !partition.hasAlarmMemory }
        guard let end = incident.end else { return false }
        // The light stands for every alarm since the last arming. A silent alarm lights it as late as at the disarming. In a
        // gap that is no reason to leave a further alarm untold.
        if isInGap, !incident.isShown, last != 0, last & KeypadLED.memory == 0 { return true }
        return end.ending == .armedAgain && !partition.hasAlarmMemory
    }

    /// 510 and 655, after the state took them up. In a gap the light is the only sign that is left of an alarm. While the
    /// panel is heard, the lines of the alarm may come a moment behind the light, so that only a light that stays alone
    /// counts.
    ///
    /// - Parameter lightsMemory: as the function of that name said before
    mutating func lineTaken(
        _ message: DSCMessage, lightsMemory: Bool, _ state: PanelState, at now: Moment
    ) -> Finding? {
        if case .partition(1, _) = message { gap?.hasStatus = true }
        if case .leds(let bits) = message {
            if !lightsMemory, endsByLight(bits, state) { return .armedAgain(isInGap: isInGap) }
        } else {
            guard case .partition(1, .disarmed) = message else { return nil }
            noteUnheardArming(state, at: now)
        }
        guard let gap else {
            if lightsMemory { loneLightAt = now }
            return nil
        }
        // An arming clears the memory, so that a light behind it is one of a further alarm.
        let isLitAnew = gap.wasArmedUnheard && (state.system.leds.current ?? 0) & KeypadLED.memory != 0
        guard lightsMemory || isLitAnew else { return nil }
        self.gap?.wasArmedUnheard = false
        let isOfKeybus = gap.isOfKeybus ?? false
        var alarm = UnheardAlarm(
            heardUntil: isOfKeybus ? nil : gap.heardUntil?.wall, wasArmed: isLitAnew || gap.armed.contains(1),
            isInGap: true, isStatusOld: isOfKeybus && !gap.hasStatus)
        if let earlier = state.partition(1)?.incident, !earlier.isShown, earlier.end?.ending != .armedAgain {
            alarm.mayBeOfEarlier = true
        }
        return .unheardAlarm(alarm)
    }

    /// Only an armed partition or one in alarm can be disarmed. Lights are not known anew in a gap of the keybus. A report
    /// repeats, some seconds long, a 655 that ended an alarm.
    private mutating func noteUnheardArming(_ state: PanelState, at now: Moment) {
        guard let gap, gap.wasDisarmed, gap.isOfKeybus == nil else { return }
        if let end = state.partition(1)?.incident?.end, now.wall - end.time < StateReducer.sameMoment { return }
        self.gap?.wasArmedUnheard = true
    }

    /// The panel clears the light at arming. A dark keypad (00) is blanked and tells nothing; a silent alarm lights the
    /// memory only as it is disarmed. Outside a gap the line of the arming follows, unless the partition counts as armed.
    private func endsByLight(_ bits: UInt8, _ state: PanelState) -> Bool {
        guard bits != 0, bits & KeypadLED.memory == 0, let partition = state.partition(1),
            partition.openIncident?.isShown ?? false
        else { return false }
        switch partition.status.current {
        case .armed: return true
        case .entryDelay: return isInGap
        case .disarmed, .ready, .readyForce, .notReady, .exitDelay, .alarm, .notEnabled, nil: return false
        }
    }

    var nextDeadline: BootTime? { loneLightAt.map { $0.boot + StateReducer.sameMoment } }

    /// - Parameter lastKey: time of the last key for help, whose alarm lights the memory and may be another partition's
    mutating func timerFired(_ state: PanelState, lastKey: WallTime?, at now: Moment) -> Finding? {
        guard let lit = loneLightAt, let deadline = nextDeadline, deadline <= now.boot else { return nil }
        loneLightAt = nil
        let signs = [state.partition(1)?.incident?.lastRaised, lastKey].compactMap { $0 }
        guard signs.allSatisfy({ $0 + StateReducer.sameMoment < lit.wall }) else { return nil }
        let isArmed = state.partition(1)?.status.last?.isArmed ?? false
        let isLit = (state.system.leds.last ?? 0) & KeypadLED.memory != 0
        return .unheardAlarm(UnheardAlarm(wasArmed: isArmed, isInGap: false, isInMemory: isLit))
    }

    /// True for the 602 of a zone whose 601 nobody heard. The zone is quiet then; whether its partition is still in alarm the
    /// line does not say.
    ///
    /// - Parameter state: as it was before it took the line up
    func tellsUnheardAlarm(_ message: DSCMessage, _ state: PanelState) -> Bool {
        guard case .zoneAlarm(let partition, let number, active: false) = message,
            state.partition(partition)?.openIncident == nil
        else { return false }
        return state.zone(number)?.restore == nil
    }

    /// The status report has ended, and with it the gap.
    mutating func reportEnded(_ state: PanelState, at now: Moment) -> [Finding] {
        // A module that does not hear the panel reports an old state, and a refused report says nothing.
        guard let gap, state.system[.keybus].last != .trouble,
            state.partitions.contains(where: { $0.status.current != nil })
        else { return [] }
        self.gap = nil
        if let heard = gap.heardUntil, now.boot - heard.boot < Self.harmless { return [] }
        return gap.armed.compactMap { number in
            guard let partition = state.partition(number), partition.status.current?.isArmed ?? false,
                !partition.isInAlarm, number != 1 || (state.system.leds.current ?? 0) == 0
            else { return nil }
            return .notExcluded(partition: number, opened: Self.opened(in: number, since: gap.heardUntil?.wall, state))
        }
    }

    /// Zones that closed in the gap, by their timers (615).
    private static func opened(in partition: Int, since: WallTime?, _ state: PanelState) -> [Int] {
        guard let since else { return [] }
        return state.zones.filter { zone in
            zone.partition == partition && zone.lastClosed.map { $0 > since + .seconds(10) } ?? false
        }.map(\.number)
    }
}
