/// How a phone signs commands; the numbers are those of the pairing (docs/pairing.md 4). Public, because apps use it.
public enum SignatureAlgorithm: UInt8, Hashable, Sendable, CaseIterable {
    /// No key: a phone without a screen lock has no key 2.
    case none = 0
    /// RFC 8032; a key has 32 bytes.
    case ed25519 = 1
    /// ECDSA with SHA-256; a key is a point of 65 bytes (X9.63), a signature r ‖ s.
    case p256 = 2
    /// A passkey in a browser (Web Authentication): P-256, and signed is what the browser makes of the message; key 2
    /// only.
    case webAuthn = 3

    /// Bytes of a public key.
    public var keyCount: Int {
        switch self {
        case .none: 0
        case .ed25519: 32
        case .p256, .webAuthn: 65
        }
    }

    /// Key 1 is always there, and signs without asking anybody.
    var mayBeKey1: Bool {
        switch self {
        case .ed25519, .p256: true
        case .none, .webAuthn: false
        }
    }
}

/// A signing key of a phone, wherever it lives: the Secure Enclave, a key chain, memory. Public, because apps implement it.
public protocol Signer: Sendable {
    var algorithm: SignatureAlgorithm { get }
    /// As many bytes as the algorithm's keys have.
    var publicKey: [UInt8] { get }
    /// 64 bytes, of a passkey what `WebAuthnAssertion` reads; nil when the owner did not consent or the key is not there.
    func sign(_ message: [UInt8]) -> [UInt8]?
}
