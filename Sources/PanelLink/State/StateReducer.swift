import AlarmModel

/// Turns lines of the panel into its state (docs/envisalink.md 4.1 to 4.3).
struct StateReducer: Codable, Equatable, Sendable {
    private(set) var state: PanelState
    /// The mode that this box asked for, until the panel settles it; ascending by partition.
    private var intents: [Intent] = []
    /// The last 849.
    private(set) var troubleBits: TroubleBits?

    /// The last key for help or smoke alarm.
    var lastKey: KeyPressed?

    struct KeyPressed: Codable, Equatable, Sendable {
        var key: Trouble
        var time: WallTime
    }

    private struct Intent: Codable, Equatable, Sendable {
        var partition: Int
        var mode: ArmMode
    }

    init(known: PanelState, settings: PanelSettings) {
        state = known
        state.age()
        troubleBits = Self.lastBits(of: state.system)
        configure(settings)
    }

    /// Takes names and configured partitions and zones over.
    mutating func configure(_ settings: PanelSettings) {
        for index in state.partitions.indices {
            state.partitions[index].name = settings.names.partition(state.partitions[index].number)
        }
        for index in state.zones.indices {
            state.zones[index].name = settings.names.zone(state.zones[index].number)?.name
        }
        for number in settings.partitions + settings.names.partitions.map(\.number) where (1...8).contains(number) {
            state.withPartition(number) { $0.name = settings.names.partition(number) }
        }
        for zone in settings.names.zones where (1...64).contains(zone.number) {
            state.withZone(zone.number) {
                $0.name = zone.name
                if let partition = zone.partition { $0.partition = partition }
            }
        }
    }

    /// The link is lost: everything known becomes stale; what was known of the zones held until `until`.
    mutating func age(until: WallTime) {
        for index in state.zones.indices where state.zones[index].open.current != nil {
            state.zones[index].knownAt = until
        }
        state.age()
        intents = []
        troubleBits = Self.lastBits(of: state.system)
    }

    /// The 849 that fits what was known; nil if none ever came.
    private static func lastBits(of system: SystemState) -> TroubleBits? {
        guard TroubleBits.meanings.contains(where: { system[$0.trouble] != .unknown }) else { return nil }
        return TroubleBits.meanings.reduce([]) { system[$1.trouble].last == .trouble ? $0.union($1.bit) : $0 }
    }

    /// Who it was in truth, where the panel names the user whose code was lent.
    mutating func nameLastChange(of partition: Int, _ name: String) {
        state.withPartition(partition) {
            $0.lastChangedByName = name
            if $0.incident?.end?.person != nil { $0.incident?.end?.person = name }
        }
    }

    private mutating func changed(by user: Int, _ partition: Int, at now: Moment, _ settings: PanelSettings) {
        change(partition: partition, settings) {
            $0.lastChangedAt = now.wall
            $0.lastChangedBy = .user(user)
            $0.lastChangedByName = settings.names.user(user)
        }
    }

    private mutating func changedSpecially(_ partition: Int, at now: Moment, _ settings: PanelSettings) {
        change(partition: partition, settings) {
            $0.lastChangedAt = now.wall
            $0.lastChangedBy = .special
            $0.lastChangedByName = nil
        }
    }

    mutating func setLink(_ link: PanelLinkState) { state.link = link }

    mutating func setToldLosses(_ losses: [PanelLoss]) { state.system.toldLosses = losses.isEmpty ? nil : losses }

    /// An arm command of ours is about to leave; nil takes the wish back.
    mutating func setIntent(_ mode: ArmMode?, partition: Int) {
        intents.removeAll { $0.partition == partition }
        if let mode {
            intents.append(Intent(partition: partition, mode: mode))
            intents.sort { $0.partition < $1.partition }
        }
    }

    func intent(_ partition: Int) -> ArmMode? { intents.first { $0.partition == partition }?.mode }

    /// Takes one line up.
    ///
    /// - Parameters:
    ///   - isReport: the line answers 001: it says what is, not that something happened now
    ///   - believesClosed: whether a 610 of the report is a fact and not the module's default after power-up
    ///   - isOwnDisarm: the panel accepted a disarm command of the appliance for the partition, and the order is still open
    ///   - isInGap: the panel was not heard for a while, and no status report has come since
    mutating func take(
        _ message: DSCMessage, at now: Moment, settings: PanelSettings, isReport: Bool, believesClosed: Bool,
        isOwnDisarm: Bool = false, isInGap: Bool = false
    ) {
        switch message {
        case .zoneOpen(let zone, let open):
            takeZone(zone, open: open, at: now, settings, isReport: isReport, believesClosed: believesClosed)
        case .zoneAlarm(let partition, let zone, let active):
            takeZoneAlarm(
                partition: partition, zone: zone, active: active, at: now, settings, isInGap: isInGap)
        case .zoneTamper(let partition, let zone, let active):
            change(zone: zone, settings, partition: partition) { $0.tamper = .known(active) }
        case .zoneFault(let zone, let active): change(zone: zone, settings) { $0.fault = .known(active) }
        case .zoneLowBattery(let zone, let active): change(zone: zone, settings) { $0.lowBattery = .known(active) }
        case .bypassed(let zones): takeBypassed(zones, settings)
        case .partition(let number, let line):
            takePartition(number, line, at: now, settings, isOwnDisarm: isOwnDisarm, isInGap: isInGap)
        case .busy(let number): takeBusy(number, isReport: isReport, settings)
        case .autoArming(let number): change(partition: number, settings) { $0.isAutoArming = true }
        case .chime(let number, let on): change(partition: number, settings) { $0.chime = .known(on) }
        case .troubleLED(let number, let on): change(partition: number, settings) { $0.trouble = .known(on) }
        case .failedToArm(let number), .failureToArm(let number): setIntent(nil, partition: number)
        case .userClosing(let number, let user): changed(by: user, number, at: now, settings)
        case .userOpening(let number, let user):
            changed(by: user, number, at: now, settings)
            takeOpening(of: number, by: settings.names.user(user), at: now, settings)
        case .specialClosing(let number): changedSpecially(number, at: now, settings)
        case .specialOpening(let number):
            changedSpecially(number, at: now, settings)
            takeOpening(of: number, by: nil, at: now, settings)
        case .partialClosing(let number): change(partition: number, settings) { $0.isArmedWithBypass = true }
        case .leds(let bits): takeLEDs(bits, at: now, settings)
        case .flashingLEDs(let bits): state.system.flashingLEDs = .known(bits)
        case .temperature(let temperature): take(temperature)
        case .keyAlarm(let key, let active):
            state.system[key.trouble] = .known(active ? .trouble : .ok)
            if active { takeKeyAlarm(key.trouble, at: now) }
        case .smoke(let active):
            state.system[.smoke] = .known(active ? .trouble : .ok)
            if active { takeKeyAlarm(.smoke, at: now) }
        case .trouble(let trouble, let active): state.system[trouble] = .known(active ? .trouble : .ok)
        case .troubles(let bits): take(bits)
        case .installerMode: state.system.isInstallerMode = true
        case .acknowledged, .commandError, .systemError, .login, .time, .phoneRing, .zoneTimers, .duress,
            .keypadLockout, .outputInProgress, .invalidCode, .functionNotAvailable, .eventBufferNearlyFull,
            .codeRequired, .outputPressed, .serialModule, .unknown:
            break
        }
    }

    // MARK: Shared with the other files of the reducer

    mutating func change(
        zone number: Int, _ settings: PanelSettings, partition: Int? = nil, _ body: (inout ZoneState) -> Void
    ) {
        guard (1...64).contains(number) else { return }
        state.withZone(number) { zone in
            if zone.name == nil { zone.name = settings.names.zone(number)?.name }
            if let partition, (1...8).contains(partition), settings.names.zone(number)?.partition == nil {
                zone.partition = partition
            }
            body(&zone)
        }
    }

    mutating func change(partition number: Int, _ settings: PanelSettings, _ body: (inout PartitionState) -> Void) {
        guard (1...8).contains(number) else { return }
        state.withPartition(number) { partition in
            if partition.name == nil { partition.name = settings.names.partition(number) }
            body(&partition)
        }
    }

    mutating func changeKnown(partition number: Int, _ body: (inout PartitionState) -> Void) {
        guard let index = state.partitions.firstIndex(where: { $0.number == number }) else { return }
        body(&state.partitions[index])
    }

    /// Zones whose partition nobody has told belong to the only partition of the configuration, or to the first.
    mutating func changeZones(of partition: Int, _ settings: PanelSettings, _ body: (inout ZoneState) -> Void) {
        let usual = settings.partitions.count == 1 ? settings.partitions.first ?? 1 : 1
        for index in state.zones.indices where (state.zones[index].partition ?? usual) == partition {
            body(&state.zones[index])
        }
    }

    mutating func changeTimes(of zone: Int, _ body: (inout ZoneState) -> Void) {
        guard let index = state.zones.firstIndex(where: { $0.number == zone }) else { return }
        body(&state.zones[index])
    }

    mutating func setBypassed(at index: Int, _ zones: [Int]) {
        state.zones[index].bypassed = .known(zones.contains(state.zones[index].number))
    }

    mutating func changeSystem(_ body: (inout SystemState) -> Void) { body(&state.system) }

    mutating func setTroubleBits(_ bits: TroubleBits) { troubleBits = bits }
}

extension DSCMessage.KeyAlarm {
    var trouble: Trouble {
        switch self {
        case .fire: .fireKey
        case .auxiliary: .auxiliaryKey
        case .panic: .panicKey
        }
    }
}
