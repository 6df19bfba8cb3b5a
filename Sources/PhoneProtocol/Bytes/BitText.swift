/// What base 32 and base 64 share: characters that stand for five or six bits each, without padding.
enum BitText {
    static func encode(_ bytes: [UInt8], bits: Int, alphabet: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + bits - 1) / bits)
        let mask = UInt32(1) << UInt32(bits) - 1
        var held: UInt32 = 0
        var count = 0
        for byte in bytes {
            held = held << 8 | UInt32(byte)
            count += 8
            while count >= bits {
                count -= bits
                text.append(alphabet[Int(held >> UInt32(count) & mask)])
            }
            held &= UInt32(1) << UInt32(count) - 1
        }
        if count > 0 { text.append(alphabet[Int(held << UInt32(bits - count) & mask)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// `value` gives the bits of a character, nil for one that the encoding does not have. Bits that are left over must
    /// be zeros and fewer than a character has, so that bytes have one text only.
    static func decode(_ text: String, bits: Int, value: (UInt8) -> UInt8?) throws(FormatError) -> [UInt8] {
        var bytes: [UInt8] = []
        var held: UInt32 = 0
        var count = 0
        var offset = 0
        for character in text.utf8 {
            guard let value = value(character) else { throw .character(character, offset: offset) }
            offset += 1
            held = held << UInt32(bits) | UInt32(value)
            count += bits
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(count)))
                held &= UInt32(1) << UInt32(count) - 1
            }
        }
        guard count < bits, held == 0 else { throw .incompleteEnd }
        return bytes
    }
}
