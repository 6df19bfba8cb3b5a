/// Two hexadecimal digits for each byte.
package enum Hex {
    /// In lower case.
    package static func encode(_ bytes: [UInt8]) -> String {
        BitText.encode(bytes, bits: 4, alphabet: digits)
    }

    /// A number in lower case; nil for anything else.
    package static func number(_ text: String) -> UInt64? {
        guard text.utf8.allSatisfy({ digits.contains($0) }) else { return nil }
        return UInt64(text, radix: 16)
    }

    /// Digits of both cases.
    package static func decode(_ text: String) throws(FormatError) -> [UInt8] {
        guard text.utf8.count.isMultiple(of: 2) else { throw .incompleteEnd }
        return try BitText.decode(text, bits: 4) { character in
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
            default: nil
            }
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
