import AlarmModel

/// The EnvisaLink: start, reboot, watchdog, keybus, and the switches that act by themselves.
extension PanelSimulator {
    mutating func restartWatchdog() {
        cancel(.watchdog)
        if !house.reachesVendor { after(.minutes(20), .watchdog) }
    }

    /// Resets the client; nothing listens until the module is up again, with zones at their default.
    mutating func rebootModule(down: Duration) {
        if let client = session?.client { outgoing.append(.reset(client)) }
        session = nil
        let before = module
        module = ModuleRuntime()
        module.isUp = false
        module.isKeybusAlive = before.isKeybusAlive
        module.listening = before.listening
        module.floodedZones = before.floodedZones
        for job: PanelJob in [.watchdog, .moduleStarts, .broadcastTime, .broadcastTemperature] { cancel(job) }
        updateListening()
        after(down, .moduleStarts)
    }

    mutating func moduleStarts() {
        module.isUp = true
        for partition in 1...8 { module.announced[partition - 1] = panel.primaryLine(of: partition) }
        module.leds = leds
        module.flashingLEDs = 0
        restartWatchdog()
        updateListening()
        noteKey()
        if faults.flood != .off { restartFlood() }
    }

    private mutating func updateListening() {
        let listening: Listening = faults.firewall ? .drop : module.isUp ? .accept : .refuse
        guard module.listening != listening else { return }
        module.listening = listening
        outgoing.append(.listen(listening))
    }

    mutating func setKeybus(alive: Bool) {
        guard module.isKeybusAlive != alive else { return }
        module.isKeybusAlive = alive
        guard alive, module.isUp else { return }
        for zone in panel.zones where zone.isOpen != module.zones[zone.number - 1].isOpen {
            tellZone(zone.number, isOpen: zone.isOpen)
        }
        showLEDs()
        for partition in 1...8 { announce(partition) }
    }

    mutating func switchFault(_ fault: PanelFault) {
        let before = faults
        faults.apply(fault)
        panel.askAlways(faults.code900)
        updateListening()
        setReading(faults.silent != .deaf && (session?.stalledUntil ?? .zero) <= now)
        if faults.blanking != before.blanking { noteKey() }
        if faults.flood != before.flood { restartFlood() }
        if faults.proxy != before.proxy {
            cancel(.strayAck)
            if faults.proxy { after(.seconds(20), .strayAck) }
        }
    }

    // MARK: - Keypad blanking

    /// A key was pressed: the keypads light up, and go dark 35 s later where that is switched on.
    mutating func noteKey() {
        cancel(.blank)
        if faults.blanking { after(.seconds(35), .blank) }
        guard module.isBlanked else { return }
        module.isBlanked = false
        showLEDs()
        for partition in 1...8 { announce(partition) }
    }

    mutating func blank() {
        guard faults.blanking else { return }
        module.isBlanked = true
        showLEDs()
    }

    // MARK: - Flood

    private mutating func restartFlood() {
        cancel(.flood)
        let flooded = module.floodedZones
        module.floodedZones = []
        for zone in flooded { panelTurn { $0.setZone(zone, open: false) } }
        if faults.flood == .off { showLEDs() } else { flood() }
    }

    /// One change, and the next in 10 ms. Detectors that alarm at any time are left alone.
    mutating func flood() {
        guard module.isUp else { return }
        switch faults.flood {
        case .off: return
        case .leds:
            let dark = module.leds == leds
            module.leds = dark ? leds ^ 0x80 : leds
            report("510", Self.hexadecimal(module.leds ?? 0))
        case .zones:
            module.floodPosition = module.floodPosition % 64 + 1
            let zone = module.floodPosition
            let kind = house.zone(zone)?.kind
            if kind != .fire24h, kind != .burglary24h {
                if let index = module.floodedZones.firstIndex(of: zone) {
                    module.floodedZones.remove(at: index)
                    panelTurn { $0.setZone(zone, open: false) }
                } else if !panel.zones[zone - 1].isOpen {
                    module.floodedZones.append(zone)
                    panelTurn { $0.setZone(zone, open: true) }
                }
            }
        }
        after(.milliseconds(10), .flood)
    }
}
