import AlarmModel
import PhoneLink

/// A button that was sent along with an alert: whoever holds its bytes may press it once (docs/pairing.md 10).
struct Button: Codable, Equatable, Sendable {
    /// SHA-256 of the bytes: what is stored is no button.
    var stored: [UInt8]
    var verb: ContactVerb
    var contact: AddressID
    var partition: Int
    /// Of the alert that carried it.
    var seq: SequenceNumber?
    /// In which `arm` arms; nil: away.
    var mode: PanelCommand.ArmRequest?
    var until: BootTime

    static let life: Duration = .minutes(10)
    /// The oldest make room.
    static let limit = 512
}
