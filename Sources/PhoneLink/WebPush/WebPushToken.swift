import AlarmModel
import PhoneProtocol

/// The box's word to one push service who it is, good for some hours (VAPID, RFC 8292).
struct WebPushToken: Codable, Equatable, Sendable {
    private var header: Secret
    private var issued: WallTime

    /// Services take at most 24 hours; a clock that is set back makes it look older than it is.
    private static let life = Duration.hours(12)
    private static let renewal = Duration.hours(6)

    /// - Parameters:
    ///   - key: the box's public key, which the phone has subscribed with
    ///   - signature: ES256 of `input`
    init(_ input: String, signature: [UInt8], key: [UInt8], issued: WallTime) {
        header = Secret("vapid t=\(input).\(Base64URL.encode(signature)),k=\(Base64URL.encode(key))")
        self.issued = issued
    }

    var field: HTTPField { HTTPField("Authorization", secret: header) }

    func isGood(at now: WallTime) -> Bool { issued <= now && now - issued < Self.renewal }

    /// Header and claims, as they are signed (RFC 7515, RFC 7519).
    static func input(for origin: HTTPOrigin, contact: String, at now: WallTime) -> String {
        let header = JSON.object(["typ": .string("JWT"), "alg": .string("ES256")])
        let claims = JSON.object([
            "aud": .string(origin.description), "exp": .integer((now + life).seconds), "sub": .string(contact),
        ])
        return "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
    }
}
