import AlarmModel
import PhoneProtocol

/// One pairing from the order at the box until its phone is stored (docs/pairing.md 3 and 4). The keys and the code are
/// in the vault; here is only where it stands.
struct PhonePairing: Codable, Equatable, Sendable {
    enum Stage: Codable, Equatable, Sendable {
        /// The vault makes the code.
        case preparing(VaultJobID)
        /// On the screen; no phone has used it.
        case waiting
        /// A phone has; the digits are to be typed. `via` is where frame 2 went.
        case heard(PairingHeard, via: PairingHeard.Address)
        /// Digits are being compared.
        case comparing(VaultJobID, PairingHeard, via: PairingHeard.Address)
    }

    /// The client that hears how it goes; it may leave.
    var client: ConnectionID
    var person: String
    /// Roles that the phone is granted, as the ceremony shows them.
    var roles: Roles
    var key1Suffices: Bool
    var until: BootTime
    var triesLeft = PhonePairing.tries
    var stage: Stage
    /// nil until the code is there.
    var topics: PairingTopics?
    /// Frames that did not open: anybody may send such.
    var rubbish = 0

    /// Roles of a phone for which neither the request nor the configuration names any.
    static let usualRoles: Roles = [.view, .arm, .disarm]

    static let tries = 3
    static let rubbishLimit = 10_000

    var words: String {
        switch stage {
        case .preparing, .waiting: "waits for a phone to use the code"
        case .heard(let heard, _), .comparing(_, let heard, _):
            "'\(heard.name)' has used the code\(heard.passkey.map { ", with a passkey of \($0.words)" } ?? ""): "
                + "type the six digits that it shows, \(Hint.confirm.with("CODE"))"
        }
    }

    static let twoPhones =
        "two phones used this code: somebody else saw it. Nothing was paired; begin again where nobody looks on"
    static let timeOver = "the time is over; begin again with \(Hint.pair)"
    static let wrongCodes = "the code was wrong three times; begin again with \(Hint.pair)"
    static let noCode =
        "no code can be made: the names of the push services are too long together, or not plain; check alert_gcm.sender_id "
        + "and fcm_v1.database in the configuration"
    static let cancelled = "cancelled at the box"
    static let notStored = "storage failed; nothing was paired. See \(Hint.status)"
    static let replaced = "another pairing was begun"
    static let flooded = "too many messages that were none of this pairing; try again later"
}
