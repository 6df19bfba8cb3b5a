import AlarmModel
import ApplianceCore
import CommandKit
import Reports

/// What stands in the place of a screen while something is chosen, typed, done or told.
enum ConsoleDialog: Equatable, Sendable {
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

    /// Bytes of what may be typed.
    var longestLine: Int {
        guard case .entry(let entry) = self else { return 64 }
        return entry.purpose.longest
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
enum PairingKind: Equatable, Sendable {
    /// The app ntfy, or one that speaks like it.
    case storeApp
    /// A chat account (XMPP).
    case account
    case ownApp
}

/// A list of things of which one is chosen, by its key or with the arrows.
struct ConsoleChoice: Equatable, Sendable {
    enum Target: Equatable, Sendable {
        case arm, disarm, pair, changePIN, lock, quit, selfTest, setUp, sticks, versions, backup, zones, phones, people
        /// A backup, by its name on the stick.
        case restore(file: String)
        /// What came of it is shown no more.
        case restoreRead
        case pairFor(PairingKind)
        /// A zone that is typed.
        case otherZone
        /// A partition that is armed with a code of the panel.
        case armWithCode(partition: Int, words: String)
        /// A phone, by its id.
        case phone(String)
        case person(String)
        case rights(phone: String)
        case act(ConsoleAct)
    }

    struct Item: Equatable, Sendable {
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
struct ConsoleEntry: Equatable, Sendable {
    enum Purpose: Equatable, Sendable {
        /// The number of a zone.
        case zone
        /// A code of the panel, of whoever gives the order.
        case userCode(PanelCommand, words: String)
        /// Whose phone is to be paired.
        case person(PairingKind)
        /// The chat account of this person.
        case account(person: String)
        /// Of the backup that is to be saved.
        case newPassphrase
        case repeatedPassphrase(Secret)
        /// Of the backup that is to be brought back.
        case passphrase(file: String)
        case pin(then: ConsoleAct)
        case oldPIN
        /// `old` where there is one already.
        case newPIN(old: Secret?, then: ConsoleAct?)
        case repeatedPIN(Secret, old: Secret?, then: ConsoleAct?)

        var isSecret: Bool {
            switch self {
            case .zone, .person, .account: false
            case .newPassphrase, .repeatedPassphrase, .passphrase, .pin, .oldPIN, .newPIN, .repeatedPIN, .userCode: true
            }
        }

        /// In bytes.
        var longest: Int {
            switch self {
            case .newPassphrase, .repeatedPassphrase, .passphrase: StickRequest.passphraseLength.upperBound
            case .zone, .person, .account, .pin, .oldPIN, .newPIN, .repeatedPIN, .userCode: 64
            }
        }

        var label: String {
            switch self {
            case .zone: "Which zone? Number, 1 to 64:"
            case .userCode(.bypass, _):
                "The panel wants a code for this. Your own code at the panel, 4 to 6 digits:"
            case .userCode:
                "Your own code at the panel, 4 to 6 digits. Its log will name you; it arms away or stay, as it decides:"
            case .person: "Whose phone is it? Name:"
            case .account: "Which account? Such as anna@chat.example:"
            case .newPassphrase:
                "A passphrase for the backup, at least \(StickRequest.passphraseLength.lowerBound) letters. Nobody can open the backup without it:"
            case .repeatedPassphrase: "The passphrase once more:"
            case .passphrase(let file): "The passphrase of \(Text.printable(file)):"
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
}
