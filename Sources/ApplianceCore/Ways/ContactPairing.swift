import AlarmModel
import PhoneLink
import PhoneProtocol

/// A store app or an account on its way into the book: a code was sent there, and is to be typed at the box (docs/pairing.md
/// 10).
struct ContactPairing: Codable, Hashable, Sendable {
    /// The client that hears how it goes; it may leave.
    var client: ConnectionID
    var request: ContactRequest
    /// nil until the random bytes for it have come.
    var contact: Contact?
    var code = Secret("")
    var until: BootTime
    var triesLeft = PairingDesk.tries

    var words: String {
        "waits for the six digits that were sent to '\(request.name)': 'howalarming phones confirm CODE'"
    }
}

/// A button that was sent along with an alert: whoever holds its bytes may press it once (docs/pairing.md 10).
struct Button: Codable, Hashable, Sendable {
    /// SHA-256 of the bytes: what is stored is no button.
    var stored: [UInt8]
    var verb: ContactVerb
    var contact: AddressID
    var partition: Int
    /// Of the alert that carried it.
    var seq: SequenceNumber?
    var until: BootTime

    static let life: Duration = .minutes(10)
    /// The oldest make room.
    static let limit = 512
}

/// How much somebody without keys may ask for: the relay could speak for him.
struct AskingPace: Codable, Hashable, Sendable {
    enum Asker: Codable, Hashable, Sendable {
        case contact(AddressID)
        case house(WayKind)
    }
    var asker: Asker
    /// Whatever was said.
    var said = Allowance()
    /// What acts on the house.
    var commands = Allowance()

    static let saidAMinute = 30
    static let burst = 10
}

/// What an account has sent lately, so that the same message twice is one command.
struct HeardText: Codable, Hashable, Sendable {
    var way: String
    var from: String
    var id: String
    var at: BootTime

    static let limit = 256
}
