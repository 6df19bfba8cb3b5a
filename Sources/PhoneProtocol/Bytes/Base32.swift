/// RFC 4648 section 6, without padding.
package enum Base32 {
    package enum Case: Sendable {
        case upper
        case lower
    }

    package static func encode(_ bytes: [UInt8], _ letters: Case = .upper) -> String {
        switch letters {
        case .upper: BitText.encode(bytes, bits: 5, alphabet: upper)
        case .lower: BitText.encode(bytes, bits: 5, alphabet: lower)
        }
    }

    /// Letters of both cases; no padding, no other character, no bits that belong to no byte.
    package static func decode(_ text: String) throws(FormatError) -> [UInt8] {
        try BitText.decode(text, bits: 5) { character in
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): character - UInt8(ascii: "2") + 26
            default: nil
            }
        }
    }

    private static let upper = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    private static let lower = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
}
