import COpenSSL

/// AES with GCM (NIST SP 800-38D), for what browsers open themselves.
package enum AESGCM {
    static let tagCount = 16

    /// What is sealed and 16 bytes of tag behind it.
    ///
    /// - Parameters:
    ///   - key: 16 or 32 bytes; never used again with this nonce
    ///   - nonce: 12 bytes
    /// - Returns: nil when one of them has another length, or the library fails
    package static func seal(_ plain: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        guard key.count == 16 || key.count == 32, nonce.count == 12, let count = Int32(exactly: plain.count) else {
            return nil
        }
        defer { ERR_clear_error() }
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: plain.count)
        var tag = [UInt8](repeating: 0, count: tagCount)
        var length: Int32 = 0
        var rest = [UInt8](repeating: 0, count: 16)
        let cipher = key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        guard EVP_EncryptInit_ex(context, cipher, nil, key, nonce) == 1,
            EVP_EncryptUpdate(context, &sealed, &length, plain, count) == 1, length == count,
            EVP_EncryptFinal_ex(context, &rest, &length) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), &tag) == 1
        else { return nil }
        return sealed + tag
    }
}
