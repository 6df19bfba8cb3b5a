import AlarmModel
import COpenSSL

/// A certificate that is being written, for simulators and tests only (see `Authority`).
struct CertificateDraft {
    private let draft: X509Certificate

    init(name: String, key: PrivateKey, from: Duration, until: Duration) {
        guard let pointer = X509_new() else { preconditionFailure("OpenSSL makes a certificate while there is memory") }
        draft = X509Certificate(owning: pointer)
        let serial = ASN1_INTEGER_new()
        ASN1_INTEGER_set_uint64(serial, Random.number() >> 1)
        X509_set_serialNumber(pointer, serial)
        ASN1_INTEGER_free(serial)
        // Version 3 counts as 2.
        X509_set_version(pointer, 2)
        X509_gmtime_adj(X509_getm_notBefore(pointer), Int(from.components.seconds))
        X509_gmtime_adj(X509_getm_notAfter(pointer), Int(until.components.seconds))
        X509_set_pubkey(pointer, key.pointer)
        let subject = X509_get_subject_name(pointer)
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0)
    }

    init(_ request: Authority.Request, key: PrivateKey) {
        self.init(name: "Test server", key: key, from: request.validFrom, until: request.validUntil)
    }

    /// Without an issuer the certificate vouches for itself.
    func signedAsAuthority(by issuer: X509Certificate?, key: PrivateKey) throws(CertificateError) -> X509Certificate {
        try sign(
            [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ], by: issuer, key: key, hash: .sha256)
    }

    func signed(
        _ request: Authority.Request, by issuer: X509Certificate?, key: PrivateKey
    ) throws(CertificateError) -> X509Certificate {
        let names = request.names.map { IPAddress($0) == nil ? "DNS:\($0)" : "IP:\($0)" }
        return try sign(
            [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, request.isForServers ? "serverAuth" : "clientAuth"),
                (NID_subject_key_identifier, "hash"), (NID_subject_alt_name, names.joined(separator: ",")),
            ], by: issuer, key: key, hash: request.hash)
    }

    private func sign(
        _ extensions: [(Int32, String)], by issuer: X509Certificate?, key: PrivateKey, hash: Authority.Hash
    ) throws(CertificateError) -> X509Certificate {
        let issuer = issuer ?? draft
        X509_set_issuer_name(draft.pointer, X509_get_subject_name(issuer.pointer))
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.pointer, draft.pointer, nil, nil, 0)
        for (kind, value) in extensions {
            guard let made = X509V3_EXT_conf_nid(nil, &context, kind, value) else {
                throw CertificateError(what: "\(value): \(OpenSSLQueue.takeText())")
            }
            X509_add_ext(draft.pointer, made, -1)
            X509_EXTENSION_free(made)
        }
        let digest: OpaquePointer?
        switch hash {
        case .sha1: digest = EVP_sha1()
        case .sha256: digest = EVP_sha256()
        }
        guard X509_sign(draft.pointer, key.pointer, digest) > 0 else {
            throw CertificateError(what: OpenSSLQueue.takeText())
        }
        return draft
    }
}
