import AlarmModel
package import PhoneProtocol

/// Cryptography without strength: honest parties agree, and altered bytes fail. Deterministic and fast.
package struct ToyCrypto: Crypto, Equatable {
    private var generator: Jitter

    package init(seed: UInt64) { generator = Jitter(seed: seed) }

    package mutating func random(_ count: Int) -> [UInt8] { Self.stretch(generator.next(), count) }

    package func sha256(_ bytes: [UInt8]) -> [UInt8] { Self.stretch(Self.digest(bytes, 1), 32) }

    package func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        Self.stretch(Self.digest(bytes, Self.digest(key, 2)), 32)
    }

    package func hmacSHA1(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        Self.stretch(Self.digest(bytes, Self.digest(key, 5)), 20)
    }

    /// What both sides of a login prove to know; the conversation is not part of it here.
    static func scram(_ password: Secret, _ salt: [UInt8]) -> (proof: [UInt8], serverSignature: [UInt8]) {
        let seed = digest(Array(password.revealed.utf8) + salt, 6)
        return (stretch(seed, 20), stretch(~seed, 20))
    }

    // MARK: Diffie and Hellman in a field of 61 bits

    private static let prime = UInt64(1) << 61 - 1

    package func x25519PublicKey(of privateKey: [UInt8]) -> [UInt8]? {
        Self.point(Self.power(37, Self.exponent(privateKey)))
    }

    package func x25519(privateKey: [UInt8], publicKey: [UInt8]) -> [UInt8]? {
        guard publicKey.count == 32 else { return nil }
        let base = publicKey[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard base > 1, base < Self.prime, Self.point(base) == publicKey else { return nil }
        return Self.point(Self.power(base, Self.exponent(privateKey)))
    }

    private static func exponent(_ key: [UInt8]) -> UInt64 { digest(key, 3) % (prime - 2) + 1 }

    private static func power(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
        func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
            prime.dividingFullWidth(a.multipliedFullWidth(by: b)).remainder
        }
        var result: UInt64 = 1
        var factor = base
        var rest = exponent
        while rest > 0 {
            if rest & 1 == 1 { result = product(result, factor) }
            factor = product(factor, factor)
            rest >>= 1
        }
        return result
    }

    private static func point(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) } + stretch(value, 24)
    }

    // MARK: Seals

    package func sealChaCha20Poly1305(_ plain: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8]? {
        let secret = Self.digest(nonce, Self.digest(key, 4))
        let sealed = zip(plain, Self.stretch(secret, plain.count)).map { $0 ^ $1 }
        return sealed + Self.tag(sealed, additional, secret)
    }

    package func openChaCha20Poly1305(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8]?
    {
        guard sealed.count >= 16 else { return nil }
        let secret = Self.digest(nonce, Self.digest(key, 4))
        let body = Array(sealed.dropLast(16))
        guard Self.tag(body, additional, secret) == Array(sealed.suffix(16)) else { return nil }
        return zip(body, Self.stretch(secret, body.count)).map { $0 ^ $1 }
    }

    private static func tag(_ sealed: [UInt8], _ additional: [UInt8], _ secret: UInt64) -> [UInt8] {
        stretch(digest(sealed, digest(additional, secret)), 16)
    }

    // MARK: Signatures

    package func verifyEd25519(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        signature == Self.signature(of: message, publicKey: publicKey)
    }

    package func verifyP256(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool { false }
    package func isP256Point(_ publicKey: [UInt8]) -> Bool { false }

    /// The secret follows from the public key; nobody in this world looks for it.
    static func signature(of message: [UInt8], publicKey: [UInt8]) -> [UInt8] {
        stretch(digest(message, digest(publicKey, 5)), 64)
    }

    /// FNV-1a, mixed at the end.
    package static func digest(_ bytes: [UInt8], _ start: UInt64) -> UInt64 {
        var hash = 0xCBF2_9CE4_8422_2325 ^ (start &* 0x9E37_79B9_7F4A_7C15)
        bytes.withUnsafeBufferPointer { buffer in
            for byte in buffer { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        var mixer = Jitter(seed: hash ^ UInt64(bytes.count))
        return mixer.next()
    }

    package static func stretch(_ seed: UInt64, _ count: Int) -> [UInt8] {
        var generator = Jitter(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            var word = generator.next()
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

/// A signing key of a toy phone.
package struct ToySigner: Signer {
    package let publicKey: [UInt8]
    package var algorithm: SignatureAlgorithm { .ed25519 }

    package init(seed: UInt64) {
        var crypto = ToyCrypto(seed: seed)
        publicKey = crypto.random(32)
    }

    package func sign(_ message: [UInt8]) -> [UInt8]? { ToyCrypto.signature(of: message, publicKey: publicKey) }
}
