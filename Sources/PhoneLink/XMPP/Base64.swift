/// RFC 4648 4, with padding, as SASL wants it.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var value = 0
            for byte in group { value = value << 8 | Int(byte) }
            value <<= 8 * (3 - group.count)
            for place in 0..<4 {
                let isDigit = place <= group.count
                out.append(isDigit ? digits[value >> (18 - 6 * place) & 0x3F] : UInt8(ascii: "="))
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// nil for anything that is not exactly this encoding.
    static func bytes(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        let padding = characters.suffix(2).count { $0 == UInt8(ascii: "=") }
        var out: [UInt8] = []
        out.reserveCapacity(characters.count / 4 * 3)
        var value = 0
        for (index, character) in characters.enumerated() {
            let isPadding = index >= characters.count - padding && character == UInt8(ascii: "=")
            guard let digit = isPadding ? 0 : digits.firstIndex(of: character) else { return nil }
            value = value << 6 | digit
            guard index % 4 == 3 else { continue }
            for shift in [16, 8, 0] { out.append(UInt8(truncatingIfNeeded: value >> shift)) }
            value = 0
        }
        guard out.suffix(padding).allSatisfy({ $0 == 0 }) else { return nil }
        return Array(out.dropLast(padding))
    }
}
