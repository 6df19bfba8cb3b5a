import COpenSSL
package import PhoneProtocol

/// A signing key in memory: the box's own towards push services, and those of the virtual phone and of tests. A real
/// phone has its own places for keys.
package struct OpenSSLSigner: Signer {
    package let algorithm: SignatureAlgorithm
    package let publicKey: [UInt8]
    /// The seed, or for P-256 the key as DER.
    private let privateKey: [UInt8]

    /// Ed25519 (RFC 8032); nil unless the seed has 32 bytes.
    package init?(ed25519Seed seed: [UInt8]) {
        guard let point = OpenSSLKey(privateKey: seed, kind: .ed25519)?.rawPublicKey else { return nil }
        algorithm = .ed25519
        publicKey = point
        privateKey = seed
    }

    /// A P-256 key as `stored` gave it; nil for anything else.
    package init?(p256Stored der: [UInt8]) {
        guard let key = OpenSSLKey(p256DER: der), let point = key.p256Point else { return nil }
        self.init(algorithm: .p256, publicKey: point, privateKey: der)
    }

    /// The private key, to be kept: of P-256 as DER (RFC 5915), else the seed. Never print it.
    package var stored: [UInt8] { privateKey }

    /// A new P-256 key; nil when the library fails.
    package static func generateP256() -> OpenSSLSigner? {
        guard let key = OpenSSLKey.generateP256(), let point = key.p256Point, let der = Self.der(of: key) else {
            return nil
        }
        return OpenSSLSigner(algorithm: .p256, publicKey: point, privateKey: der)
    }

    package func sign(_ message: [UInt8]) -> [UInt8]? {
        switch algorithm {
        // A browser signs with a passkey.
        case .none, .webAuthn: return nil
        case .ed25519: return OpenSSLKey(privateKey: privateKey, kind: .ed25519)?.sign(message, digest: nil)
        case .p256:
            guard let key = OpenSSLKey(p256DER: privateKey), let der = key.sign(message, digest: EVP_sha256()) else {
                return nil
            }
            return ECDSASignature.raw(fromDER: der)
        }
    }

    private init(algorithm: SignatureAlgorithm, publicKey: [UInt8], privateKey: [UInt8]) {
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.privateKey = privateKey
    }

    private static func der(of key: OpenSSLKey) -> [UInt8]? {
        let count = i2d_PrivateKey(key.key, nil)
        guard count > 0 else { return nil }
        var der = [UInt8](repeating: 0, count: Int(count))
        let written = der.withUnsafeMutableBufferPointer { buffer in
            var place = buffer.baseAddress
            return i2d_PrivateKey(key.key, &place)
        }
        return written == count ? der : nil
    }
}

extension OpenSSLSigner: CustomStringConvertible, CustomReflectable {
    package var description: String { "a signing key" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
