import AlarmModel
import COpenSSL

/// Makes authorities and signs certificates for servers. For simulators and tests only: nothing of this is used by the
/// product, and its rules let weak certificates be made on purpose.
package final class Authority {
    package enum Key: Hashable, Sendable {
        case p256
        /// Bits of the modulus; 1024 is refused by clients.
        case rsa(Int32)
    }

    package enum Hash: Equatable, Sendable { case sha1, sha256 }

    /// What a certificate says.
    package struct Request: Equatable, Sendable {
        /// Host names (also with a wildcard) and IP addresses.
        package var names: [String]
        /// Both counted from now.
        package var validFrom: Duration
        package var validUntil: Duration
        package var key: Key
        package var hash: Hash
        /// False: a certificate for clients.
        package var isForServers: Bool

        package init(
            names: [String], validFrom: Duration = .seconds(-3600), validUntil: Duration = .seconds(86_400),
            key: Key = .p256, hash: Hash = .sha256, isForServers: Bool = true
        ) {
            self.names = names
            self.validFrom = validFrom
            self.validUntil = validUntil
            self.key = key
            self.hash = hash
            self.isForServers = isForServers
        }
    }

    /// For a client's `ca_file`.
    package var certificatePEM: String { certificate.pem }

    private let certificate: X509Certificate
    private let key: PrivateKey
    /// Certificates between this authority and the root, this one first; empty for a root.
    private let chain: [X509Certificate]

    /// A root.
    package init(name: String = "Test authority", key kind: Key = .p256) throws(CertificateError) {
        key = try PrivateKey(kind)
        let draft = CertificateDraft(name: name, key: key, from: .seconds(-86_400), until: .seconds(30 * 86_400))
        certificate = try draft.signedAsAuthority(by: nil, key: key)
        chain = []
    }

    private init(name: String, below parent: Authority) throws(CertificateError) {
        key = try PrivateKey(.p256)
        let draft = CertificateDraft(name: name, key: key, from: .seconds(-86_400), until: .seconds(30 * 86_400))
        certificate = try draft.signedAsAuthority(by: parent.certificate, key: parent.key)
        chain = [certificate] + parent.chain
    }

    /// An authority that this one vouches for; servers send its certificate along.
    package func intermediate(name: String = "Test intermediate") throws(CertificateError) -> Authority {
        try Authority(name: name, below: self)
    }

    /// A server's certificate and key. Without the intermediates a client cannot find the way to the root.
    package func issue(
        _ request: Request, sendsIntermediates: Bool = true
    ) throws(CertificateError) -> TLSIdentity {
        let serverKey = try PrivateKey(request.key)
        let signed = try CertificateDraft(request, key: serverKey).signed(request, by: certificate, key: key)
        let sent = [signed] + (sendsIntermediates ? chain : [])
        return try TLSIdentity(certificateChainPEM: sent.map(\.pem).joined(), privateKeyPEM: serverKey.pem)
    }

    /// A certificate that nobody but itself vouches for.
    package static func selfSigned(_ request: Request) throws(CertificateError) -> TLSIdentity {
        let serverKey = try PrivateKey(request.key)
        let signed = try CertificateDraft(request, key: serverKey).signed(request, by: nil, key: serverKey)
        return try TLSIdentity(certificateChainPEM: signed.pem, privateKeyPEM: serverKey.pem)
    }
}

/// A private key as OpenSSL holds it.
final class PrivateKey {
    let pointer: OpaquePointer

    init(_ kind: Authority.Key) throws(CertificateError) {
        let context: OpaquePointer?
        switch kind {
        case .p256: context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        case .rsa: context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, Self.shape(context, kind) == 1,
            EVP_PKEY_keygen(context, &made) == 1, let made
        else { throw CertificateError(what: OpenSSLQueue.takeText()) }
        pointer = made
    }

    deinit { EVP_PKEY_free(pointer) }

    private static func shape(_ context: OpaquePointer?, _ kind: Authority.Key) -> Int32 {
        switch kind {
        case .p256: EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
        case .rsa(let bits): EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits)
        }
    }

    var pem: String { PEMText.write { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) } }
}
