import COpenSSL

/// One certificate as OpenSSL holds it.
final class X509Certificate {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(pointer) }

    /// All certificates of a text in their order; what stands between them is ignored.
    static func all(inPEM bytes: [UInt8]) throws(CertificateError) -> [X509Certificate] {
        guard let count = Int32(exactly: bytes.count), let source = BIO_new_mem_buf(bytes, count) else {
            throw CertificateError(what: "the text is too long")
        }
        // The memory BIO reads in place: the array has to live as long.
        defer {
            BIO_free(source)
            withExtendedLifetime(bytes) {}
        }
        var certificates: [X509Certificate] = []
        ERR_clear_error()
        while let certificate = PEM_read_bio_X509(source, nil, nil, nil) {
            certificates.append(X509Certificate(owning: certificate))
        }
        let isAtEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        guard isAtEnd else {
            throw CertificateError(what: "certificate \(certificates.count + 1): \(OpenSSLQueue.takeText())")
        }
        ERR_clear_error()
        return certificates
    }

    /// SHA-256 of its encoded form.
    var fingerprint: [UInt8] { Self.fingerprint(of: pointer) }

    static func fingerprint(of pointer: OpaquePointer) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let result = X509_digest(pointer, EVP_sha256(), &digest, &length)
        precondition(result == 1 && length == 32, "OpenSSL has SHA-256")
        return digest
    }

    var pem: String { PEMText.write { PEM_write_bio_X509($0, pointer) } }
}

/// A certificate or key that could not be made or read.
package struct CertificateError: Error, Equatable, Sendable, CustomStringConvertible {
    package var what: String
    package var description: String { what }
}

/// What OpenSSL writes into a BIO, as text.
enum PEMText {
    static func write(_ body: (OpaquePointer?) -> Int32) -> String {
        let target = BIO_new(BIO_s_mem())
        defer { BIO_free(target) }
        let result = body(target)
        precondition(result == 1, "writing to memory works")
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(target))
        let count = Int(BIO_read(target, &bytes, Int32(clamping: bytes.count)))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
