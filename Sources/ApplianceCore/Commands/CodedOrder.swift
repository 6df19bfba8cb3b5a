import AlarmModel
import PhoneLink
import PhoneProtocol

/// What an account asked for with a code that is being checked.
struct CodedOrder: Codable, Equatable, Sendable {
    var contact: AddressID
    var verb: ContactVerb
    var command: PanelCommand
}

/// Disarming that somebody asked for by the broker, with a one-time code that is being checked.
struct HouseCodedOrder: Codable, Equatable, Sendable {
    var asker: HouseAsker
    var command: PanelCommand
    var code: Secret
    /// Whose code it may be; the first is being asked about.
    var people: [PersonID]
}
