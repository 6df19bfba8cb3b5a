import AlarmModel

/// Arming, delays, alarm and disarming, as the panel does them (docs/envisalink.md 4.1).
extension SimulatedPanel {
    func zonesOf(_ partition: Int) -> [SimulatedZone] { house.zones.filter { $0.partition == partition } }

    /// Zones that alarm at any time have no part in readiness.
    private func isOpen(_ zone: SimulatedZone, in partition: Int) -> Bool {
        zone.partition == partition && zones[zone.number - 1].isOpen && !zones[zone.number - 1].isIgnored
            && zone.kind != .fire24h && zone.kind != .burglary24h
    }

    func isReady(_ partition: Int) -> Bool { !house.zones.contains { isOpen($0, in: partition) } }

    /// Zones are open, and all of them may be when arming.
    func isForceReady(_ partition: Int) -> Bool {
        !isReady(partition) && house.zones.allSatisfy { !isOpen($0, in: partition) || $0.isForceArmable }
    }

    func status(of partition: Int) -> PartitionStatus {
        guard house.partitions.contains(partition) else { return .notEnabled }
        let runtime = partitions[partition - 1]
        switch runtime.phase {
        case .disarmed:
            return isReady(partition) ? .ready : isForceReady(partition) ? .readyForce : .notReady
        case .settling: return .disarmed
        case .exitDelay: return .exitDelay(runtime.mode)
        case .armed: return .armed(runtime.mode)
        case .entryDelay: return .entryDelay(runtime.mode)
        case .alarm: return .alarm(runtime.mode)
        }
    }

    // MARK: - Arming

    mutating func arm(_ partition: Int, _ intent: PanelSimulator.ArmIntent, by who: Attribution) {
        guard house.partitions.contains(partition), isReady(partition) || isForceReady(partition),
            partitions[partition - 1].phase == .disarmed || partitions[partition - 1].phase == .settling
                || hidesAlarm(partition)
        else { return report("672", "\(partition)") }
        cancel(.settle(partition))
        ledger.ended(partition, .armedAgain(who), at: now)
        let hasInterior = zonesOf(partition).contains { $0.kind == .interior }
        let mode: ArmMode =
            switch intent {
            case .away: .away
            case .stay: .stay
            case .byDoor: hasInterior ? .stay : .away
            case .zeroEntry: .zeroEntryStay
            }
        for zone in zonesOf(partition) {
            if zones[zone.number - 1].isOpen, !zones[zone.number - 1].isIgnored {
                zones[zone.number - 1].isForced = true
            }
        }
        enter(.exitDelay, partition)
        endSwingerShutdown(partition)
        partitions[partition - 1].isSilentAlarm = false
        partitions[partition - 1].followsDoor = intent == .byDoor || intent == .zeroEntry
        partitions[partition - 1].armedBy = who
        partitions[partition - 1].lastChangedBy = who
        partitions[partition - 1].hasMemory = false
        setMode(mode, of: partition)
        showLEDs()
        announce(partition)
        after(house.exitDelay, .exitDelayEnds(partition))
    }

    private mutating func setMode(_ mode: ArmMode, of partition: Int) {
        partitions[partition - 1].mode = mode
        for zone in zonesOf(partition) where zone.kind == .interior {
            zones[zone.number - 1].isAutoBypassed = mode == .stay || mode == .zeroEntryStay
        }
    }

    /// An exit door opened in the exit delay: who armed with a code or *9 goes out.
    mutating func exitDoorOpened(_ partition: Int) {
        guard partitions[partition - 1].followsDoor else { return }
        partitions[partition - 1].followsDoor = false
        setMode(partitions[partition - 1].mode == .zeroEntryStay ? .zeroEntryAway : .away, of: partition)
        showLEDs()
    }

    mutating func exitDelayEnds(_ partition: Int) {
        guard partitions[partition - 1].phase == .exitDelay else { return }
        switch partitions[partition - 1].armedBy {
        case .user(let user): report("700", "\(partition)\(user.padded(4))")
        case .special: report("701", "\(partition)")
        }
        if zonesOf(partition).contains(where: { zones[$0.number - 1].isBypassed || zones[$0.number - 1].isForced }) {
            report("702", "\(partition)")
        }
        enter(.armed, partition, isArming: true)
        showLEDs()
        announce(partition)
        for zone in zonesOf(partition) where zones[zone.number - 1].isOpen { intrusion(zone) }
    }

    // MARK: - Alarm

    /// An open zone of an armed partition.
    mutating func intrusion(_ zone: SimulatedZone) {
        guard !zones[zone.number - 1].isIgnored, !isShutDown(zone) else { return }
        let runtime = partitions[zone.partition - 1]
        let hasDelay = runtime.mode == .away || runtime.mode == .stay
        switch (runtime.phase, zone.kind) {
        case (.disarmed, _), (.settling, _), (.exitDelay, _): break
        case (.armed, .entryExit) where hasDelay:
            beginEntry(zone)
        case (.alarm, .entryExit) where hasDelay && house.delaysInAlarm: beginEntry(zone)
        case (.entryDelay, .entryExit), (.entryDelay, .interior):
            if !runtime.entryZones.contains(zone.number) {
                partitions[zone.partition - 1].entryZones.append(zone.number)
            }
        case (.alarm, _) where runtime.mode == nil: break
        case (.armed, _), (.entryDelay, _), (.alarm, _): alarm(zone)
        }
    }

    private mutating func beginEntry(_ zone: SimulatedZone) {
        enter(.entryDelay, zone.partition)
        partitions[zone.partition - 1].entryZones = [zone.number]
        announce(zone.partition)
        after(house.entryDelay, .entryDelayEnds(zone.partition))
    }

    mutating func entryDelayEnds(_ partition: Int) {
        guard partitions[partition - 1].phase == .entryDelay else { return }
        for number in partitions[partition - 1].entryZones {
            if let zone = house.zone(number) { alarm(zone) }
        }
    }

    /// 601, and 654 unless the zone is silent.
    mutating func alarm(_ zone: SimulatedZone) {
        guard !zones[zone.number - 1].inAlarm, !isShutDown(zone) else { return }
        zones[zone.number - 1].inAlarm = true
        zones[zone.number - 1].alarms += 1
        report("601", "\(zone.partition)\(zone.number.padded(3))")
        let kind: IncidentLedger.Kind = zone.kind == .fire24h ? .fire : zone.isSilent ? .silent : .burglary
        note(kind, zone.partition, zone: zone.number)
        let isAlreadyLoud =
            partitions[zone.partition - 1].phase == .alarm && !partitions[zone.partition - 1].isSilentAlarm
        if zone.isSilent, !isAlreadyLoud {
            cancel(.exitDelayEnds(zone.partition))
            cancel(.entryDelayEnds(zone.partition))
            enterAlarm(zone.partition)
            partitions[zone.partition - 1].isSilentAlarm = true
        } else {
            if zone.kind == .fire24h { partitions[zone.partition - 1].isFireAlarm = true }
            soundAlarm(zone.partition)
        }
        // A zone that closed within the entry delay is restored at once.
        if !zones[zone.number - 1].isOpen { restore(zone) }
    }

    /// True for a zone that had as many alarms as the panel takes from one.
    private func isShutDown(_ zone: SimulatedZone) -> Bool {
        guard let limit = house.swingerLimit, zone.kind != .fire24h else { return false }
        return zones[zone.number - 1].alarms >= limit
    }

    private mutating func endSwingerShutdown(_ partition: Int) {
        for zone in zonesOf(partition) { zones[zone.number - 1].alarms = 0 }
    }

    /// An alarm in the exit delay ends that: the partition is armed behind it.
    private mutating func enterAlarm(_ partition: Int) {
        enter(.alarm, partition, isArming: partitions[partition - 1].phase == .exitDelay)
    }

    mutating func note(_ kind: IncidentLedger.Kind, _ partition: Int, zone: Int?) {
        ledger.alarm(
            kind, partition, zone: zone, wasArmed: partitions[partition - 1].mode != nil, at: now)
    }

    /// An alarm of a disarmed partition that no keypad shows.
    func hidesAlarm(_ partition: Int) -> Bool {
        let runtime = partitions[partition - 1]
        return runtime.phase == .alarm && runtime.isSilentAlarm && runtime.mode == nil
    }

    mutating func soundAlarm(_ partition: Int) {
        for job: PanelJob in [
            .exitDelayEnds(partition), .entryDelayEnds(partition), .bellEnds(partition), .settle(partition),
        ] { cancel(job) }
        enterAlarm(partition)
        partitions[partition - 1].isSilentAlarm = false
        partitions[partition - 1].hasMemory = true
        announce(partition)
        showLEDs()
        after(house.bellTime, .bellEnds(partition))
    }

    mutating func bellEnds(_ partition: Int) {
        ledger.sirenStopped(partition, at: now)
        guard partitions[partition - 1].phase == .alarm else { return }
        if partitions[partition - 1].mode == nil {
            ledger.ended(partition, .noLongerReported, at: now)
            enter(.disarmed, partition)
        } else {
            enter(.armed, partition)
        }
        partitions[partition - 1].isFireAlarm = false
        showLEDs()
        announce(partition)
    }

    // MARK: - Disarming

    mutating func disarm(_ partition: Int, by who: Attribution) {
        guard house.partitions.contains(partition) else { return }
        let before = partitions[partition - 1]
        guard before.mode != nil || before.phase == .alarm else { return }
        for job: PanelJob in [.exitDelayEnds(partition), .entryDelayEnds(partition), .bellEnds(partition)] {
            cancel(job)
        }
        endSwingerShutdown(partition)
        partitions[partition - 1].isFireAlarm = false
        partitions[partition - 1].isSilentAlarm = false
        partitions[partition - 1].entryZones = []
        partitions[partition - 1].lastChangedBy = who
        if before.isSilentAlarm { partitions[partition - 1].hasMemory = true }
        ledger.ended(partition, before.mode == nil ? .silenced(who) : .disarmed(who), at: now)
        guard before.mode != nil else {
            // An alarm of a disarmed partition ends in its readiness, told anew even if a silent one never hid it.
            enter(.disarmed, partition, isDisarming: true)
            if before.isSilentAlarm { actions.append(.tellsAnew(partition)) }
            showLEDs()
            announce(partition)
            return
        }
        partitions[partition - 1].mode = nil
        enter(.settling, partition, isDisarming: true)
        for zone in zonesOf(partition) {
            zones[zone.number - 1].isBypassed = false
            zones[zone.number - 1].isAutoBypassed = false
            zones[zone.number - 1].isForced = false
        }
        showLEDs()
        announce(partition)
        after(.milliseconds(270), .attributeOpening(partition, who))
        after(.seconds(4), .settle(partition))
    }

    mutating func attributeOpening(_ partition: Int, _ who: Attribution) {
        switch who {
        case .user(let user): report("750", "\(partition)\(user.padded(4))")
        case .special: report("751", "\(partition)")
        }
    }

    mutating func settled(_ partition: Int) {
        guard partitions[partition - 1].phase == .settling else { return }
        enter(.disarmed, partition)
        showLEDs()
        announce(partition)
    }

    // MARK: - Keypad notices

    mutating func setBusy(_ partition: Int, _ on: Bool) {
        guard house.partitions.contains(partition), partitions[partition - 1].isBusy != on else { return }
        partitions[partition - 1].isBusy = on
        if on {
            actions.append(.tellsAnew(partition))
            report("673", "\(partition)")
        } else {
            announce(partition)
        }
    }

    mutating func setChime(_ partition: Int, _ on: Bool) {
        guard house.partitions.contains(partition) else { return }
        partitions[partition - 1].chime = on
        report(on ? "663" : "664", "\(partition)")
    }
}
