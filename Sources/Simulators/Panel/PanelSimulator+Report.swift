import AlarmModel

/// What the module tells when asked: status and timers.
extension PanelSimulator {
    /// Zones, partitions, trouble LEDs, keypad LEDs: what the module believes, not what is.
    mutating func sendStatusReport() {
        for (index, zone) in module.zones.enumerated() { report(zone.isOpen ? "609" : "610", (index + 1).padded(3)) }
        if !module.isBlanked {
            for partition in 1...8 {
                let line = panel.primaryLine(of: partition)
                module.announced[partition - 1] = line
                sendPrimary(line)
            }
        }
        for partition in 1...8 {
            let isLit = !panel.troubleBits.isEmpty && house.partitions.contains(partition) && !module.isBlanked
            report(isLit ? "840" : "841", "\(partition)")
        }
        report("510", Self.hexadecimal(module.leds ?? leds))
        report("511", Self.hexadecimal(module.flashingLEDs ?? 0))
    }

    /// 615: four characters per zone, low byte first; FFFF open, else 5-second ticks since it closed.
    var zoneTimers: String {
        module.zones.map { zone -> String in
            guard !zone.isOpen else { return "FFFF" }
            guard let closed = zone.closedAt else { return "0000" }
            let ticks = min(0xFFFF, max(1, (now - closed).nanoseconds / 5_000_000_000))
            let value = 0xFFFF - Int(ticks)
            return Self.hexadecimal(UInt8(value & 0xFF)) + Self.hexadecimal(UInt8(value >> 8))
        }.joined()
    }
}
