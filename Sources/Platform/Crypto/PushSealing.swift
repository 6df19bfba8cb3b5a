import PhoneProtocol

/// Messages for browsers' push subscriptions: one record of `aes128gcm` (RFC 8188) with a key that only the browser can
/// make, too (RFC 8291).
enum PushSealing {
    /// Of a body that is smaller; the record says it and never fills it.
    private static let recordSize: UInt32 = 4096

    /// The whole body, padded to `size` bytes; nil when the message is too long for it, the point is not on the curve, or
    /// the library fails.
    static func seal(_ message: [UInt8], to point: [UInt8], secret: [UInt8], size: Int) -> [UInt8]? {
        guard let own = OpenSSLKey.generateP256() else { return nil }
        return seal(message, to: point, secret: secret, size: size, own: own, salt: Random.bytes(16))
    }

    /// - Parameters:
    ///   - own: a key for this message alone
    ///   - salt: 16 random bytes
    static func seal(
        _ message: [UInt8], to point: [UInt8], secret: [UInt8], size: Int, own: OpenSSLKey, salt: [UInt8]
    ) -> [UInt8]? {
        guard let peer = OpenSSLKey(p256Point: point), let ownPoint = own.p256Point,
            let shared = own.sharedSecret(with: peer)
        else { return nil }
        let info = Array("WebPush: info\0".utf8) + point + ownPoint
        let key = HKDF.derive(shared, salt: secret, info: info, count: 32, OpenSSLCrypto())
        return body(message, key: key, salt: salt, keyID: ownPoint, size: size)
    }

    /// RFC 8188 2: header and a single record, padded to `size` bytes in all.
    static func body(_ message: [UInt8], key: [UInt8], salt: [UInt8], keyID: [UInt8], size: Int) -> [UInt8]? {
        let header = salt + bigEndian(recordSize) + [UInt8(clamping: keyID.count)] + keyID
        let padding = size - header.count - message.count - 1 - AESGCM.tagCount
        guard padding >= 0, size - header.count <= Int(recordSize) else { return nil }
        let crypto = OpenSSLCrypto()
        let cipherKey = HKDF.derive(
            key, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16, crypto)
        let nonce = HKDF.derive(key, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), count: 12, crypto)
        // 2: the last record.
        let plain = message + [2] + [UInt8](repeating: 0, count: padding)
        return AESGCM.seal(plain, key: cipherKey, nonce: nonce).map { header + $0 }
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }
}
