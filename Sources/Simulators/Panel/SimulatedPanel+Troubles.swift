import AlarmModel
import PanelLink

/// Troubles, panic keys, smoke, clock and temperatures.
extension SimulatedPanel {
    /// As 849 tells (docs/envisalink.md 2.3).
    var troubleBits: TroubleBits {
        var bits: TroubleBits = []
        for trouble in troubles {
            switch trouble {
            case .battery, .bell, .tamper, .fireTrouble, .service: bits.insert(.service)
            case .ac: bits.insert(.ac)
            case .phoneLine: bits.insert(.phoneLine)
            case .failureToCommunicate: bits.insert(.failureToCommunicate)
            case .clock: bits.insert(.clock)
            case .zoneFault, .zoneTamper, .zoneBattery, .keybus, .fireKey, .auxiliaryKey, .panicKey, .smoke: break
            }
        }
        if zones.contains(where: \.isFaulted) { bits.insert(.zoneFault) }
        if zones.contains(where: \.isTampered) { bits.insert(.zoneTamper) }
        if zones.contains(where: \.isBatteryLow) { bits.insert(.zoneBattery) }
        return bits
    }

    mutating func setTrouble(_ trouble: Trouble, _ on: Bool) {
        let line: String?
        switch trouble {
        case .ac: line = on ? "802" : "803"
        case .battery: line = on ? "800" : "801"
        case .bell: line = on ? "806" : "807"
        case .failureToCommunicate: line = on ? "814" : "815"
        case .tamper: line = on ? "829" : "830"
        case .fireTrouble: line = on ? "842" : "843"
        case .phoneLine, .clock, .service: line = nil
        case .smoke: return setSmoke(on)
        case .zoneFault, .zoneTamper, .zoneBattery, .keybus, .fireKey, .auxiliaryKey, .panicKey: return
        }
        guard troubles.contains(trouble) != on else { return }
        changeTroubles { panel in
            if let line { panel.report(line) }
            if on { panel.troubles.append(trouble) } else { panel.troubles.removeAll { $0 == trouble } }
        }
    }

    /// The LED goes on before the first 849 and off after the last.
    mutating func changeTroubles(_ change: (inout SimulatedPanel) -> Void) {
        let before = troubleBits
        change(&self)
        let now = troubleBits
        if before.isEmpty, !now.isEmpty {
            for partition in house.partitions { report("840", "\(partition)") }
            showLEDs()
        }
        tellTroubles()
        if !before.isEmpty, now.isEmpty {
            for partition in house.partitions { report("841", "\(partition)") }
            showLEDs()
        }
    }

    mutating func tellTroubles() {
        cancel(.repeatTroubles)
        report("849", troubleBits.rawValue.padded(radix: 16, uppercase: true))
        if !troubleBits.isEmpty { after(.minutes(5), .repeatTroubles) }
    }

    /// Alarm and restore come together; the bell rings on.
    mutating func panicKey(_ key: DSCMessage.KeyAlarm) {
        let (line, restore, kind): (String, String, PanelCommand.Panic) =
            switch key {
            case .fire: ("621", "622", .fire)
            case .auxiliary: ("623", "624", .ambulance)
            case .panic: ("625", "626", .police)
            }
        guard house.panicKeys.contains(kind), let partition = house.partitions.first else { return }
        report(line)
        report(restore)
        if key == .fire { partitions[partition - 1].isFireAlarm = true }
        note(key == .fire ? .fire : key == .auxiliary ? .medical : .panic, partition, zone: nil)
        soundAlarm(partition)
    }

    mutating func setSmoke(_ on: Bool) {
        report(on ? "631" : "632")
        guard on, let partition = house.partitions.first else { return }
        partitions[partition - 1].isFireAlarm = true
        note(.fire, partition, zone: nil)
        soundAlarm(partition)
    }

    // MARK: - Clock

    func clockTime(at time: BootTime) -> PanelClockTime {
        PanelClockTime(seconds: clockBase + (time - clockSetAt).nanoseconds / 1_000_000_000)
    }

    mutating func setClock(_ time: PanelClockTime) {
        guard time.isValid else { return }
        clockBase = time.seconds
        clockSetAt = now
        setTrouble(.clock, false)
        actions.append(.clockIsSet)
    }

    // MARK: - Temperatures

    mutating func setTemperature(_ temperature: Temperature) {
        temperatures.removeAll { $0.thermostat == temperature.thermostat && $0.place == temperature.place }
        temperatures.append(temperature)
        actions.append(.temperature(temperature))
    }
}
