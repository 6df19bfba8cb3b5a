/// RFC 4648 section 5, without padding.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        BitText.encode(bytes, bits: 6, alphabet: alphabet)
    }

    /// No padding, no other character, no bits that belong to no byte: bytes have one text only.
    package static func decode(_ text: String) throws(FormatError) -> [UInt8] {
        try BitText.decode(text, bits: 6) { character in
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
            case UInt8(ascii: "-"): 62
            case UInt8(ascii: "_"): 63
            default: nil
            }
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
