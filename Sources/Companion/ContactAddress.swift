import PhoneProtocol

/// Where a phone can be reached; the box is told with the pairing and by `addr` (docs/pairing.md 4).
public struct ContactAddress: Codable, Equatable, Sendable {
    public enum Kind: UInt8, Codable, Hashable, Sendable, CaseIterable {
        /// `host/topic` of an https topic server.
        case topic = 1
        case fcmToken = 2
        case fcmInstallation = 3
        case xmpp = 4
        case mqtt = 5
        /// The subscription as JSON.
        case webPush = 6
    }
    public var kind: Kind
    public var value: String

    public init(kind: Kind, value: String) {
        self.kind = kind
        self.value = value
    }
}

/// How sealed bytes travel as text: base64url without padding; where a channel carries string pairs, as `e` of these.
public enum PhoneWire {
    public static func text(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }

    /// nil when it is no such text.
    public static func bytes(_ text: String) -> [UInt8]? { try? Base64URL.decode(text) }

    /// Everything that a phone sends over FCM, in this order.
    public static func inbound(_ bytes: [UInt8]) -> [(key: String, value: String)] {
        [("v", "2"), ("command", "ha2"), ("e", text(bytes))]
    }
}
