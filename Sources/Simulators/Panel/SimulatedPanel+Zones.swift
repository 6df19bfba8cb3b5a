import AlarmModel

/// Detectors: what they see and what is wrong with them.
extension SimulatedPanel {
    mutating func setZone(_ number: Int, open: Bool) {
        guard zones.indices.contains(number - 1), zones[number - 1].isOpen != open else { return }
        zones[number - 1].isOpen = open
        actions.append(.zone(number, isOpen: open))
        guard let zone = house.zone(number) else { return }
        if open { opened(zone) } else { closed(zone) }
    }

    private mutating func opened(_ zone: SimulatedZone) {
        switch zone.kind {
        case .fire24h: return alarm(zone)
        case .burglary24h:
            if !zones[zone.number - 1].isBypassed { alarm(zone) }
            return
        case .entryExit, .perimeter, .interior: break
        }
        switch partitions[zone.partition - 1].phase {
        case .disarmed: readinessChanged(zone.partition)
        case .settling: break
        case .exitDelay:
            if zone.kind == .entryExit { exitDoorOpened(zone.partition) }
        case .alarm where hidesAlarm(zone.partition): readinessChanged(zone.partition)
        case .armed, .entryDelay, .alarm: intrusion(zone)
        }
    }

    private mutating func closed(_ zone: SimulatedZone) {
        zones[zone.number - 1].isForced = false
        if zones[zone.number - 1].inAlarm { restore(zone) }
        readinessChanged(zone.partition)
    }

    /// Its alarm is over for the zone.
    mutating func restore(_ zone: SimulatedZone) {
        zones[zone.number - 1].inAlarm = false
        report("602", "\(zone.partition)\(zone.number.padded(3))")
        let cause = ledger.openIncident(zone.partition)?.zones ?? []
        if !cause.contains(where: { zones[$0 - 1].inAlarm }) { ledger.restored(zone.partition, at: now) }
    }

    mutating func readinessChanged(_ partition: Int) {
        showLEDs()
        announce(partition)
    }

    mutating func setZoneTamper(_ number: Int, _ on: Bool) {
        guard zones.indices.contains(number - 1), zones[number - 1].isTampered != on else { return }
        changeTroubles { panel in
            panel.zones[number - 1].isTampered = on
            panel.report(on ? "603" : "604", "\(panel.house.zone(number)?.partition ?? 1)\(number.padded(3))")
        }
    }

    mutating func setZoneFault(_ number: Int, _ on: Bool) {
        guard zones.indices.contains(number - 1), zones[number - 1].isFaulted != on else { return }
        report(on ? "605" : "606", number.padded(3))
        setZone(number, open: on)
        changeTroubles { $0.zones[number - 1].isFaulted = on }
    }

    mutating func setZoneBattery(_ number: Int, _ low: Bool) {
        guard zones.indices.contains(number - 1), zones[number - 1].isBatteryLow != low else { return }
        changeTroubles { panel in
            panel.zones[number - 1].isBatteryLow = low
            panel.report(low ? "832" : "833", number.padded(3))
        }
    }
}
