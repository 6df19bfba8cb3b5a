/// Text as it stands between tags, in attributes and in CDATA sections: validated, line ends normalised, entities
/// resolved.
enum XMLText {
    enum Kind {
        case text
        case attribute
        case section
    }

    static func decode(_ raw: [UInt8], as kind: Kind) throws(XMLFault) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(raw.count)
        var index = 0
        while index < raw.count {
            let byte = raw[index]
            if byte == 0x26 && kind != .section {
                index = try reference(raw, at: index, into: &out)
                continue
            }
            if byte == 0x3E && kind == .text && index >= 2 && raw[index - 1] == 0x5D && raw[index - 2] == 0x5D {
                throw XMLFault(index: index, reason: .sectionEnd)
            }
            if XMLName.isSpace(byte) {
                index += 1
                if byte == 0x0D, index < raw.count, raw[index] == 0x0A { index += 1 }
                out.append(kind == .attribute ? 0x20 : byte == 0x0D ? 0x0A : byte)
                continue
            }
            let (value, length) = try scalar(raw, at: index)
            guard XMLName.isCharacter(value) else { throw XMLFault(index: index, reason: .badCharacter) }
            out.append(contentsOf: raw[index..<index + length])
            index += length
        }
        return out
    }

    /// `&…;` at the index; gives the index behind it.
    private static func reference(_ raw: [UInt8], at start: Int, into out: inout [UInt8]) throws(XMLFault) -> Int {
        let fault = XMLFault(index: start, reason: .badEntity)
        // The longest is &#x10FFFF; with a few leading zeros.
        guard let end = raw[start..<min(raw.count, start + 16)].firstIndex(of: 0x3B) else { throw fault }
        let name = String(decoding: raw[start + 1..<end], as: UTF8.self)
        switch name {
        case "amp": out.append(0x26)
        case "lt": out.append(0x3C)
        case "gt": out.append(0x3E)
        case "quot": out.append(0x22)
        case "apos": out.append(0x27)
        default:
            guard let value = number(raw[start + 1..<end]), XMLName.isCharacter(value),
                let scalar = Unicode.Scalar(value)
            else { throw fault }
            out.append(contentsOf: String(Character(scalar)).utf8)
        }
        return end + 1
    }

    /// `#` and decimal digits, or `#x` and hexadecimal digits.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        guard bytes.first == 0x23 else { return nil }
        var digits = bytes.dropFirst()
        let isHexadecimal = digits.first == 0x78
        if isHexadecimal { digits = digits.dropFirst() }
        // UInt32's reader would take a sign.
        guard let first = digits.first, first != 0x2B, first != 0x2D else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
    }

    /// The character at the index and its length in bytes (RFC 3629).
    static func scalar(_ raw: [UInt8], at index: Int) throws(XMLFault) -> (value: UInt32, length: Int) {
        let first = raw[index]
        if first < 0x80 { return (UInt32(first), 1) }
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if first == 0xE0 { second = 0xA0...0xBF }
            if first == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            length = 4
            if first == 0xF0 { second = 0x90...0xBF }
            if first == 0xF4 { second = 0x80...0x8F }
        default: throw XMLFault(index: index, reason: .notUTF8)
        }
        guard index + length <= raw.count, second.contains(raw[index + 1]) else {
            throw XMLFault(index: index, reason: .notUTF8)
        }
        var value = UInt32(first) & (0xFF >> UInt32(length + 1))
        for offset in 1..<length {
            let byte = raw[index + offset]
            guard byte & 0xC0 == 0x80 else { throw XMLFault(index: index, reason: .notUTF8) }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return (value, length)
    }
}
