package import AlarmModel

/// Freshness without a clock and without state (docs/pairing.md 7.2): expiry ‖ the first 12 bytes of a MAC.
package enum Challenge {
    package static let count = 16

    /// `expiry` in seconds since the start of the box, `key` 32 random bytes of this run.
    package static func make(expiry: UInt32, phone: PhoneID, key: [UInt8], _ crypto: some Crypto) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint32(expiry)
        let mac = crypto.hmacSHA256(key: key, Array("HA2 ch\0".utf8) + phone.bytes + writer.bytes)
        return writer.bytes + mac.prefix(12)
    }

    package static func judge(
        _ challenge: [UInt8], phone: PhoneID, key: [UInt8], _ crypto: some Crypto
    ) -> CommandVerdict.Challenge {
        guard challenge.count == count else { return .foreign }
        let expiry = challenge[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let ours = make(expiry: expiry, phone: phone, key: key, crypto)
        return ConstantTime.equal(challenge, ours) ? .ours(expiry: expiry) : .foreign
    }
}
