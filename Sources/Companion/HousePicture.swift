import AlarmModel
package import PhoneProtocol

/// A picture of an alarm that the phone may fetch: it lies sealed at the topic server (docs/pairing.md 6).
public struct HousePicture: Equatable, Sendable {
    /// The row that tells of it.
    public var position: LogPosition
    /// `u` of the alarm that it shows; nil: it shows none.
    public var mark: String?
    /// Seconds since 1970, by the clock of the box.
    public var timestamp: Int64
    public var camera: String
    public var url: String
    /// 32 bytes, base64url.
    public var key: String
    /// SHA-256 of what lies there, base64url.
    public var hash: String
    /// Of what lies there.
    public var bytes: Int
    /// Seconds since 1970; then the server deletes it.
    public var expires: Int64

    /// nil when it is none.
    init?(_ content: JSON) {
        guard let position = LogPosition(log: content.text("log"), seq: content.text("seq")),
            let timestamp = Decimal.read(content.text("timestamp")), let told = PictureReference(form: content)
        else { return nil }
        self.position = position
        self.timestamp = timestamp
        mark = told.alarm?.text
        camera = told.camera
        url = told.url
        key = told.key.revealed
        hash = told.hash
        bytes = told.bytes
        expires = told.expires.seconds
    }

    /// Its members are named as the properties.
    package var form: JSON {
        .object([
            "position": position.form, "mark": .optional(mark), "timestamp": .integer(timestamp),
            "camera": .string(camera), "url": .string(url), "key": .string(key), "hash": .string(hash),
            "bytes": .integer(Int64(bytes)), "expires": .integer(expires),
        ])
    }
}
