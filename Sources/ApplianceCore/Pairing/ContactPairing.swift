import AlarmModel
import PhoneLink
import PhoneProtocol

/// A store app or an account on its way into the book: a code was sent there, and is to be typed at the box (docs/pairing.md
/// 10).
struct ContactPairing: Codable, Equatable, Sendable {
    /// The client that hears how it goes; it may leave.
    var client: ConnectionID
    var request: ContactRequest
    /// nil until the random bytes for it have come.
    var contact: Contact?
    var code = Secret("")
    var until: BootTime
    var triesLeft = PhonePairing.tries

    var words: String {
        "waits for the six digits that were sent to '\(request.name)': \(Hint.confirm.with("CODE"))"
    }
}
