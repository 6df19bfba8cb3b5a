import AlarmModel
import PhoneProtocol

/// Where the browser of a phone takes pushes: the phone's own word, as the value of its address (docs/pairing.md 8).
///
///     {"endpoint":"https://…","p256dh":"base64url, 65 bytes","auth":"base64url, 16 bytes"}
package struct WebPushSubscription: Equatable, Sendable {
    package let endpoint: HTTPURL
    /// A point of P-256; whether it is on the curve shows when something is sealed for it.
    let point: [UInt8]
    /// As it came, base64url of 16 bytes: secret.
    let secret: String

    /// Exactly these members, each once. That messages may go there is `WebPushSettings.takes`'s.
    package init(_ text: String) throws(WebPushSubscriptionError) {
        guard text.utf8.count <= Self.limit, let json = try? JSON(parsing: Array(text.utf8)),
            case .object(let members) = json, members.count == 3,
            let endpoint = json["endpoint"]?.stringValue, let point = json["p256dh"]?.stringValue,
            let secret = json["auth"]?.stringValue
        else { throw .form }
        guard !endpoint.contains("#"), let url = try? HTTPURL(endpoint), url.isEncrypted else { throw .endpoint }
        guard let bytes = try? Base64URL.decode(point), bytes.count == 65, bytes[0] == 4,
            (try? Base64URL.decode(secret))?.count == 16
        else { throw .keys }
        (self.endpoint, self.point, self.secret) = (url, bytes, secret)
    }

    /// Bytes: what a phone's command has room for.
    package static let limit = 900

    /// One form for one place, so that the same subscription is the same address however it was written.
    package var text: String {
        JSON.object([
            "endpoint": .string(endpoint.description), "p256dh": .string(Base64URL.encode(point)),
            "auth": .string(secret),
        ]).text
    }
}

/// Why a text is no subscription.
package enum WebPushSubscriptionError: String, Error, Codable, Equatable, Sendable {
    case form, endpoint, keys
}
