/// A picture that lies sealed at the topic server: what a phone needs to fetch it and to open it (docs/pairing.md 6).
package struct PictureReference: Codable, Equatable, Sendable {
    /// The camera's name.
    package var camera: String
    /// Where it lies; begins with `https://`, but for a test's server on this machine.
    package var url: String
    /// 32 bytes of this picture alone, base64url.
    package var key: Secret
    /// SHA-256 of what lies there, base64url.
    package var hash: String
    /// Of what lies there.
    package var bytes: Int
    /// The server deletes it then.
    package var expires: WallTime
    /// Of the alarm that it shows; nil: it shows no alarm.
    package var alarm: UnstoredMark?

    /// Bytes of a picture that is sealed.
    package static let longestPicture = 400_000
    /// AES-256-GCM with a nonce of zeros, for the key is used once; its tag stands behind.
    package static let tagBytes = 16
    /// Of the address, so that a message holds it.
    package static let longestURL = 512

    package init(camera: String, url: String, key: Secret, hash: String, bytes: Int, expires: WallTime) {
        self.camera = camera
        self.url = url
        self.key = key
        self.hash = hash
        self.bytes = bytes
        self.expires = expires
    }
}
