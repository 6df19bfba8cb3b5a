/// RFC 4648 section 4, with padding.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        let digits = BitText.encode(bytes, bits: 6, alphabet: Base64URL.letters + Array("+/".utf8))
        return digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
    }

    /// nil for anything that is not exactly this encoding.
    package static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 4) else { return nil }
        let padding = text.utf8.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return try? BitText.decode(String(text.dropLast(padding)), bits: 6) { Base64URL.value($0, "+", "/") }
    }
}

/// RFC 4648 section 5, without padding.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        BitText.encode(bytes, bits: 6, alphabet: letters + Array("-_".utf8))
    }

    /// No padding, no other character, no bits that belong to no byte: bytes have one text only.
    package static func decode(_ text: String) throws(FormatError) -> [UInt8] {
        try BitText.decode(text, bits: 6) { value($0, "-", "_") }
    }

    /// - Parameters:
    ///   - plus: the digit for 62
    ///   - slash: the digit for 63
    fileprivate static func value(_ character: UInt8, _ plus: Unicode.Scalar, _ slash: Unicode.Scalar) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: plus): 62
        case UInt8(ascii: slash): 63
        default: nil
        }
    }

    fileprivate static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
}
