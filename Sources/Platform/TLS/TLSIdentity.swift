import AlarmModel
import COpenSSL

/// Who a server is: its certificate, those that lead to the authority, and its key. For simulators and tests only: the
/// product has no TLS server. A server takes weak keys and digests, for it is the client that has to refuse them.
package final class TLSIdentity {
    package enum Version: Equatable, Sendable { case tls11, tls12, tls13 }

    /// The server's certificate first.
    package let certificateChainPEM: String
    package let privateKeyPEM: String
    /// SHA-256 of its own certificate, by which a browser can be told to trust it.
    package let fingerprint: [UInt8]
    let context: OpaquePointer

    /// Speaks TLS 1.2 or newer, or `only` one version.
    package init(
        certificateChainPEM: String, privateKeyPEM: String, only version: Version? = nil
    ) throws(CertificateError) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
        context = TLSContext.make(TLS_server_method())
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_set_num_tickets(context, 0)
        let certificates = try X509Certificate.all(inPEM: Array(certificateChainPEM.utf8))
        fingerprint = certificates.first?.fingerprint ?? []
        let keyBytes = Array(privateKeyPEM.utf8)
        let source = BIO_new_mem_buf(keyBytes, Int32(clamping: keyBytes.count))
        let key = PEM_read_bio_PrivateKey(source, nil, nil, nil)
        BIO_free(source)
        withExtendedLifetime(keyBytes) {}
        defer { EVP_PKEY_free(key) }
        guard let first = certificates.first, let key, SSL_CTX_use_certificate(context, first.pointer) == 1,
            SSL_CTX_use_PrivateKey(context, key) == 1,
            certificates.dropFirst().allSatisfy({ ha_context_add_chain(context, $0.pointer) == 1 })
        else { throw CertificateError(what: OpenSSLQueue.takeText()) }
        switch version {
        case .tls11: _ = ha_context_set_version(context, TLS1_1_VERSION)
        case .tls12: _ = ha_context_set_version(context, TLS1_2_VERSION)
        case .tls13: _ = ha_context_set_version(context, TLS1_3_VERSION)
        case nil: break
        }
    }

    /// The same server that speaks one version only.
    package func speakingOnly(_ version: Version) throws(CertificateError) -> TLSIdentity {
        try TLSIdentity(certificateChainPEM: certificateChainPEM, privateKeyPEM: privateKeyPEM, only: version)
    }

    deinit { SSL_CTX_free(context) }
}
