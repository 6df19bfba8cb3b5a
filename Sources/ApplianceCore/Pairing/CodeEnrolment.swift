import AlarmModel
import PhoneProtocol

/// One-time codes of a person on their way: the secret is on the screen at the box, and counts once one of its codes
/// was typed there (docs/pairing.md 10). The secret is in the vault; here is only where it stands.
struct CodeEnrolment: Codable, Equatable, Sendable {
    enum Stage: Codable, Equatable, Sendable {
        /// The vault makes the secret.
        case preparing(VaultJobID)
        /// On the screen.
        case shown
        /// A code is being compared.
        case comparing(VaultJobID)
    }

    /// The client that hears how it goes; it may leave.
    var client: ConnectionID
    var person: PersonID
    var until: BootTime
    var triesLeft = CodeEnrolment.tries
    var stage: Stage

    /// More than of a pairing: a code runs out while it is typed, and nobody can guess a secret that is new.
    static let tries = 5

    static let untrusted =
        "the box's clock is not set by the network now, so a code cannot be checked; see \(Hint.status), and try "
        + "again when the clock is set"
    static let timeOver = "the time is over; begin again with \(Hint.codes)"
    static let wrongCodes =
        "the code was wrong five times; compare the clock of the device with the box's, then begin again with "
        + "\(Hint.codes)"
    static let replaced = "something else was begun"

    func words(_ name: String) -> String {
        "waits for a code of \(name)'s authenticator app: \(Hint.confirm.with("CODE"))"
    }
}
