import COpenSSL
package import PhoneProtocol

/// A signing key in memory, for the virtual phone and for tests; a real phone has its own places for keys.
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

    /// A new P-256 key; nil when the library fails.
    package static func generateP256() -> OpenSSLSigner? {
        defer { ERR_clear_error() }
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &made) == 1, let made
        else { return nil }
        let key = OpenSSLKey(owning: made)
        var point = [UInt8](repeating: 0, count: 65)
        var length = 0
        guard EVP_PKEY_get_octet_string_param(key.key, "pub", &point, point.count, &length) == 1, length == 65,
            let der = Self.der(of: key)
        else { return nil }
        return OpenSSLSigner(algorithm: .p256, publicKey: point, privateKey: der)
    }

    package func sign(_ message: [UInt8]) -> [UInt8]? {
        switch algorithm {
        // A browser signs with a passkey.
        case .none, .webAuthn: return nil
        case .ed25519: return OpenSSLKey(privateKey: privateKey, kind: .ed25519)?.sign(message, digest: nil)
        case .p256:
            guard let key = Self.key(fromDER: privateKey), let der = key.sign(message, digest: EVP_sha256()) else {
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

    private static func key(fromDER der: [UInt8]) -> OpenSSLKey? {
        defer { ERR_clear_error() }
        return der.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &place, buffer.count).map { OpenSSLKey(owning: $0) }
        }
    }
}

extension OpenSSLSigner: CustomStringConvertible, CustomReflectable {
    package var description: String { "a signing key" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
