import AlarmModel
import PhoneProtocol
import Platform

/// The real cryptography with randomness out of a seed.
struct SeededCrypto: Crypto {
    private var generator: Jitter
    private let real = OpenSSLCrypto()

    init(seed: UInt64) { generator = Jitter(seed: seed) }

    mutating func random(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    func sha256(_ bytes: [UInt8]) -> [UInt8] { real.sha256(bytes) }
    func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { real.hmacSHA256(key: key, bytes) }
    func hmacSHA1(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { real.hmacSHA1(key: key, bytes) }
    func x25519PublicKey(of privateKey: [UInt8]) -> [UInt8]? { real.x25519PublicKey(of: privateKey) }
    func x25519(privateKey: [UInt8], publicKey: [UInt8]) -> [UInt8]? {
        real.x25519(privateKey: privateKey, publicKey: publicKey)
    }
    func sealChaCha20Poly1305(_ plain: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8]? {
        real.sealChaCha20Poly1305(plain, key: key, nonce: nonce, additional: additional)
    }
    func openChaCha20Poly1305(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8]? {
        real.openChaCha20Poly1305(sealed, key: key, nonce: nonce, additional: additional)
    }
    func verifyEd25519(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        real.verifyEd25519(signature, of: message, publicKey: publicKey)
    }
    func verifyP256(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        real.verifyP256(signature, of: message, publicKey: publicKey)
    }
    func isP256Point(_ publicKey: [UInt8]) -> Bool { real.isP256Point(publicKey) }
}
