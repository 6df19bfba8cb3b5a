import COpenSSL

/// SHA-256 of bytes that come in pieces.
package final class RunningDigest {
    private let context: OpaquePointer?

    package init() {
        context = EVP_MD_CTX_new()
        begin()
    }

    deinit { EVP_MD_CTX_free(context) }

    private func begin() {
        let result = EVP_DigestInit_ex(context, EVP_sha256(), nil)
        precondition(result == 1, "OpenSSL has SHA-256")
    }

    package func update(_ bytes: ArraySlice<UInt8>) {
        let result = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(result == 1, "hashing in memory does not fail")
    }

    /// 32 bytes; afterwards it begins anew.
    package func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let result = EVP_DigestFinal_ex(context, &digest, nil)
        precondition(result == 1, "hashing in memory does not fail")
        begin()
        return digest
    }
}
