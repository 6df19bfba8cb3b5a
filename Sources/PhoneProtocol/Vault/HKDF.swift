/// RFC 5869 with SHA-256.
package enum HKDF {
    /// At most 8160 bytes.
    package static func derive(
        _ secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int, _ crypto: some Crypto
    ) -> [UInt8] {
        expand(extract(secret, salt: salt, crypto), info: info, count: count, crypto)
    }

    /// With a label of ASCII and without salt.
    static func derive(_ secret: [UInt8], label: String, count: Int, _ crypto: some Crypto) -> [UInt8] {
        derive(secret, salt: [], info: Array(label.utf8), count: count, crypto)
    }

    package static func extract(_ secret: [UInt8], salt: [UInt8], _ crypto: some Crypto) -> [UInt8] {
        // The same key by RFC 2104, which not every library takes when it is empty.
        let key = salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt
        return crypto.hmacSHA256(key: key, secret)
    }

    package static func expand(_ key: [UInt8], info: [UInt8], count: Int, _ crypto: some Crypto) -> [UInt8] {
        precondition((0...255 * 32).contains(count), "HKDF-SHA-256 gives at most 8160 bytes")
        var all: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 0
        while all.count < count {
            number += 1
            block = crypto.hmacSHA256(key: key, block + info + [number])
            all += block
        }
        return Array(all.prefix(count))
    }
}
