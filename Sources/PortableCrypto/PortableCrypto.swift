public import PhoneProtocol

// PortableCrypto: the phone's part of the protocol's cryptography in Swift alone, for a place that has no library.
//
// For:        the web app's core: SHA-256, HMAC, X25519 and ChaCha20-Poly1305 (docs/pairing.md 2).
// Guarantees: the vectors of the RFCs and the results of OpenSSL; no branch and no address that depends on a secret.
// Knows not:  where randomness comes from (it is given), signatures: the keys that sign are the browser's own.

/// The cryptography of a phone. What only a box needs (verifying signatures, one-time codes) is not there: it says no.
public struct PortableCrypto: Crypto {
    private let source: @Sendable (Int) -> [UInt8]

    /// `random` gives so many bytes that are good for keys.
    public init(random: @escaping @Sendable (Int) -> [UInt8]) { source = random }

    public mutating func random(_ count: Int) -> [UInt8] { source(count) }

    public func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    public func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var block = key.count > SHA256.blockCount ? sha256(key) : key
        block += [UInt8](repeating: 0, count: SHA256.blockCount - block.count)
        var inner = SHA256()
        inner.update(block.map { $0 ^ 0x36 })
        inner.update(bytes)
        var outer = SHA256()
        outer.update(block.map { $0 ^ 0x5C })
        outer.update(inner.finish())
        return outer.finish()
    }

    /// Nothing: a phone makes no one-time codes.
    public func hmacSHA1(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { [] }

    public func x25519PublicKey(of privateKey: [UInt8]) -> [UInt8]? {
        X25519.multiply(privateKey, [9] + [UInt8](repeating: 0, count: 31))
    }

    public func x25519(privateKey: [UInt8], publicKey: [UInt8]) -> [UInt8]? {
        guard let secret = X25519.multiply(privateKey, publicKey), secret.reduce(0, |) != 0 else { return nil }
        return secret
    }

    public func sealChaCha20Poly1305(
        _ plain: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]
    ) -> [UInt8]? {
        ChaCha20Poly1305(key: key, nonce: nonce)?.seal(plain, additional: additional)
    }

    public func openChaCha20Poly1305(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]
    ) -> [UInt8]? {
        ChaCha20Poly1305(key: key, nonce: nonce)?.open(sealed, additional: additional)
    }

    public func verifyEd25519(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool { false }
    public func verifyP256(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool { false }
    public func isP256Point(_ publicKey: [UInt8]) -> Bool { false }
}
