import AlarmModel

/// The forms in which data comes; nil when it has another form or is out of range.
extension DSCMessage {
    static func number(_ data: ArraySlice<UInt8>, count: Int) -> Int? {
        data.count == count ? decimal(data) : nil
    }

    /// Two hexadecimal digits.
    static func byte(_ data: ArraySlice<UInt8>) -> UInt8? {
        data.count == 2 ? hexadecimal(data).flatMap(UInt8.init(exactly:)) : nil
    }

    /// One digit, 1…8.
    static func partitionNumber(_ data: ArraySlice<UInt8>) -> Int? {
        number(data, count: 1).flatMap { (1...8).contains($0) ? $0 : nil }
    }

    /// Three digits, 1…64.
    static func zoneNumber(_ data: ArraySlice<UInt8>) -> Int? {
        number(data, count: 3).flatMap { (1...64).contains($0) ? $0 : nil }
    }

    static func partitionAndZone(_ data: ArraySlice<UInt8>) -> (partition: Int, zone: Int)? {
        guard let partition = partitionNumber(data.prefix(1)), let zone = zoneNumber(data.dropFirst()) else {
            return nil
        }
        return (partition, zone)
    }

    /// 832/833: three digits, or four of which the last three are the zone.
    static func batteryZone(_ data: ArraySlice<UInt8>) -> Int? {
        guard data.count == 3 || data.count == 4, decimal(data) != nil else { return nil }
        return zoneNumber(data.suffix(3))
    }

    static func partitionAndUser(_ data: ArraySlice<UInt8>) -> (partition: Int, user: Int)? {
        guard let partition = partitionNumber(data.prefix(1)), let user = number(data.dropFirst(), count: 4) else {
            return nil
        }
        return (partition, user)
    }

    static func partition(_ data: ArraySlice<UInt8>, _ line: PartitionLine) -> DSCMessage? {
        partitionNumber(data).map { .partition($0, line) }
    }

    /// 652: partition and mode. That it is armed is told even when the mode is missing or not one of the four.
    static func armed(_ data: ArraySlice<UInt8>) -> DSCMessage? {
        guard let partition = partitionNumber(data.prefix(1)) else { return nil }
        if data.count == 1 { return .partition(partition, .armed(nil)) }
        guard let digit = number(data.dropFirst(), count: 1) else { return nil }
        let modes: [ArmMode] = [.away, .stay, .zeroEntryAway, .zeroEntryStay]
        return .partition(partition, .armed(modes.indices.contains(digit) ? modes[digit] : nil))
    }

    /// 912: partition and output 1…4.
    static func output(_ data: ArraySlice<UInt8>) -> DSCMessage? {
        guard let partition = partitionNumber(data.prefix(1)), let output = number(data.dropFirst(), count: 1),
            (1...4).contains(output)
        else { return nil }
        return .outputPressed(partition: partition, output: output)
    }

    /// 550: `hhmmMMDDYY`.
    static func clock(_ data: ArraySlice<UInt8>) -> PanelClock? {
        guard data.count == 10 else { return nil }
        let parts = (0..<5).compactMap { decimal(data.dropFirst($0 * 2).prefix(2)) }
        guard parts.count == 5, parts[0] < 24, parts[1] < 60, (1...12).contains(parts[2]), (1...31).contains(parts[3])
        else { return nil }
        return PanelClock(hour: parts[0], minute: parts[1], month: parts[2], day: parts[3], year: parts[4])
    }

    /// 561/562: thermostat 1…4 and 000…255, a byte in two's complement.
    static func temperature(_ data: ArraySlice<UInt8>, _ place: Temperature.Place) -> Temperature? {
        guard data.count == 4, let thermostat = decimal(data.prefix(1)), (1...4).contains(thermostat),
            let value = decimal(data.suffix(3)), let byte = UInt8(exactly: value)
        else { return nil }
        return Temperature(thermostat: thermostat, place: place, degrees: Int(Int8(bitPattern: byte)))
    }

    /// 615: four hexadecimal digits a zone, low byte first, counting down every five seconds. Twice as many digits
    /// (modules with 128 zones) are cut to the 64 zones of a DSC panel.
    static func timers(_ data: ArraySlice<UInt8>) -> [ZoneTimer]? {
        guard data.count == 256 || data.count == 512 else { return nil }
        var timers: [ZoneTimer] = []
        timers.reserveCapacity(64)
        for index in stride(from: data.startIndex, to: data.endIndex, by: 4) {
            guard let low = hexadecimal(data[index..<index + 2]), let high = hexadecimal(data[index + 2..<index + 4])
            else { return nil }
            if timers.count == 64 { continue }
            switch high << 8 | low {
            case 0xFFFF: timers.append(.openNow)
            case 0: timers.append(.unknown)
            case let counter: timers.append(.closed(ago: .seconds((0xFFFF - counter) * 5)))
            }
        }
        return timers
    }

    /// 616: eight bytes, zones 1…8 first, the lowest zone in bit 0.
    static func bypassed(_ data: ArraySlice<UInt8>) -> [Int]? {
        guard data.count == 16 else { return nil }
        var zones: [Int] = []
        for byte in 0..<8 {
            guard let bits = hexadecimal(data.dropFirst(byte * 2).prefix(2)) else { return nil }
            for bit in 0..<8 where bits >> bit & 1 == 1 { zones.append(byte * 8 + bit + 1) }
        }
        return zones
    }
}
