import AlarmModel
import ApplianceCore
import CommandKit

/// Something that a console changes, and that therefore needs its PIN.
enum ConsoleAct: Hashable, Sendable {
    case command(PanelCommand, words: String)
    /// A phone of our app for this person.
    case pair(person: String)
    case testPhones
    case reboot
    case update(ConsoleSoftware.Bundle)

    static let rolesOfPairing: Roles = [.view, .arm, .disarm]

    /// What is asked before it is done.
    var question: String {
        switch self {
        case .command(_, let words): "\(words)?"
        case .pair(let person):
            "Show a pairing code for a phone of \(Text.printable(person))? Whoever sees it can use it, once."
        case .testPhones: "Send a test notice to every phone?"
        case .reboot: "Restart the whole machine? For a minute or two nobody watches the panel."
        case .update(let bundle) where bundle.isOlder:
            "Install version \(Text.printable(bundle.version))? It is NOT NEWER than what runs. Faults that were mended come back."
        case .update(let bundle):
            "Install version \(Text.printable(bundle.version))? It starts when the machine is restarted."
        }
    }

    var request: ControlRequest {
        switch self {
        case .command(let command, _): .command(command, code: nil)
        case .pair(let person): .phones(.pair(person: person, roles: Self.rolesOfPairing, noPresence: false))
        case .testPhones: .phones(.test(phone: nil))
        case .reboot: .reboot
        case .update(let bundle): .update(bundle: bundle.path, isOlderConfirmed: bundle.isOlder)
        }
    }

    /// What is said while it is waited for.
    var waiting: String {
        switch self {
        case .command: "Asked the panel, waiting for its answer …"
        case .pair: "Making a pairing code …"
        case .testPhones: "Sending …"
        case .reboot: "Asked for a restart …"
        case .update: "Asked for the update …"
        }
    }
}
