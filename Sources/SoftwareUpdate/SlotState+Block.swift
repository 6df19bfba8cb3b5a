/// The block of U-Boot's `env export -c -s 0x200`: CRC32 (little-endian) of the rest, then `NAME=value` in the order of the
/// names, each ended by a zero byte, another zero byte, and zeros to the end.
extension SlotState {
    /// Bytes of one copy.
    package static let blockCount = 512

    /// - Parameter number: of the copy; nil in the form of before
    package func block(number: UInt32? = nil) -> [UInt8] {
        var lines = [
            "BOOT_A_LEFT=" + Self.hex(triesA), "BOOT_B_LEFT=" + Self.hex(triesB),
            "BOOT_ORDER=\(first.rawValue) \(first.other.rawValue)",
        ]
        if let number { lines.append("BOOT_SEQ=" + String(number, radix: 16)) }
        lines.append("GOOD=\(good.rawValue)")
        var data: [UInt8] = []
        for line in lines { data += Array(line.utf8) + [0] }
        data += [UInt8](repeating: 0, count: Self.blockCount - 4 - data.count)
        return CRC32.littleEndian(CRC32.of(data)) + data
    }

    /// nil when the checksum is wrong or a value makes no sense. A name that is not there has its initial value.
    package init?(block: [UInt8]) {
        guard let settings = Self.settings(block) else { return nil }
        var state = Self.initial
        for (name, value) in settings {
            switch name {
            case "BOOT_ORDER":
                guard let first = BootSlot(rawValue: String(value.prefix(1))),
                    value == "\(first.rawValue) \(first.other.rawValue)"
                else { return nil }
                state.first = first
            case "BOOT_A_LEFT":
                guard let tries = Self.tries(value) else { return nil }
                state.triesA = tries
            case "BOOT_B_LEFT":
                guard let tries = Self.tries(value) else { return nil }
                state.triesB = tries
            case "GOOD":
                guard let slot = BootSlot(rawValue: value) else { return nil }
                state.good = slot
            default: continue
            }
        }
        self = state
    }

    /// The number of a copy, 1…0xFFFF_FFFF; nil if it has none.
    static func number(inBlock block: [UInt8]) -> UInt32? {
        settings(block)?.last { $0.name == "BOOT_SEQ" }.flatMap { UInt32($0.value, radix: 16) }
    }

    /// nil when the checksum is wrong or a line is none.
    private static func settings(_ block: [UInt8]) -> [(name: String, value: String)]? {
        guard block.count == blockCount, CRC32.littleEndian(CRC32.of(block[4...])) == Array(block[..<4])
        else { return nil }
        var settings: [(name: String, value: String)] = []
        for line in block[4...].split(separator: 0, omittingEmptySubsequences: false) {
            if line.isEmpty { break }
            let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            settings.append((String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self)))
        }
        return settings
    }

    private static func hex(_ tries: Int) -> String { String(max(0, min(tries, 0xFF)), radix: 16) }

    private static func tries(_ text: String) -> Int? {
        let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
        guard (1...4).contains(digits.utf8.count), !digits.hasPrefix("-"), !digits.hasPrefix("+") else { return nil }
        return Int(digits, radix: 16)
    }
}
