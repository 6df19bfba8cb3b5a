import AlarmModel
import PhoneLink

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
