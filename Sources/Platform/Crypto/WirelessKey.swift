import COpenSSL

/// The key of a wireless network out of its passphrase (IEEE 802.11i, H.4): PBKDF2 with SHA-1, 4096 rounds, and the
/// network's name as the salt.
package enum WirelessKey {
    /// 32 bytes; nil only if OpenSSL refuses to derive.
    package static func derived(from passphrase: [UInt8], network name: [UInt8]) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: 32)
        let text = passphrase.map { CChar(bitPattern: $0) }
        let result = PKCS5_PBKDF2_HMAC(
            text, Int32(clamping: text.count), name, Int32(clamping: name.count), 4096, EVP_sha1(),
            Int32(clamping: key.count), &key)
        return result == 1 ? key : nil
    }
}
