/// Why a box tells no pictures once more to the phone that asks for them, as it stands in the answer (docs/pairing.md 6).
public enum PictureRefusal: String, Codable, Hashable, Sendable, CaseIterable {
    /// Pictures do not go to the app, or there is no topic server.
    case off
    /// The way out is a metered link.
    case metered
    /// Pictures of an alarm are being taken, or others are being told again.
    case busy
    /// The day's requests, or what the topic server takes in a day, are used up.
    case limit
    /// None of that time is kept any more.
    case notKept = "none"
    /// They could not be sealed or sent; the box's own log says why.
    case failed
    /// This phone may not have them.
    case role
}
