import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform

/// A picture that only the apps can open, and what a topic server says of where it lies.
struct SealedPicture {
    /// What is sent: AES-256-GCM, with a key of its own and a nonce of zeros.
    let bytes: [UInt8]
    private let key: [UInt8]

    enum Fault: Error, CustomStringConvertible {
        case notSealed
        /// The server's answer names no file.
        case noFile
        /// The address that it names is another server's, not encrypted, or too long.
        case elsewhere

        var description: String {
            switch self {
            case .notSealed: "the picture could not be sealed"
            case .noFile: "it keeps no files; look at 'attachment-cache-dir' in its configuration"
            case .elsewhere:
                "it says that the file lies at an address that is not its own; look at 'base-url' in its configuration"
            }
        }
    }

    init(_ picture: [UInt8]) throws(Fault) {
        key = Random.bytes(32)
        guard let bytes = AESGCM.seal(picture, key: key, nonce: [UInt8](repeating: 0, count: 12)) else {
            throw .notSealed
        }
        self.bytes = bytes
    }

    /// A topic that nobody listens to and that nothing links with another one.
    static func topic() -> String { Base32.encode(Random.bytes(15), .lower) }

    /// - Parameters:
    ///   - answer: of the topic server, whole
    ///   - server: where the file was sent
    func reference(_ answer: [UInt8], from server: HTTPURL, camera: String) throws(Fault) -> PictureReference {
        let limits = JSON.Limits(depth: 8, bytes: 64 * 1024)
        guard let file = (try? JSON(parsing: answer, limits: limits))?["attachment"],
            let text = file["url"]?.stringValue, let expires = file["expires"]?.integerValue,
            (0...Self.furthest).contains(expires)
        else { throw .noFile }
        guard let url = try? HTTPURL(text), url.origin() == server.origin() else { throw .elsewhere }
        let reference = PictureReference(
            camera: camera, url: url.description, key: Secret(Base64URL.encode(key)),
            hash: Base64URL.encode(OpenSSLCrypto().sha256(bytes)), bytes: bytes.count,
            expires: WallTime(milliseconds: expires * 1000))
        // What a phone would not take is not told to one.
        guard PictureReference(form: reference.form) != nil else { throw .elsewhere }
        return reference
    }

    /// Seconds since 1970: some centuries.
    private static let furthest: Int64 = 99_999_999_999
}
