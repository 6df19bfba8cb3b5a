package import AlarmModel
import COpenSSL

/// TLS without I/O: ciphertext goes in and comes out as bytes, nothing waits. Confined to the loop's thread.
///
/// A client verifies the chain and the name of the server, or that its certificate is the one that was pinned; there is
/// no way around it.
package final class TLSSession {
    package enum Reading: Equatable, Sendable {
        /// So many bytes of plain text, at least one.
        case bytes(Int)
        /// More ciphertext is needed.
        case nothing
        /// The peer has sent close_notify.
        case finished
    }

    /// The most that fits into one record (RFC 8446, 5.1).
    package static let recordLimit = 16 * 1024

    private let session: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer
    private let isClient: Bool
    private let pin: [UInt8]?
    /// Set from C when the server asks to renegotiate.
    private let renegotiation: UnsafeMutablePointer<Int32>

    /// The client's side. `serverName` is a host name or an IP address, which the certificate has to name; a name that
    /// no certificate could have is `.wrongHost`. Its certificate has to be valid at `time`; nil: now, by the system's
    /// clock.
    package static func client(
        serverName: String, trust: TLSTrust, at time: WallTime? = nil
    ) throws(TLSFailure) -> TLSSession {
        let session = TLSSession(trust.context, isClient: true, pin: trust.pin)
        try session.expect(serverName)
        if let time { X509_VERIFY_PARAM_set_time(SSL_get0_param(session.session), time_t(time.seconds)) }
        return session
    }

    /// The server's side, for simulators and tests.
    package static func server(identity: TLSIdentity) -> TLSSession {
        TLSSession(identity.context, isClient: false)
    }

    private init(_ context: OpaquePointer, isClient: Bool, pin: [UInt8]? = nil) {
        guard let session = SSL_new(context), let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem())
        else { preconditionFailure("OpenSSL makes a session while there is memory") }
        self.session = session
        self.input = input
        self.output = output
        self.isClient = isClient
        self.pin = pin
        renegotiation = .allocate(capacity: 1)
        renegotiation.initialize(to: 0)
        SSL_set_bio(session, input, output)
        if isClient {
            SSL_set_connect_state(session)
            ha_note_renegotiation(session, renegotiation)
        } else {
            SSL_set_accept_state(session)
        }
    }

    deinit {
        SSL_free(session)
        renegotiation.deallocate()
    }

    private func expect(_ serverName: String) throws(TLSFailure) {
        let rules = SSL_get0_param(session)
        let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        X509_VERIFY_PARAM_set_hostflags(rules, flags)
        let isSet: Bool
        if let address = IPAddress(serverName) {
            isSet = X509_VERIFY_PARAM_set1_ip(rules, address.bytes, address.bytes.count) == 1
        } else {
            let name = serverName.hasSuffix(".") ? String(serverName.dropLast()) : serverName
            // OpenSSL would take "" for any name and ".example.org" for all names below.
            guard Self.isHostName(name) else { throw .wrongHost }
            isSet = SSL_set1_host(session, name) == 1 && ha_set_server_name(session, name) == 1
        }
        precondition(isSet, "OpenSSL takes a name while there is memory: \(OpenSSLQueue.takeText())")
    }

    private static func isHostName(_ name: String) -> Bool {
        guard (1...253).contains(name.utf8.count) else { return false }
        return name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count)
                && label.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
    }

    // MARK: Ciphertext

    /// Takes what came from the peer.
    package func receive(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        let count = BIO_write(input, bytes, Int32(clamping: bytes.count))
        precondition(Int(count) == bytes.count, "writing to memory works")
    }

    /// What is to be sent to the peer; to be asked for after every other call.
    package func takeOutput() -> [UInt8] {
        let waiting = BIO_ctrl_pending(output)
        guard waiting > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: waiting) { buffer, count in
            count = max(0, Int(BIO_read(output, buffer.baseAddress, Int32(clamping: waiting))))
        }
    }

    // MARK: Plain text

    /// Goes on with the handshake as far as it goes; true when it is complete and the peer has proved who it is.
    package func handshake() throws(TLSFailure) -> Bool {
        ERR_clear_error()
        let result = SSL_do_handshake(session)
        guard result == 1 else {
            try check(result)
            return false
        }
        guard isClient else { return true }
        if let pin {
            let found = SSL_get0_peer_certificate(session).map { X509Certificate.fingerprint(of: $0) } ?? []
            guard found == pin else { throw .certificateRejected(TLSFailure.otherFingerprint(found)) }
            return true
        }
        let verification = Int32(clamping: SSL_get_verify_result(session))
        guard verification == X509_V_OK else { throw TLSFailure(verification: verification) }
        guard SSL_get0_peer_certificate(session) != nil else { throw .certificateRejected("there is none") }
        return true
    }

    /// Decrypts into a buffer that is not empty.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSFailure) -> Reading {
        ERR_clear_error()
        let count = SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
        guard renegotiation.pointee == 0 else { throw .protocolError("the server asked to renegotiate") }
        if count > 0 { return .bytes(Int(count)) }
        return try check(count) ? .finished : .nothing
    }

    /// Encrypts at most one record; returns how many bytes were taken.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) -> Int {
        ERR_clear_error()
        let count = SSL_write(session, bytes.baseAddress, Int32(clamping: min(bytes.count, Self.recordLimit)))
        if count > 0 { return Int(count) }
        _ = try check(count)
        return 0
    }

    /// Asks the peer of a TLS 1.3 session for new keys, which it has to answer (RFC 8446, 4.6.3). For tests.
    package func askForKeyUpdate() {
        _ = SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED)
        _ = SSL_do_handshake(session)
        ERR_clear_error()
    }

    /// Says close_notify, once the handshake is complete.
    package func finish() {
        ERR_clear_error()
        if SSL_is_init_finished(session) == 1 { _ = SSL_shutdown(session) }
        ERR_clear_error()
    }

    /// For the log: "TLSv1.3, TLS_AES_256_GCM_SHA384".
    package var summary: String {
        let cipher = SSL_CIPHER_get_name(SSL_get_current_cipher(session)).map { String(cString: $0) } ?? "no cipher"
        return "\(String(cString: SSL_get_version(session))), \(cipher)"
    }

    /// What both ends of this connection and nobody else know (RFC 9266, `tls-exporter`): 32 bytes. nil before the
    /// handshake is complete and before TLS 1.3, where it need not be unique.
    package var channelBinding: [UInt8]? {
        guard SSL_is_init_finished(session) == 1, SSL_version(session) >= TLS1_3_VERSION else { return nil }
        ERR_clear_error()
        let label = "EXPORTER-Channel-Binding"
        var bytes = [UInt8](repeating: 0, count: 32)
        let result = SSL_export_keying_material(session, &bytes, bytes.count, label, label.utf8.count, [0], 0, 1)
        return result == 1 ? bytes : nil
    }

    /// True when the peer has finished, false when more ciphertext is needed.
    @discardableResult
    private func check(_ result: Int32) throws(TLSFailure) -> Bool {
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return false
        case SSL_ERROR_ZERO_RETURN: return true
        default: throw TLSFailure(takingErrorOf: session)
        }
    }
}
