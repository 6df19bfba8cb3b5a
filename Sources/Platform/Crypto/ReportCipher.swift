import AlarmModel
import COpenSSL
import PhoneProtocol

/// The encryption of messages to a receiver (SIA DC-09): AES-CBC without a check of what comes out. The protocol wants an
/// initial vector of zeros; the random letters in front take its place.
enum ReportCipher {
    private static let block = 16
    /// Of what a receiver answers.
    private static let sizeLimit = 1024
    /// Nothing that the protocol itself uses.
    private static let padding = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func seal(_ text: String, _ key: Secret) -> TransportAnswer {
        let text = Array(text.utf8)
        let count = 2 * block - 1 - (text.count + block - 1) % block
        let front = Random.bytes(count).map { padding[Int($0) % padding.count] }
        return transform(front + text, key, isSealing: true)
    }

    static func open(_ bytes: [UInt8], _ key: Secret) -> TransportAnswer { transform(bytes, key, isSealing: false) }

    private static func transform(_ bytes: [UInt8], _ key: Secret, isSealing: Bool) -> TransportAnswer {
        defer { ERR_clear_error() }
        guard let key = try? Hex.decode(key.revealed), let cipher = cipher(keyCount: key.count),
            bytes.count.isMultiple(of: block), bytes.count <= sizeLimit, let count = Int32(exactly: bytes.count)
        else { return .failed("the key or the length is none of AES") }
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var out = [UInt8](repeating: 0, count: bytes.count + block)
        var length: Int32 = 0
        let start = [UInt8](repeating: 0, count: block)
        guard EVP_CipherInit_ex(context, cipher, nil, key, start, isSealing ? 1 : 0) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            EVP_CipherUpdate(context, &out, &length, bytes, count) == 1, length == count
        else { return .failed("OpenSSL cannot do it: \(OpenSSLQueue.takeText())") }
        return .bytes(Array(out.prefix(bytes.count)))
    }

    private static func cipher(keyCount: Int) -> OpaquePointer? {
        switch keyCount {
        case 16: EVP_aes_128_cbc()
        case 24: EVP_aes_192_cbc()
        case 32: EVP_aes_256_cbc()
        default: nil
        }
    }
}
