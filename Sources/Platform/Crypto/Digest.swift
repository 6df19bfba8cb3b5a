import COpenSSL

/// Hashes.
package enum Digest {
    /// 32 bytes (FIPS 180-4).
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { hash(bytes, EVP_sha256(), count: 32) }

    /// 20 bytes (FIPS 180-4); for protocols that want it where nothing hangs on it, such as WebSocket's handshake.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] { hash(bytes, EVP_sha1(), count: 20) }

    /// 16 bytes (RFC 1321): for the logins of cameras alone, which know no other (RFC 7616).
    package static func md5(_ bytes: [UInt8]) -> [UInt8] { hash(bytes, EVP_md5(), count: 16) }

    private static func hash(_ bytes: [UInt8], _ kind: OpaquePointer?, count: Int) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        var length: UInt32 = 0
        let result = EVP_Digest(bytes, bytes.count, &digest, &length, kind, nil)
        precondition(result == 1 && length == count, "OpenSSL has MD5, SHA-1 and SHA-256")
        return digest
    }
}
