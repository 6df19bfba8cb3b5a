package import AlarmModel
import COpenSSL

/// A container that only a passphrase opens: scrypt (RFC 7914) and ChaCha20-Poly1305 (RFC 8439).
///
///     magic "HASEAL\r\n" (8) · version 1 · log2 N · r · p · salt (16) · nonce (12) · sealed bytes · tag (16)
///
/// Everything before the sealed bytes is authenticated, too. Takes a good part of a second and 32 MB: a job for a
/// worker thread or for a program of its own.
package enum Sealing {
    /// What it costs to try one passphrase.
    package struct Cost: Equatable, Sendable {
        /// scrypt's N as a power of two, 10…18.
        package var logN: UInt8
        /// 1…16
        package var blockSize: UInt8
        /// 1…16
        package var parallel: UInt8

        package init(logN: UInt8, blockSize: UInt8, parallel: UInt8) {
            self.logN = logN
            self.blockSize = blockSize
            self.parallel = parallel
        }

        package static let standard = Cost(logN: 15, blockSize: 8, parallel: 1)

        /// A damaged or hostile header must not have gigabytes allocated.
        var isAcceptable: Bool {
            (10...18).contains(logN) && (1...16).contains(blockSize) && (1...16).contains(parallel)
        }
    }

    private static let magic = Array("HASEAL\r\n".utf8)
    private static let version: UInt8 = 1
    private static let headerCount = 8 + 4 + 16 + 12
    private static let tagCount = 16

    package static func seal(
        _ plain: [UInt8], passphrase: Secret, cost: Cost = .standard
    ) throws(SealingError) -> [UInt8] {
        precondition(cost.isAcceptable, "the cost of sealing is one that can be opened again")
        let salt = Random.bytes(16)
        let nonce = Random.bytes(12)
        let header = magic + [version, cost.logN, cost.blockSize, cost.parallel] + salt + nonce
        let key = try deriveKey(passphrase, salt: salt, cost: cost)
        return header + (try encrypt(plain, key: key, nonce: nonce, header: header))
    }

    package static func open(_ sealed: [UInt8], passphrase: Secret) throws(SealingError) -> [UInt8] {
        guard sealed.starts(with: magic) else { throw .notSealed }
        guard sealed.count > 8 else { throw .damaged }
        guard sealed[8] == version else { throw .unknownVersion(sealed[8]) }
        guard sealed.count >= headerCount + tagCount else { throw .damaged }
        let cost = Cost(logN: sealed[9], blockSize: sealed[10], parallel: sealed[11])
        guard cost.isAcceptable else { throw .damaged }
        let header = Array(sealed[..<headerCount])
        let key = try deriveKey(passphrase, salt: Array(sealed[12..<28]), cost: cost)
        let body = Array(sealed[headerCount..<(sealed.count - tagCount)])
        let tag = Array(sealed[(sealed.count - tagCount)...])
        return try decrypt(body, tag: tag, key: key, nonce: Array(sealed[28..<40]), header: header)
    }

    private static func deriveKey(_ passphrase: Secret, salt: [UInt8], cost: Cost) throws(SealingError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: 32)
        let text = Array(passphrase.revealed.utf8).map { CChar(bitPattern: $0) }
        let limit = UInt64(512) << 20
        let result = EVP_PBE_scrypt(
            text, text.count, salt, salt.count, UInt64(1) << UInt64(cost.logN), UInt64(cost.blockSize),
            UInt64(cost.parallel), limit, &key, key.count)
        guard result == 1 else { throw .library(OpenSSLQueue.takeText()) }
        return key
    }

    private static func encrypt(
        _ plain: [UInt8], key: [UInt8], nonce: [UInt8], header: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        guard let count = Int32(exactly: plain.count) else { throw .tooBig }
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var body = [UInt8](repeating: 0, count: plain.count)
        var tag = [UInt8](repeating: 0, count: tagCount)
        var length: Int32 = 0
        var rest: [UInt8] = [0]
        guard EVP_EncryptInit_ex(context, EVP_chacha20_poly1305(), nil, key, nonce) == 1,
            EVP_EncryptUpdate(context, nil, &length, header, Int32(header.count)) == 1,
            EVP_EncryptUpdate(context, &body, &length, plain, count) == 1,
            EVP_EncryptFinal_ex(context, &rest, &length) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), &tag) == 1
        else { throw .library(OpenSSLQueue.takeText()) }
        return body + tag
    }

    private static func decrypt(
        _ body: [UInt8], tag: [UInt8], key: [UInt8], nonce: [UInt8], header: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        guard let count = Int32(exactly: body.count) else { throw .tooBig }
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var plain = [UInt8](repeating: 0, count: body.count)
        var tag = tag
        var length: Int32 = 0
        var rest: [UInt8] = [0]
        guard EVP_DecryptInit_ex(context, EVP_chacha20_poly1305(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(context, nil, &length, header, Int32(header.count)) == 1,
            EVP_DecryptUpdate(context, &plain, &length, body, count) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag) == 1
        else { throw .library(OpenSSLQueue.takeText()) }
        guard EVP_DecryptFinal_ex(context, &rest, &length) == 1 else {
            ERR_clear_error()
            throw .wrongPassphrase
        }
        return plain
    }
}

/// Why a container was not sealed or opened.
package enum SealingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not a file of ours.
    case notSealed
    case unknownVersion(UInt8)
    /// Cut short, or its header makes no sense.
    case damaged
    /// The passphrase is another one, or a bit of the file has changed: nobody can tell which.
    case wrongPassphrase
    /// More than 2 GB.
    case tooBig
    case library(String)

    package var description: String {
        switch self {
        case .notSealed: "this is not a sealed file of HowAlarming; check its name"
        case .unknownVersion(let version):
            "the file is sealed in form \(version), which this program does not know; use a newer one"
        case .damaged: "the file is damaged; use another copy"
        case .wrongPassphrase: "the passphrase is wrong, or the file is damaged; try the passphrase again"
        case .tooBig: "there is more to seal than 2 GB"
        case .library(let text): "OpenSSL failed: \(text)"
        }
    }
}

/// The error queue that OpenSSL keeps for each thread.
enum OpenSSLQueue {
    /// The oldest error in words; the queue is empty afterwards.
    static func takeText() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        var buffer = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
