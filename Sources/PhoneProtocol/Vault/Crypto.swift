/// The cryptography that the protocol is made of (docs/pairing.md 2). The board has it from OpenSSL, an iPhone from
/// CryptoKit, the simulation from a toy.
///
/// All functions are total: input that makes no sense gives nil or false. Public, because apps implement it.
public protocol Crypto: Sendable {
    /// Random bytes good for keys.
    mutating func random(_ count: Int) -> [UInt8]
    /// 32 bytes (FIPS 180-4).
    func sha256(_ bytes: [UInt8]) -> [UInt8]
    /// 32 bytes (RFC 2104).
    func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8]
    /// 20 bytes (RFC 2104 with SHA-1); for one-time codes of authenticator apps only.
    func hmacSHA1(key: [UInt8], _ bytes: [UInt8]) -> [UInt8]
    /// The public key of a private key of 32 bytes (RFC 7748).
    func x25519PublicKey(of privateKey: [UInt8]) -> [UInt8]?
    /// The shared secret; nil when it would be all zeros.
    func x25519(privateKey: [UInt8], publicKey: [UInt8]) -> [UInt8]?
    /// Ciphertext and 16 bytes of tag (RFC 8439).
    func sealChaCha20Poly1305(_ plain: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8]?
    /// The plain bytes; nil when the tag is wrong.
    func openChaCha20Poly1305(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8]?
    /// RFC 8032; the key has 32 bytes, the signature 64.
    func verifyEd25519(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool
    /// ECDSA with SHA-256; the signature is r ‖ s, the key a point of 65 bytes (X9.63) that is checked to be on the curve.
    func verifyP256(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool
    /// Whether a point of 65 bytes is on the curve.
    func isP256Point(_ publicKey: [UInt8]) -> Bool
}
