import AlarmModel

/// What the module sees of the panel, and what it tells of that.
extension PanelSimulator {
    /// Lets the panel act; the module sees what it shows, in that order.
    mutating func panelTurn(_ act: (inout SimulatedPanel) -> Void) {
        for action in panel.turn(at: now, by: source, act) {
            switch action {
            case .report(let code, let data): report(code, data)
            case .zone(let number, let isOpen): tellZone(number, isOpen: isOpen)
            case .leds(let lit): show(lit)
            case .flashing(let mask): showFlashing(mask)
            case .primary(let partition, let line): announce(partition, line)
            case .tellsAnew(let partition): module.announced[partition - 1] = ""
            case .asks(let request): module.codeRequest = request
            case .asksNoMore: module.codeRequest = nil
            case .clockIsSet: if module.broadcastsTime { broadcastTime() }
            case .temperature(let temperature): if module.broadcastsTemperature { tell(temperature) }
            case .after(let span, let job): after(span, job)
            case .cancel(let job): cancel(job)
            }
        }
    }

    /// 510 for partition 1, as the module sees it.
    var leds: UInt8 { module.isBlanked ? 0 : panel.leds }

    mutating func showLEDs() { show(panel.leds) }

    /// 510, if it changed and the module can see the keypad.
    private mutating func show(_ shown: UInt8) {
        guard module.isUp, module.isKeybusAlive else { return }
        let lit = module.isBlanked ? 0 : shown
        guard module.leds != lit else { return }
        module.leds = lit
        report("510", Self.hexadecimal(lit))
    }

    private mutating func showFlashing(_ mask: UInt8) {
        guard module.isUp, module.flashingLEDs != mask else { return }
        module.flashingLEDs = mask
        report("511", Self.hexadecimal(mask))
    }

    mutating func announce(_ partition: Int) { announce(partition, panel.primaryLine(of: partition)) }

    /// The primary line of a partition, if it changed.
    private mutating func announce(_ partition: Int, _ line: String) {
        guard module.isUp, module.isKeybusAlive, !module.isBlanked else { return }
        guard module.announced[partition - 1] != line else { return }
        module.announced[partition - 1] = line
        sendPrimary(line)
    }

    /// 609 or 610, and what the module keeps of it.
    mutating func tellZone(_ number: Int, isOpen: Bool) {
        guard module.isUp, module.isKeybusAlive else { return }
        module.zones[number - 1].isOpen = isOpen
        if !isOpen { module.zones[number - 1].closedAt = now }
        report(isOpen ? "609" : "610", number.padded(3))
    }

    // MARK: - Clock and temperatures

    /// What 550 tells, wrong by the fault's skew.
    var broadcastClock: String {
        let right = panel.clockTime(at: now).seconds
        return PanelClockTime(seconds: right + faults.clockSkew.nanoseconds / 1_000_000_000).broadcast
    }

    mutating func broadcastTime() { report("550", broadcastClock) }

    mutating func tellTemperatures() {
        for temperature in panel.temperatures { tell(temperature) }
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
