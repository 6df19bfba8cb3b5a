/// The two forms of a P-256 signature: r ‖ s in 64 bytes on our wire, DER (X.690) in OpenSSL and from browsers.
package enum ECDSASignature {
    /// What DER of such a signature can have: two numbers of 1 to 33 bytes, each with two bytes before it.
    package static let derSizes = 8...72

    /// nil unless there are 64 bytes.
    package static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64 else { return nil }
        let content = integer(raw[..<32]) + integer(raw[32...])
        // At most 70 bytes: the short form of a length always does.
        return [0x30, UInt8(content.count)] + content
    }

    /// nil when it is not exactly the DER of two positive numbers of at most 32 bytes: one form for each signature.
    package static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        guard derSizes.contains(der.count), der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der[2...]
        guard let r = takeInteger(from: &rest), let s = takeInteger(from: &rest), rest.isEmpty else { return nil }
        return r + s
    }

    private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(number.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    private static func takeInteger(from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.count >= 2, rest.removeFirst() == 0x02 else { return nil }
        let count = Int(rest.removeFirst())
        guard (1...33).contains(count), count <= rest.count else { return nil }
        let content = rest.prefix(count)
        rest = rest.dropFirst(count)
        let digits = content.drop { $0 == 0 }
        // Written again it must be the same: no sign, no zero in front that is not needed.
        guard (1...32).contains(digits.count), integer(digits).dropFirst(2).elementsEqual(content) else { return nil }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}
