import COpenSSL

/// Hashes.
package enum Digest {
    /// 32 bytes (FIPS 180-4).
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let result = EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        precondition(result == 1 && length == 32, "OpenSSL has SHA-256")
        return digest
    }
}
