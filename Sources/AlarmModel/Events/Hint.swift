/// What somebody at the box does next. A text for whoever typed a command names the command (`"\(hint)"`); one that may be
/// read anywhere, as on a phone, names the console's key (`atBox`), for a card has no shell. The console itself puts `key`
/// in the place of commands that it is told.
package enum Hint: String, CaseIterable, Sendable, CustomStringConvertible {
    case pair = "phones pair"
    case confirm = "phones confirm"
    case codes = "phones codes"
    case approve = "phones approve"
    case disapprove = "phones disapprove"
    case allow = "phones allow"
    case role = "phones role"
    case revoke = "phones revoke"
    case lift = "phones lift"
    case test = "phones test"
    case dead = "phones dead"
    case phones = "phones list"
    case addPerson = "people add"
    case people = "people list"
    case status = "status"
    case links = "links"
    case check = "check"
    case askForVersion = "update --ask"
    case installOffered = "update --offered"
    case run = "run"

    /// In quotes, as it is typed in a shell.
    package var description: String { with("") }

    /// - Parameter operands: what else is typed
    package func with(_ operands: String) -> String {
        operands.isEmpty ? "'howalarming \(rawValue)'" : "'howalarming \(rawValue) \(operands)'"
    }

    /// Where the console does the same.
    package var key: String {
        switch self {
        case .pair: "key P"
        case .confirm: "Enter"
        case .codes: "key E"
        case .approve, .disapprove, .allow, .role, .revoke, .lift: "key F"
        case .test: "key T"
        case .dead, .phones, .addPerson, .people: "screen 5"
        case .status: "screen 1"
        case .links: "screen 3"
        case .check: "howalarming-errors.txt on the card"
        case .run: "key R"
        case .askForVersion, .installOffered: "key U"
        }
    }

    package var atBox: String { "\(key) of the box's console" }
}
