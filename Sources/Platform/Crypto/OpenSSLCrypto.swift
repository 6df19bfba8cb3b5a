import COpenSSL
import PhoneProtocol

/// The protocol's cryptography out of OpenSSL 3.0.
package struct OpenSSLCrypto: Crypto {
    package init() {}

    package mutating func random(_ count: Int) -> [UInt8] { Random.bytes(count) }

    package func sha256(_ bytes: [UInt8]) -> [UInt8] { Digest.sha256(bytes) }

    package func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var length = 0
        // By RFC 2104 an empty key is the same as one of zeros, which OpenSSL is surer to take.
        let key = key.isEmpty ? [0] : key
        let done = EVP_Q_mac(
            nil, "HMAC", nil, "SHA256", nil, key, key.count, bytes, bytes.count, &code, code.count, &length)
        precondition(done != nil && length == 32, "OpenSSL has HMAC-SHA-256")
        return code
    }

    package func hmacSHA1(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 20)
        var length = 0
        let key = key.isEmpty ? [0] : key
        let done = EVP_Q_mac(
            nil, "HMAC", nil, "SHA1", nil, key, key.count, bytes, bytes.count, &code, code.count, &length)
        precondition(done != nil && length == 20, "OpenSSL has HMAC-SHA-1")
        return code
    }

    package func x25519PublicKey(of privateKey: [UInt8]) -> [UInt8]? {
        guard let key = OpenSSLKey(privateKey: privateKey, kind: .x25519) else { return nil }
        return key.rawPublicKey
    }

    package func x25519(privateKey: [UInt8], publicKey: [UInt8]) -> [UInt8]? {
        guard let own = OpenSSLKey(privateKey: privateKey, kind: .x25519),
            let theirs = OpenSSLKey(publicKey: publicKey, kind: .x25519)
        else { return nil }
        defer { ERR_clear_error() }
        let context = EVP_PKEY_CTX_new(own.key, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var length = secret.count
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, theirs.key) == 1,
            EVP_PKEY_derive(context, &secret, &length) == 1, length == 32, secret.contains(where: { $0 != 0 })
        else { return nil }
        return secret
    }

    package func sealChaCha20Poly1305(
        _ plain: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]
    ) -> [UInt8]? {
        guard key.count == 32, nonce.count == 12, let count = Int32(exactly: plain.count),
            let more = Int32(exactly: additional.count)
        else { return nil }
        defer { ERR_clear_error() }
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        // One byte more, so that the pointer is one even for nothing.
        var body = [UInt8](repeating: 0, count: plain.count + 1)
        var tag = [UInt8](repeating: 0, count: Self.tagCount)
        var length: Int32 = 0
        var rest: [UInt8] = [0]
        guard EVP_EncryptInit_ex(context, EVP_chacha20_poly1305(), nil, key, nonce) == 1,
            more == 0 || EVP_EncryptUpdate(context, nil, &length, additional, more) == 1,
            count == 0 || EVP_EncryptUpdate(context, &body, &length, plain, count) == 1,
            EVP_EncryptFinal_ex(context, &rest, &length) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagCount), &tag) == 1
        else { return nil }
        return body.dropLast() + tag
    }

    package func openChaCha20Poly1305(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]
    ) -> [UInt8]? {
        guard key.count == 32, nonce.count == 12, sealed.count >= Self.tagCount,
            let count = Int32(exactly: sealed.count - Self.tagCount), let more = Int32(exactly: additional.count)
        else { return nil }
        defer { ERR_clear_error() }
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var plain = [UInt8](repeating: 0, count: Int(count) + 1)
        var tag = Array(sealed.suffix(Self.tagCount))
        var length: Int32 = 0
        var rest: [UInt8] = [0]
        guard EVP_DecryptInit_ex(context, EVP_chacha20_poly1305(), nil, key, nonce) == 1,
            more == 0 || EVP_DecryptUpdate(context, nil, &length, additional, more) == 1,
            count == 0 || EVP_DecryptUpdate(context, &plain, &length, sealed, count) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagCount), &tag) == 1,
            EVP_DecryptFinal_ex(context, &rest, &length) == 1
        else { return nil }
        return plain.dropLast()
    }

    package func verifyEd25519(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == 64, let key = OpenSSLKey(publicKey: publicKey, kind: .ed25519) else { return false }
        return key.verify(signature, of: message, digest: nil)
    }

    package func verifyP256(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard let der = ECDSASignature.der(fromRaw: signature), let key = OpenSSLKey(p256Point: publicKey) else {
            return false
        }
        return key.verify(der, of: message, digest: EVP_sha256())
    }

    package func isP256Point(_ publicKey: [UInt8]) -> Bool { OpenSSLKey(p256Point: publicKey) != nil }

    private static let tagCount = 16
}
