import AlarmModel

/// What a pairing took from others, to be given back if it cannot be stored.
struct PairingUndo: Codable, Equatable, Sendable {
    /// A person that is in the book for this phone only.
    var person: PersonID?
    /// As they were.
    var addresses: [PhoneAddress] = []
    var legacyPhones: [LegacyPhone] = []
}
