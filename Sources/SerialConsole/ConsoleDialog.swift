import AlarmModel
import Reports

/// What stands in the place of a screen while something is chosen, typed, done or told.
enum ConsoleDialog: Hashable, Sendable {
    case choice(ConsoleChoice)
    case entry(ConsoleEntry)
    case confirm(ConsoleAct)
    case working(String)
    case outcome(String, ConsoleLine.Style)
    case pairing(PairingScreen)

    /// Whether typed characters are gathered up to Enter.
    var takesText: Bool {
        switch self {
        case .entry: true
        case .pairing(let screen): screen.isAwaitingDigits
        case .choice, .confirm, .working, .outcome: false
        }
    }

    /// Whether what is typed may be shown.
    var isSecret: Bool {
        guard case .entry(let entry) = self else { return false }
        return entry.purpose.isSecret
    }

    /// The same without what is typed and chosen: it changes when there is something new to read.
    var mark: ConsoleDialog {
        switch self {
        case .choice(var choice):
            choice.selected = 0
            return .choice(choice)
        case .entry(var entry):
            entry.typed = ""
            return .entry(entry)
        case .pairing(var screen):
            screen.typed = ""
            return .pairing(screen)
        case .confirm, .working, .outcome: return self
        }
    }
}

/// What is to be paired.
enum PairingKind: Hashable, Sendable {
    /// The app ntfy, or one that speaks like it.
    case storeApp
    /// A chat account (XMPP).
    case account
    case ownApp
}

/// A list of things of which one is chosen, by its key or with the arrows.
struct ConsoleChoice: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        case arm, disarm, pair, changePIN, lock, quit, selfTest, update, zones, phones, people
        case pairFor(PairingKind)
        /// A zone that is typed.
        case otherZone
        /// A phone, by its id.
        case phone(String)
        case person(String)
        case rights(phone: String)
        case act(ConsoleAct)
    }

    struct Item: Hashable, Sendable {
        var key: Character
        var label: String
        var target: Target
    }

    var title: String
    var items: [Item]
    var selected = 0

    /// Keys for lists of any kind.
    static let keys: [Character] = Array("123456789abcdefghijklmnopqrstuvwxyz")
}

/// A line that is typed.
struct ConsoleEntry: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        /// The number of a zone.
        case zone
        /// Whose phone is to be paired.
        case person(PairingKind)
        /// The chat account of this person.
        case account(person: String)
        case pin(then: ConsoleAct)
        case oldPIN
        /// `old` where there is one already.
        case newPIN(old: Secret?, then: ConsoleAct?)
        case repeatedPIN(Secret, old: Secret?, then: ConsoleAct?)

        var isSecret: Bool {
            switch self {
            case .zone, .person, .account: false
            case .pin, .oldPIN, .newPIN, .repeatedPIN: true
            }
        }

        var label: String {
            switch self {
            case .zone: "Which zone? Number, 1 to 64:"
            case .person: "Whose phone is it? Name:"
            case .account: "Which account? Such as anna@chat.example:"
            case .pin: "PIN of the console:"
            case .oldPIN: "Old PIN:"
            case .newPIN(nil, _): "There is no PIN yet. New PIN, \(ConsoleEntry.pinForm):"
            case .newPIN: "New PIN, \(ConsoleEntry.pinForm):"
            case .repeatedPIN: "The new PIN once more:"
            }
        }
    }

    var purpose: Purpose
    var typed = ""
    var remark: String?

    static let pinForm = "\(ConsolePIN.length.lowerBound) to \(ConsolePIN.length.upperBound) digits"
    static let longest = 64
}
