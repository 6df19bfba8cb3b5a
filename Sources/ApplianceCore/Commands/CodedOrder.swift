import AlarmModel
import PhoneProtocol

/// What an account asked for with a code that is being checked.
struct CodedOrder: Codable, Hashable, Sendable {
    var contact: AddressID
    var verb: ContactVerb
    var command: PanelCommand
}

/// Wrong codes of one person.
struct PersonLock: Codable, Hashable, Sendable {
    var person: PersonID
    var lock = CodeLock()
}
