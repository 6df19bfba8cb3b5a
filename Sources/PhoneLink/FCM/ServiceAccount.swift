package import AlarmModel
import PhoneProtocol

/// Google's file for a service account: who signs in to FCM and to the database, and where (docs/push.md C.2).
package struct ServiceAccount: Codable, Equatable, Sendable {
    package var projectID: String
    package var clientEmail: String
    package var privateKeyID: String
    /// PEM.
    package var privateKey: Secret
    /// Where access tokens are given out; always https.
    package var tokenURL: HTTPURL
    /// `tokenURL` as the file has it: the audience of what is signed.
    package var audience: String

    /// Bytes of the file.
    package static let limit = 32_768

    /// Reads the JSON file as it is downloaded from the console.
    package init(parsing bytes: [UInt8]) throws(ServiceAccountError) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= Self.limit else { throw .tooLong }
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: bytes, limits: JSON.Limits(depth: 4, bytes: Self.limit))
        } catch {
            throw .notJSON(error.description)
        }
        guard json.objectValue != nil else { throw .notJSON("it is \(json.kind), not an object") }
        if let type = json["type"], type != .string("service_account") {
            throw .otherType(PeerText.printable(type.stringValue ?? type.kind, limit: 40))
        }
        projectID = try Self.text("project_id", of: json, limit: 100, Self.isOfProject)
        clientEmail = try Self.text("client_email", of: json, limit: 320) { (0x21...0x7E).contains($0) }
        guard clientEmail.contains("@") else { throw .bad("client_email", "it is no mail address") }
        privateKeyID = try Self.text("private_key_id", of: json, limit: 200) { (0x21...0x7E).contains($0) }
        let pem = try Self.text("private_key", of: json, limit: 16_384) { $0 == 0x0A || (0x20...0x7E).contains($0) }
        guard pem.hasPrefix("-----BEGIN "), pem.includes("PRIVATE KEY-----") else {
            throw .bad("private_key", "it is no private key in PEM form")
        }
        privateKey = Secret(pem)
        audience = try Self.text("token_uri", of: json, limit: 500) { (0x21...0x7E).contains($0) }
        do throws(HTTPURLError) {
            tokenURL = try HTTPURL(audience)
        } catch {
            throw .bad("token_uri", error.description)
        }
        guard tokenURL.isEncrypted else { throw .bad("token_uri", "it does not begin with https://") }
    }

    private static func text(
        _ key: String, of json: JSON, limit: Int, _ isAllowed: (UInt8) -> Bool
    ) throws(ServiceAccountError) -> String {
        guard let value = json[key] else { throw .missing(key) }
        guard let text = value.stringValue else { throw .bad(key, "it is \(value.kind), not a string") }
        guard !text.isEmpty else { throw .bad(key, "it is empty") }
        guard text.utf8.count <= limit else { throw .bad(key, "it is longer than \(limit) bytes") }
        guard text.utf8.allSatisfy(isAllowed) else { throw .bad(key, "it has characters that cannot stand there") }
        return text
    }

    /// Part of a path: letters, digits, and `-._:` of old domain-scoped projects.
    private static func isOfProject(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}

/// Why a file is no service account. No text of the file's values is in it.
package enum ServiceAccountError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    case empty
    case tooLong
    case notJSON(String)
    case otherType(String)
    case missing(String)
    /// Key and reason.
    case bad(String, String)

    package var description: String {
        let remedy = "download the key file anew in the project's settings, under service accounts"
        return switch self {
        case .empty: "the file is empty; \(remedy)"
        case .tooLong: "the file is longer than \(ServiceAccount.limit) bytes, so it is no service account; \(remedy)"
        case .notJSON(let why): "the file is no service account: \(why); \(remedy)"
        case .otherType(let type): "the file is for '\(type)', not for 'service_account'; \(remedy)"
        case .missing(let key): "\(key): it is missing; \(remedy)"
        case .bad(let key, let why): "\(key): \(why); \(remedy)"
        }
    }
}
