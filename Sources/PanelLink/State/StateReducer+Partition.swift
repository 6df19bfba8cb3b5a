import AlarmModel

extension StateReducer {
    /// 650…657: the last of them is what the partition is doing.
    mutating func takePartition(
        _ number: Int, _ line: DSCMessage.PartitionLine, at now: Moment, _ settings: PanelSettings
    ) {
        guard (1...8).contains(number) else { return }
        changeSystem { $0.isInstallerMode = false }
        let before = state.partition(number)?.status.last
        let wasAlarm = before.map(\.isAlarm) ?? false
        let intent = intent(number)
        let bypassIsLit = number == 1 && (state.system.leds.current ?? 0) & KeypadLED.bypass != 0
        change(partition: number, settings) { partition in
            partition.isBusy = false
            switch line {
            case .disarmed: partition.end(.disarmed, at: now)
            case .ready: partition.end(.ready, at: now)
            case .readyForce: partition.end(.readyForce, at: now)
            case .notReady: partition.end(.notReady, at: now)
            case .exitDelay:
                var mode = intent ?? (bypassIsLit ? .stay : nil)
                if mode == nil, case .exitDelay(let earlier) = before { mode = earlier }
                partition.status = .known(.exitDelay(mode))
                partition.isAutoArming = false
                partition.isArmedWithBypass = false
                partition.forgetAlarm()
            case .armed(let told):
                let mode = told ?? before.flatMap(\.mode) ?? intent
                partition.status = .known(.armed(mode))
                partition.isAutoArming = false
                if wasAlarm {
                    partition.hasAlarmMemory = true
                    partition.alarmSince = nil
                } else if before.map({ !$0.isArmed }) ?? true {
                    partition.forgetAlarm()
                }
            case .entryDelay: partition.status = .known(.entryDelay(before.flatMap(\.mode)))
            case .alarm: partition.raiseAlarm(before, at: now)
            }
        }
        switch line {
        case .disarmed:
            changeZones(of: number) {
                $0.bypassed = .known(false)
                if $0.alarm != .unknown { $0.alarm = .known(false) }
            }
            setIntent(nil, partition: number)
        case .ready, .readyForce, .notReady:
            changeZones(of: number) { if $0.alarm != .unknown { $0.alarm = .known(false) } }
        case .exitDelay: changeZones(of: number) { if $0.alarm != .unknown { $0.alarm = .known(false) } }
        case .armed: setIntent(nil, partition: number)
        case .entryDelay, .alarm: break
        }
    }

    /// A zone of this alarm was named a moment ago.
    func isAlarmTold(_ number: Int, at now: Moment) -> Bool {
        guard let partition = state.partition(number), partition.status.last?.isAlarm ?? false,
            !partition.alarmZones.isEmpty, let since = partition.alarmSince
        else { return false }
        return (.zero..<Duration.seconds(5)).contains(now.wall - since)
    }

    /// 601 alone is an alarm of the partition, also without 654: silent zones change nothing at the keypad.
    mutating func takeZoneAlarm(
        partition number: Int, zone: Int, active: Bool, at now: Moment, _ settings: PanelSettings
    ) {
        change(zone: zone, settings, partition: number) { $0.alarm = .known(active) }
        guard active else { return }
        let before = state.partition(number)?.status.last
        change(partition: number, settings) { partition in
            partition.raiseAlarm(before, at: now)
            if (1...64).contains(zone), !partition.alarmZones.contains(zone) {
                partition.alarmZones.append(zone)
                partition.alarmZones.sort()
            }
        }
    }

    /// 673: somebody at a keypad; in a report, for a partition that is not configured and never showed anything else,
    /// that it does not exist.
    mutating func takeBusy(_ number: Int, isReport: Bool, _ settings: PanelSettings) {
        let isConfigured = settings.partitions.contains(number) || settings.names.partition(number) != nil
        change(partition: number, settings) { partition in
            let isNew = partition.status.last.map { $0 == .notEnabled } ?? true
            if isReport, isNew, !isConfigured {
                partition.status = .known(.notEnabled)
            } else {
                partition.isBusy = true
            }
        }
    }

    /// 510: partition 1 only.
    mutating func takeLEDs(_ bits: UInt8, _ settings: PanelSettings) {
        changeSystem { $0.leds = .known(bits) }
        // A dark keypad is blanked; it says nothing about the memory.
        guard bits != 0 else { return }
        change(partition: 1, settings) { partition in
            if bits & KeypadLED.memory != 0 {
                partition.hasAlarmMemory = true
            } else if !(partition.status.last.map(\.isAlarm) ?? false) {
                partition.hasAlarmMemory = false
            }
        }
    }
}

/// Bits of 510 and 511 (docs/envisalink.md 2.3).
enum KeypadLED {
    static let memory: UInt8 = 1 << 2
    static let bypass: UInt8 = 1 << 3
}

extension PartitionStatus {
    /// The mode it is, or is about to be, armed in.
    var mode: ArmMode? {
        switch self {
        case .exitDelay(let mode), .armed(let mode), .entryDelay(let mode), .alarm(let mode): mode
        case .disarmed, .ready, .readyForce, .notReady, .notEnabled: nil
        }
    }

    var isAlarm: Bool {
        if case .alarm = self { return true }
        return false
    }
}

extension PartitionState {
    /// 655, 650, 651, 653 end alarm, entry and exit alike.
    fileprivate mutating func end(_ status: PartitionStatus, at now: Moment) {
        if let since = alarmSince, self.status.last?.isAlarm ?? false {
            pastAlarm = PastAlarm(since: since, until: now.wall)
        }
        self.status = .known(status)
        isAutoArming = status == .notReady ? isAutoArming : false
        isArmedWithBypass = false
        alarmSince = nil
    }

    fileprivate mutating func raiseAlarm(_ before: PartitionStatus?, at now: Moment) {
        let wasAlarm = before.map(\.isAlarm) ?? false
        status = .known(.alarm(before.flatMap(\.mode)))
        hasAlarmMemory = true
        // The zones of an earlier alarm, which the panel's memory still shows, are none of this one.
        if !wasAlarm { alarmZones = [] }
        if !wasAlarm || alarmSince == nil { alarmSince = now.wall }
    }

    /// The panel clears its memory at arming.
    fileprivate mutating func forgetAlarm() {
        hasAlarmMemory = false
        alarmZones = []
        alarmSince = nil
        pastAlarm = nil
    }

    /// The panel names who disarmed a moment after it has told of the disarming.
    mutating func endedAlarm(by name: String, at now: Moment) {
        guard let past = pastAlarm, past.endedBy == nil, now.wall - past.until < .seconds(5) else { return }
        pastAlarm?.endedBy = name
    }
}
