package import AlarmModel
import COpenSSL
import Glibc

/// Whom a client believes: the authorities of one file, parsed once, and the rules that nothing can switch off. TLS 1.2
/// or newer, security level 2 (no SHA-1, no keys below 112 bits of strength), the chain and the host name always
/// verified, no ALPN. Where one certificate is pinned, that one is the rule. Confined to the loop's thread.
package final class TLSTrust {
    /// How many certificates the file has.
    package let authorityCount: Int
    let context: OpaquePointer
    /// The certificate that alone is believed; nil: the rules above hold.
    let pin: [UInt8]?
    static let fileLimit = 8 * 1024 * 1024

    /// Takes the authorities in a PEM file; without one, those of the system.
    ///
    /// - Parameter time: when certificates have to be valid; nil: now, by the system's clock
    package convenience init(caFile: String? = nil, at time: WallTime? = nil) throws(TLSFailure) {
        let path: String
        if let caFile { path = caFile } else { path = try Self.systemFile() }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileReader.read(path, limit: Self.fileLimit)
        } catch {
            throw .noAuthorities(error.description)
        }
        try self.init(pem: bytes, subject: path, at: time)
    }

    /// - Parameters:
    ///   - subject: where they come from, for people
    ///   - time: when certificates have to be valid; nil: now, by the system's clock
    package init(pem: [UInt8], subject: String, at time: WallTime? = nil) throws(TLSFailure) {
        let context = TLSContext.make(TLS_client_method())
        do throws(TLSFailure) {
            authorityCount = try Self.add(pem, subject: subject, to: SSL_CTX_get_cert_store(context))
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        self.context = context
        pin = nil
        SSL_CTX_set_security_level(context, max(2, SSL_CTX_get_security_level(context)))
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        if let time { X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context), time_t(time.seconds)) }
    }

    /// Believes the one certificate with this fingerprint (SHA-256 of its encoded form), whoever signed it and whatever
    /// name and dates stand in it: for devices in the house, whose certificates nobody certifies.
    package init(pinned fingerprint: [UInt8]) {
        authorityCount = 0
        context = TLSContext.make(TLS_client_method())
        pin = fingerprint
        // A key of a camera that is some years old has 1024 bits; nobody else has that key.
        SSL_CTX_set_security_level(context, 1)
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
    }

    deinit { SSL_CTX_free(context) }

    private static func add(
        _ pem: [UInt8], subject: String, to store: OpaquePointer?
    ) throws(TLSFailure) -> Int {
        var certificates: [X509Certificate]
        do throws(CertificateError) {
            certificates = try X509Certificate.all(inPEM: pem)
        } catch {
            throw .noAuthorities("\(subject): \(error)")
        }
        for certificate in certificates where X509_STORE_add_cert(store, certificate.pointer) != 1 {
            throw .noAuthorities("\(subject): \(OpenSSLQueue.takeText())")
        }
        guard !certificates.isEmpty else { throw .noAuthorities("\(subject): there is no certificate in it") }
        return certificates.count
    }

    /// Where this system keeps its authorities in one file. A directory of them would be read during handshakes.
    static func systemFile() throws(TLSFailure) -> String {
        var candidates = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
        if let standard = X509_get_default_cert_file() { candidates.insert(String(cString: standard), at: 0) }
        if let name = X509_get_default_cert_file_env(), let value = getenv(name) {
            candidates.insert(String(cString: value), at: 0)
        }
        for candidate in candidates where access(candidate, R_OK) == 0 { return candidate }
        throw .noAuthorities("this system has none; install ca-certificates")
    }
}

/// What client and server contexts share.
enum TLSContext {
    static func make(_ method: OpaquePointer?) -> OpaquePointer {
        guard let context = SSL_CTX_new(method), ha_context_prepare(context) == 1 else {
            preconditionFailure("OpenSSL makes a context while there is memory: \(OpenSSLQueue.takeText())")
        }
        return context
    }
}
