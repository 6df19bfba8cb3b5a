import AlarmModel
import COpenSSL

extension TLSFailure {
    /// The certificate is not the one that was pinned: what it is, as people compare it.
    static func otherFingerprint(_ found: [UInt8]) -> String {
        "its fingerprint is \(found.map { $0.padded(radix: 16, uppercase: true) }.joined(separator: ":"))"
    }

    /// What a certificate was rejected for (X509_V_ERR_…).
    init(verification code: Int32) {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .certificateExpired
        case X509_V_ERR_CERT_NOT_YET_VALID: self = .certificateNotYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .wrongHost
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: self = .selfSigned
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
            X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            self = .unknownAuthority
        case X509_V_ERR_EE_KEY_TOO_SMALL: self = .tooWeak("its key is too short")
        case X509_V_ERR_CA_KEY_TOO_SMALL: self = .tooWeak("the key of its authority is too short")
        case X509_V_ERR_CA_MD_TOO_WEAK: self = .tooWeak("its certificate is signed with an outdated digest")
        default: self = .certificateRejected(String(cString: X509_verify_cert_error_string(Int(code))))
        }
    }

    /// Takes the failure of the last call on a session out of the queue of errors.
    init(takingErrorOf session: OpaquePointer) {
        let code = ERR_get_error()
        ERR_clear_error()
        // Stays X509_V_OK as long as no certificate was looked at.
        let verification = Int32(clamping: SSL_get_verify_result(session))
        guard verification == X509_V_OK else {
            self.init(verification: verification)
            return
        }
        switch ERR_GET_REASON(code) {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
            self = .tooWeak("TLS 1.2 is not offered")
        case SSL_R_DH_KEY_TOO_SMALL: self = .tooWeak("its key exchange is too short")
        case SSL_R_WRONG_VERSION_NUMBER: self = .protocolError("the other end does not speak TLS")
        case 0: self = .protocolError("no reason given")
        default:
            self = .protocolError(ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)")
        }
    }
}
