/// The block of U-Boot's `env export -c -s 0x200`: CRC32 (little-endian) of the rest, then `NAME=value` in the order of the
/// names, each ended by a zero byte, another zero byte, and zeros to the end.
extension SlotState {
    /// Bytes of one copy.
    package static let blockCount = 512
    /// Where the copies begin on the disk, in bytes; the first is written first.
    package static let places = [0x6000 * 512, 0x6008 * 512]

    package var block: [UInt8] {
        let lines = [
            "BOOT_A_LEFT=" + Self.hex(triesA), "BOOT_B_LEFT=" + Self.hex(triesB),
            "BOOT_ORDER=\(first.rawValue) \(first.other.rawValue)", "GOOD=\(good.rawValue)",
        ]
        var data: [UInt8] = []
        for line in lines { data += Array(line.utf8) + [0] }
        data += [UInt8](repeating: 0, count: Self.blockCount - 4 - data.count)
        return CRC32.littleEndian(CRC32.of(data)) + data
    }

    /// nil when the checksum is wrong or a value makes no sense. A name that is not there has its initial value.
    package init?(block: [UInt8]) {
        guard block.count == Self.blockCount,
            CRC32.littleEndian(CRC32.of(block[4...])) == Array(block[..<4])
        else { return nil }
        var state = Self.initial
        for line in block[4...].split(separator: 0, omittingEmptySubsequences: false) {
            if line.isEmpty { break }
            let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            let value = String(decoding: parts[1], as: UTF8.self)
            switch String(decoding: parts[0], as: UTF8.self) {
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

    /// What the copies say: the first whole one counts, because it is written first.
    package init(copies: [[UInt8]]) {
        self = copies.lazy.compactMap { SlotState(block: $0) }.first ?? .initial
    }

    private static func hex(_ tries: Int) -> String { String(max(0, min(tries, 0xFF)), radix: 16) }

    private static func tries(_ text: String) -> Int? {
        let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
        guard (1...4).contains(digits.utf8.count), !digits.hasPrefix("-"), !digits.hasPrefix("+") else { return nil }
        return Int(digits, radix: 16)
    }
}
