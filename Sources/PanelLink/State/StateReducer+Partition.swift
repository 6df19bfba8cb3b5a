import AlarmModel

extension StateReducer {
    /// 650…657: the last of them is what the partition is doing. Its incident has rules of its own (docs/envisalink.md 4.1).
    mutating func takePartition(
        _ number: Int, _ line: DSCMessage.PartitionLine, at now: Moment, _ settings: PanelSettings, isOwnDisarm: Bool,
        isInGap: Bool
    ) {
        guard (1...8).contains(number) else { return }
        changeSystem { $0.isInstallerMode = false }
        let before = state.partition(number)?.status.last
        let current = isInGap ? nil : state.partition(number)?.status.current
        let intent = intent(number)
        let bypassIsLit = number == 1 && (state.system.leds.current ?? 0) & KeypadLED.bypass != 0
        let raisesZone = raisesZone(number)
        let open = openZones(of: number, at: now, settings)
        change(partition: number, settings) { partition in
            partition.isBusy = false
            switch line {
            case .disarmed:
                partition.showDisarmed(.disarmed)
                partition.endIncident(.disarmed, at: now)
            case .ready: partition.showDisarmed(.ready)
            case .readyForce: partition.showDisarmed(.readyForce)
            case .notReady: partition.showDisarmed(.notReady)
            case .exitDelay:
                var mode = intent ?? (bypassIsLit ? .stay : nil)
                if mode == nil, case .exitDelay(let earlier) = before { mode = earlier }
                partition.status = .known(.exitDelay(mode))
                partition.isAutoArming = false
                partition.isArmedWithBypass = false
                partition.forgetPastAlarm()
                partition.endIncident(.armedAgain, at: now)
            case .armed(let told):
                partition.status = .known(.armed(told ?? before.flatMap(\.mode) ?? intent))
                partition.isAutoArming = false
                if before.map({ !$0.isArmed }) ?? true { partition.setOpenAtArming(open) }
                partition.showArmed(before, isBehindAlarm: current?.isAlarm ?? false, at: now)
            case .entryDelay:
                partition.status = .known(.entryDelay(before.flatMap(\.mode)))
                // Somebody has armed since the alarm began.
                if partition.openIncident != nil { partition.incident?.wasArmed = true }
            case .alarm: partition.raiseAlarm(before, current, isShown: true, at: now)
            }
            switch line {
            case .ready, .readyForce, .notReady:
                partition.endByReadiness(isOwnDisarm: isOwnDisarm, raisesZone: raisesZone, at: now)
            case .disarmed, .exitDelay, .armed, .entryDelay, .alarm: break
            }
        }
        if line == .alarm { nameKey(of: number, at: now) }
        let isInAlarm = state.partition(number)?.isInAlarm ?? false
        switch line {
        case .disarmed:
            changeZones(of: number, settings) {
                $0.bypassed = .known(false)
                $0.endAlarm()
            }
            setIntent(nil, partition: number)
        case .ready, .readyForce, .notReady:
            let endsArming = before?.isArmed ?? false
            changeZones(of: number, settings) {
                // The panel ends the bypasses of a partition as it is disarmed, with a 655 or without.
                if endsArming { $0.bypassed = .known(false) }
                if !isInAlarm { $0.endAlarm() }
            }
        case .exitDelay: changeZones(of: number, settings) { $0.endAlarm() }
        case .armed: setIntent(nil, partition: number)
        case .entryDelay, .alarm: break
        }
    }

    /// True if the alarm was raised moments ago, so that a 654 repeats it. One press rings once, and an alarm that begins
    /// while a status report runs is told by the report, too.
    func isAlarmTold(_ number: Int, at now: Moment) -> Bool {
        if let lastKey, (.zero..<Self.sameMoment).contains(now.wall - lastKey.time) { return true }
        guard let incident = state.partition(number)?.openIncident else { return false }
        return (.zero..<Self.sameMoment).contains(now.wall - incident.lastRaised)
    }

    /// 601 alone is an alarm of the partition, also without 654: silent zones change nothing at the keypad. 602 ends such an
    /// alarm once the panel shows the partition as ready.
    mutating func takeZoneAlarm(
        partition number: Int, zone: Int, active: Bool, at now: Moment, _ settings: PanelSettings, isInGap: Bool
    ) {
        change(zone: zone, settings, partition: number) {
            $0.alarm = .known(active)
            $0.restore = active ? .awaited : .received
        }
        let before = state.partition(number)?.status.last
        let current = isInGap ? nil : state.partition(number)?.status.current
        let raisesZone = raisesZone(number)
        change(partition: number, settings) { partition in
            if active {
                partition.raiseAlarm(before, current, isShown: false, at: now)
                partition.incident?.add(zone: zone, at: now.wall)
            } else if partition.status.current?.isDisarmed ?? false {
                partition.endByReadiness(isOwnDisarm: false, raisesZone: raisesZone, at: now)
            }
        }
    }

    /// 750, 751: somebody disarmed. The panel sends them up to some seconds behind the line that shows it.
    mutating func takeOpening(of number: Int, by person: String?, at now: Moment, _ settings: PanelSettings) {
        change(partition: number, settings) { partition in
            if let open = partition.openIncident {
                // The line names who disarmed before an alarm that has just begun.
                guard open.wasArmed != false || now.wall - open.since >= Self.sameMoment else { return }
                partition.endIncident(.disarmed, at: now, by: person)
            } else if let end = partition.incident?.end, now.wall - end.time < Self.sameMoment {
                partition.incident?.end = Incident.End(.disarmed, at: end.time, person: end.person ?? person)
            }
        }
    }

    /// 621, 623, 625, 631: 654 of the partition comes before it or behind it. The line names no partition.
    mutating func takeKeyAlarm(_ key: Trouble, at now: Moment) {
        lastKey = KeyPressed(key: key, time: now.wall)
        for partition in state.partitions { nameKey(of: partition.number, at: now) }
    }

    private mutating func nameKey(of number: Int, at now: Moment) {
        guard let lastKey, let incident = state.partition(number)?.openIncident, incident.zones.isEmpty,
            incident.key == nil, incident.unheardSince == nil,
            now.wall - min(lastKey.time, incident.lastRaised) < Self.sameMoment
        else { return }
        changeKnown(partition: number) { $0.incident?.key = lastKey.key }
    }

    /// Lines about one thing come within this time.
    static let sameMoment = Duration.seconds(5)

    /// Zones that are open and not bypassed. A door that has just let somebody out does not count.
    private func openZones(of partition: Int, at now: Moment, _ settings: PanelSettings) -> [Int] {
        let usual = settings.partitions.count == 1 ? settings.partitions.first : nil
        return state.zones.filter { zone in
            (zone.partition ?? usual) == partition && zone.open.current == true && zone.bypassed.last != true
                && (zone.lastOpened.map { $0 + .seconds(30) < now.wall } ?? true)
        }.map(\.number)
    }

    /// True if a zone of the open incident was not restored (602). That line may be lost in a gap: a zone that the
    /// report shows as closed counts as restored.
    private func raisesZone(_ number: Int) -> Bool {
        guard let incident = state.partition(number)?.openIncident else { return false }
        return incident.zones.contains { entry in
            guard let zone = state.zone(entry.number) else { return false }
            return zone.alarm.current ?? (zone.open.current ?? false)
        }
    }

    /// The memory light is off: the partition was armed again.
    mutating func endInGap(_ number: Int, at now: Moment) {
        changeKnown(partition: number) {
            $0.endIncident(.armedAgain, at: now)
            $0.hasAlarmMemory = false
        }
    }

    /// The memory light shows an alarm that no other line told.
    mutating func raiseUnheard(_ alarm: GapWatch.UnheardAlarm, at now: Moment) {
        // The lights come before the lines of the partition.
        let isArmed = (state.system.leds.last ?? 0) & KeypadLED.armed != 0
        changeKnown(partition: 1) { partition in
            partition.hasAlarmMemory = alarm.isInMemory
            // An arming clears the memory: what it still holds has happened since.
            let wasArmed = alarm.wasArmed || isArmed && alarm.isInMemory
            var incident = Incident(
                since: now.wall, isSinceTrusted: now.isWallTrusted, wasArmed: wasArmed,
                unheardSince: alarm.heardUntil ?? now.wall)
            incident.isShown = true
            if !alarm.isInMemory {
                incident.end = Incident.End(.armedAgain, at: now.wall)
            } else if let status = partition.status.current, !status.isAlarm {
                if isArmed {
                    incident.sirenStopped = now.wall
                } else if !alarm.isStatusOld {
                    incident.end = Incident.End(wasArmed ? .disarmed : .noLongerReported, at: now.wall)
                }
            }
            partition.incident = incident
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
    mutating func takeLEDs(_ bits: UInt8, at now: Moment, _ settings: PanelSettings) {
        let wasMemoryLit = state.system.leds.last.map { $0 & KeypadLED.memory != 0 }
        changeSystem { $0.leds = .known(bits) }
        // A dark keypad is blanked; it says nothing about the memory.
        guard bits != 0 else { return }
        change(partition: 1, settings) { partition in
            if bits & KeypadLED.memory != 0 {
                partition.hasAlarmMemory = true
                if wasMemoryLit == false { partition.showSilentAlarm(at: now) }
            } else if !partition.isInAlarm {
                partition.hasAlarmMemory = false
                partition.forgetShownAlarm(wasLit: wasMemoryLit ?? false, at: now)
            } else if wasMemoryLit == true, partition.openIncident?.isShown ?? false {
                partition.hasAlarmMemory = false
            }
        }
    }
}

/// Bits of 510 and 511 (docs/envisalink.md 2.3).
enum KeypadLED {
    static let armed: UInt8 = 1 << 1
    static let memory: UInt8 = 1 << 2
    static let bypass: UInt8 = 1 << 3
}

extension ZoneState {
    fileprivate mutating func endAlarm() {
        if alarm != .unknown { alarm = .known(false) }
    }
}

extension PartitionState {
    /// 655, 650, 651, 653 end entry and exit alike.
    fileprivate mutating func showDisarmed(_ status: PartitionStatus) {
        self.status = .known(status)
        isAutoArming = status == .notReady ? isAutoArming : false
        isArmedWithBypass = false
        openAtArming = nil
    }

    /// Armed stay, the detectors inside may be open.
    fileprivate mutating func setOpenAtArming(_ open: [Int]) {
        switch status.last?.mode {
        case .away, .zeroEntryAway: openAtArming = open.isEmpty ? nil : open
        case .stay, .zeroEntryStay, nil: openAtArming = nil
        }
    }

    /// 652: in an incident of an armed partition it says that the siren's time is over; else it says that somebody armed.
    /// An alarm that keypads show (654) has to be silenced before anybody can arm. So a 652 straight behind it tells of an
    /// arming before the alarm, which the box did not hear; or, once the memory light is dark, of one behind it.
    fileprivate mutating func showArmed(_ before: PartitionStatus?, isBehindAlarm: Bool, at now: Moment) {
        guard let open = openIncident, open.wasArmed != false || isBehindAlarm && open.isShown && hasAlarmMemory else {
            if before.map({ !$0.isArmed }) ?? true, before.map({ !$0.isLeaving }) ?? true { forgetPastAlarm() }
            endIncident(.armedAgain, at: now)
            return
        }
        incident?.wasArmed = true
        if open.isShown, open.sirenStopped == nil { incident?.sirenStopped = now.wall }
    }

    /// The memory light has gone on in a silent alarm: as somebody silenced it, just before the readiness (650), or when an
    /// armed partition falls silent after a further alarm that the box did not hear. A panel that turns the light on with
    /// the alarm does so within the same moment.
    fileprivate mutating func showSilentAlarm(at now: Moment) {
        guard status.current?.isAlarm ?? false, let open = openIncident, !open.isShown,
            now.wall - open.lastRaised >= StateReducer.sameMoment
        else { return }
        incident?.isShown = true
        if open.wasArmed ?? false {
            status = .known(.armed(status.last?.mode))
            incident?.sirenStopped = now.wall
        }
    }

    /// A dark memory light says that somebody has armed since the alarm, unless a panel turns it on a moment late. A further
    /// light is a further alarm.
    fileprivate mutating func forgetShownAlarm(wasLit: Bool, at now: Moment) {
        guard let incident, incident.isShown, let end = incident.end else { return }
        if wasLit || now.wall - end.time >= StateReducer.sameMoment { self.incident = nil }
    }

    /// The panel clears its memory at arming. What this arming itself ends is kept for its notice.
    fileprivate mutating func forgetPastAlarm() {
        hasAlarmMemory = false
        if incident?.isOpen == false { incident = nil }
    }

    /// 650, 651, 653 of an incident that no 655 has ended.
    ///
    /// - Parameters:
    ///   - isOwnDisarm: the panel accepted a disarm command of the appliance
    ///   - raisesZone: a zone of the incident was not restored (602)
    fileprivate mutating func endByReadiness(isOwnDisarm: Bool, raisesZone: Bool, at now: Moment) {
        guard let open = openIncident else { return }
        if open.wasArmed == true || isOwnDisarm {
            endIncident(.disarmed, at: now)
        } else if open.isShown || !raisesZone {
            endIncident(.noLongerReported, at: now)
        }
    }

    fileprivate mutating func endIncident(_ ending: Incident.Ending, at now: Moment, by person: String? = nil) {
        guard openIncident != nil else { return }
        incident?.end = Incident.End(ending, at: now.wall, person: person)
    }

    /// - Parameter current: nil if the status was out of date: somebody may have armed or disarmed meanwhile
    fileprivate mutating func raiseAlarm(
        _ before: PartitionStatus?, _ current: PartitionStatus?, isShown: Bool, at now: Moment
    ) {
        status = .known(.alarm(before.flatMap(\.mode)))
        hasAlarmMemory = true
        if openIncident == nil {
            incident = Incident(
                since: now.wall, isSinceTrusted: now.isWallTrusted, wasArmed: current?.wasArmed)
        }
        if current == nil { incident?.wasArmed = nil }
        incident?.lastRaised = now.wall
        incident?.sirenStopped = nil
        if isShown { incident?.isShown = true }
    }
}

extension PartitionStatus {
    fileprivate var isLeaving: Bool {
        if case .exitDelay = self { true } else { false }
    }

    /// True if an alarm that begins in this status is one of an armed partition; nil if that is not known.
    fileprivate var wasArmed: Bool? {
        switch self {
        case .armed, .exitDelay, .entryDelay, .alarm(.some): true
        case .disarmed, .ready, .readyForce, .notReady: false
        case .alarm(nil), .notEnabled: nil
        }
    }
}
