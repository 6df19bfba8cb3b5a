import AlarmModel
import PanelLink

/// Troubles, panic keys, smoke, clock and temperatures.
extension PanelSimulator {
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
        case .keybus: return setKeybus(alive: !on)
        case .smoke: return setSmoke(on)
        case .zoneFault, .zoneTamper, .zoneBattery, .fireKey, .auxiliaryKey, .panicKey: return
        }
        guard troubles.contains(trouble) != on else { return }
        changeTroubles { panel in
            if let line { panel.report(line) }
            if on { panel.troubles.append(trouble) } else { panel.troubles.removeAll { $0 == trouble } }
        }
    }

    /// The LED goes on before the first 849 and off after the last.
    mutating func changeTroubles(_ change: (inout PanelSimulator) -> Void) {
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
        report("849", Self.hexadecimal(troubleBits.rawValue))
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
        soundAlarm(partition)
    }

    mutating func setSmoke(_ on: Bool) {
        report(on ? "631" : "632")
        guard on, let partition = house.partitions.first else { return }
        partitions[partition - 1].isFireAlarm = true
        soundAlarm(partition)
    }

    // MARK: - Clock

    var clockTime: PanelClockTime {
        PanelClockTime(seconds: clockBase + (now - clockSetAt).nanoseconds / 1_000_000_000)
    }

    /// What 550 tells, wrong by the fault's skew.
    var broadcastClock: String {
        PanelClockTime(seconds: clockTime.seconds + faults.clockSkew.nanoseconds / 1_000_000_000).broadcast
    }

    mutating func setClock(_ time: PanelClockTime) {
        guard time.isValid else { return }
        clockBase = time.seconds
        clockSetAt = now
        setTrouble(.clock, false)
        if module.broadcastsTime { broadcastTime() }
    }

    mutating func broadcastTime() { report("550", broadcastClock) }

    // MARK: - Temperatures

    mutating func setTemperature(_ temperature: Temperature) {
        temperatures.removeAll { $0.thermostat == temperature.thermostat && $0.place == temperature.place }
        temperatures.append(temperature)
        if module.broadcastsTemperature { tell(temperature) }
    }

    mutating func tellTemperatures() {
        for temperature in temperatures { tell(temperature) }
    }

    private mutating func tell(_ temperature: Temperature) {
        guard (-128...127).contains(temperature.degrees), (1...4).contains(temperature.thermostat) else { return }
        let byte = Int(UInt8(truncatingIfNeeded: temperature.degrees))
        let code =
            switch temperature.place {
            case .indoor: "561"
            case .outdoor: "562"
            }
        report(code, "\(temperature.thermostat)\(byte.padded(3))")
    }
}
