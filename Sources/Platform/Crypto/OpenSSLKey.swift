import COpenSSL

/// Owns a key of OpenSSL for the time of one use; freed with it.
final class OpenSSLKey {
    enum Kind {
        case x25519
        case ed25519

        var number: Int32 {
            switch self {
            case .x25519: EVP_PKEY_X25519
            case .ed25519: EVP_PKEY_ED25519
            }
        }
    }

    let key: OpaquePointer

    deinit { EVP_PKEY_free(key) }

    /// Takes over the reference.
    init(owning key: OpaquePointer) { self.key = key }

    /// 32 bytes, as RFC 7748 and RFC 8032 have them; nil otherwise.
    init?(privateKey bytes: [UInt8], kind: Kind) {
        guard bytes.count == 32, let key = EVP_PKEY_new_raw_private_key(kind.number, nil, bytes, bytes.count) else {
            ERR_clear_error()
            return nil
        }
        self.key = key
    }

    /// 32 bytes; nil otherwise.
    init?(publicKey bytes: [UInt8], kind: Kind) {
        guard bytes.count == 32, let key = EVP_PKEY_new_raw_public_key(kind.number, nil, bytes, bytes.count) else {
            ERR_clear_error()
            return nil
        }
        self.key = key
    }

    /// 65 bytes that begin with 04 (X9.63); nil otherwise, and when the point is not on the curve.
    init?(p256Point point: [UInt8]) {
        guard point.count == 65, point[0] == 4 else { return nil }
        defer { ERR_clear_error() }
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        // Named by calls: the names in an OSSL_PARAM would have to outlive Swift's temporary C strings.
        guard EVP_PKEY_paramgen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_paramgen(context, &made) == 1, let made
        else { return nil }
        key = made
        guard EVP_PKEY_set1_encoded_public_key(made, point, point.count) == 1, Self.isValid(made) else { return nil }
    }

    /// A private key as `i2d_PrivateKey` writes it; nil unless it is one of P-256 and nothing more.
    init?(p256DER der: [UInt8]) {
        defer { ERR_clear_error() }
        let made = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var place = buffer.baseAddress
            guard let key = d2i_AutoPrivateKey(nil, &place, buffer.count) else { return nil }
            guard place == buffer.baseAddress.map({ $0 + buffer.count }) else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
        guard let made else { return nil }
        key = made
        guard EVP_PKEY_get_base_id(made) == EVP_PKEY_EC, EVP_PKEY_get_bits(made) == 256, p256Point != nil else {
            return nil
        }
    }

    /// nil when the library fails.
    static func generateP256() -> OpenSSLKey? {
        defer { ERR_clear_error() }
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &made) == 1, let made
        else { return nil }
        return OpenSSLKey(owning: made)
    }

    /// 65 bytes that begin with 04 (X9.63).
    var p256Point: [UInt8]? {
        defer { ERR_clear_error() }
        var point = [UInt8](repeating: 0, count: 65)
        var length = 0
        guard EVP_PKEY_get_octet_string_param(key, "pub", &point, point.count, &length) == 1, length == 65,
            point[0] == 4
        else { return nil }
        return point
    }

    /// The secret that both keys make (ECDH), 32 bytes; nil when the library fails.
    func sharedSecret(with other: OpenSSLKey) -> [UInt8]? {
        defer { ERR_clear_error() }
        let context = EVP_PKEY_CTX_new(key, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var length = secret.count
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other.key) == 1,
            EVP_PKEY_derive(context, &secret, &length) == 1, length == 32
        else { return nil }
        return secret
    }

    /// RSA of 2048 to 16 384 bits, as PEM, without a passphrase.
    static func rsa(privatePEM pem: [UInt8]) throws(RSAKeyProblem) -> OpenSSLKey {
        defer { ERR_clear_error() }
        guard let count = Int32(exactly: pem.count), let text = BIO_new_mem_buf(pem, count) else { throw .unreadable }
        defer { BIO_free(text) }
        // Without a function of ours OpenSSL would ask at the terminal for the passphrase of an encrypted key.
        guard let made = PEM_read_bio_PrivateKey(text, nil, { _, _, _, _ in -1 }, nil) else { throw .unreadable }
        let key = OpenSSLKey(owning: made)
        guard EVP_PKEY_get_base_id(made) == EVP_PKEY_RSA else { throw .otherKind }
        let bits = EVP_PKEY_get_bits(made)
        guard (2048...16_384).contains(bits) else { throw .badSize(bits: Int(bits)) }
        return key
    }

    /// nil when the library fails.
    var rawPublicKey: [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 32)
        var length = bytes.count
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &length) == 1, length == 32 else {
            ERR_clear_error()
            return nil
        }
        return bytes
    }

    func verify(_ signature: [UInt8], of message: [UInt8], digest: OpaquePointer?) -> Bool {
        defer { ERR_clear_error() }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    func sign(_ message: [UInt8], digest: OpaquePointer?) -> [UInt8]? {
        defer { ERR_clear_error() }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: max(128, Int(EVP_PKEY_get_size(key))))
        var length = signature.count
        guard EVP_DigestSignInit(context, nil, digest, nil, key) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { return nil }
        return Array(signature.prefix(length))
    }

    private static func isValid(_ key: OpaquePointer) -> Bool {
        let context = EVP_PKEY_CTX_new(key, nil)
        defer { EVP_PKEY_CTX_free(context) }
        return EVP_PKEY_public_check(context) == 1
    }
}

/// Why a text is no RSA key that may sign.
enum RSAKeyProblem: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable
    case otherKind
    case badSize(bits: Int)

    var description: String {
        switch self {
        case .unreadable: "the private key cannot be read: it is damaged or locked by a passphrase; fetch it anew"
        case .otherKind: "the private key is not an RSA key; fetch the right one"
        case .badSize(let bits): "the private key has \(bits) bits; RSA keys of 2048 to 16384 bits are used"
        }
    }
}
