import AlarmModel
import ApplianceCore
import Card
import CommandKit

/// Something that a console changes, and that therefore needs its PIN.
enum ConsoleAct: Equatable, Sendable {
    /// `code`: of the panel, typed by who gives the order; nil: what is configured.
    case command(PanelCommand, words: String, code: Secret? = nil)
    /// A phone of our app for this person.
    case pair(person: String)
    /// An app from a store, or a chat account.
    case pairContact(ContactRequest)
    /// One-time codes, with which an account of the person may disarm and bypass.
    case codes(person: String)
    case codesOff(person: String)
    /// An original app, by its token.
    case approve(token: String)
    case disapprove(token: String, name: String)
    case revoke(phone: String, name: String)
    case lift(phone: String, name: String, roles: [String])
    case role(phone: String, name: String, Roles)
    /// What a store app or an account may do beside what each of them may.
    case allow(contact: String, name: String, [ContactVerb], tellsArming: Bool)
    case test(phone: String, name: String)
    case testPhones(asAlarm: Bool)
    case duress(person: String, Bool)
    case language(person: String, NoticeLanguage)
    case maintenance(Bool)
    case seen
    case reboot
    case update(StickReport.Item)
    /// `version`: that is offered.
    case updates(UpdatesRequest, version: String)
    case stick(ConsoleStick)
    /// Of cameras.
    case forgetPictures

    /// The beginning of a token, by which lists name an original app.
    static func shown(_ token: String) -> String { "\(Text.printable(String(token.prefix(12))))…" }

    /// What is asked before it is done; nil: it is done at once.
    var question: String? {
        switch self {
        case .command(_, let words, _): "\(words)?"
        case .pair(let person):
            "Show a pairing code for a phone of \(Text.printable(person))? Whoever sees it can use it, once."
        case .pairContact(let request) where request.kind == .topic:
            "Pair the app ntfy for \(Text.printable(request.person))? The next screen shows the topic: whoever sees it can read what is sent there."
        case .pairContact(let request):
            "Send six digits to the account \(Text.printable(request.value)) of \(Text.printable(request.person))?"
        case .codes(let person):
            "Set up one-time codes for \(Text.printable(person))? The next screen shows a secret: let nobody else see it."
        case .codesOff(let person):
            "Take the one-time codes of \(Text.printable(person)) away? Accounts may neither disarm nor bypass then."
        case .approve(let token):
            "Let the original app \(Self.shown(token)) in, to ask, see the state and arm? All of it is in clear: the push service can read it and act in its name."
        case .disapprove(_, let name): "Shut \(Text.printable(name)) out?"
        case .revoke(_, let name):
            "Revoke \(Text.printable(name))? It is told nothing any more and may do nothing. This cannot be undone; it can be paired anew."
        case .lift(_, let name, let roles):
            "Let \(Text.printable(name)) act again? It may \(roles.joined(separator: ", "))."
        case .role(_, let name, let roles): "Let \(Text.printable(name)) \(roles.names.joined(separator: ", "))?"
        case .allow(_, let name, let verbs, let tellsArming):
            "Let \(Text.printable(name)) \(verbs.isEmpty ? "only look" : verbs.map(\.rawValue).joined(separator: ", "))\(tellsArming ? ", and tell it of arming and disarming" : "")?"
        case .test(_, let name): "Send a test notice to \(Text.printable(name))?"
        case .testPhones(false): "Send a test notice to every phone?"
        case .testPhones(true): "Send a TEST ALARM to every phone? It sounds like an alarm, and says that it is a test."
        case .duress(let person, true):
            "Tell \(Text.printable(person)) of alarms under duress? Only people who are marked for it hear of them."
        case .duress(let person, false): "Tell \(Text.printable(person)) nothing of alarms under duress?"
        case .language(let person, .english): "Tell \(Text.printable(person)) everything in English?"
        case .language(let person, .german): "Tell \(Text.printable(person)) everything in German?"
        case .maintenance(true): "Switch maintenance on? NOBODY IS NOTIFIED of anything until it is switched off."
        case .maintenance(false): "Switch maintenance off? People are notified again."
        case .seen: "Say to everybody that the alarm was seen at the box? It is not repeated any more then."
        case .reboot: "Restart the whole machine? For a minute or two nobody watches the panel."
        case .update(let bundle) where bundle.isOlder:
            "Install version \(Text.printable(bundle.version))? It is NOT NEWER than what runs. Faults that were mended come back."
        case .updates(.ask, _): nil
        case .updates(.install, let version):
            "Fetch and install version \(Text.printable(version))? It starts when the machine is restarted."
        case .stick(let stick): stick.question
        case .forgetPictures: "Delete ALL pictures that cameras took? They cannot be brought back."
        case .update(let bundle):
            "Install version \(Text.printable(bundle.version))? It starts when the machine is restarted."
        }
    }

    /// - Parameter id: under which what becomes of a stick is reported
    func request(id: Int64) -> ControlRequest {
        switch self {
        case .command(let command, _, let code): .command(command, code: code)
        case .pair(let person): .phones(.pair(person: person, roles: nil, noPresence: false))
        case .pairContact(let request): .phones(.pairContact(request))
        case .codes(let person): .phones(.codes(person: person))
        case .codesOff(let person): .phones(.codesOff(person: person))
        case .approve(let token): .phones(.approve(token: token, LegacyPhone.allowedByDefault))
        case .disapprove(let token, _): .phones(.disapprove(token: token))
        case .revoke(let phone, _): .phones(.revoke(phone: phone))
        case .lift(let phone, _, _): .phones(.lift(phone: phone))
        case .role(let phone, _, let roles): .phones(.role(phone: phone, roles))
        case .allow(let contact, _, let verbs, let tellsArming):
            .phones(.allow(contact: contact, verbs, tellsArming: tellsArming))
        case .test(let phone, _): .phones(.test(phone: phone))
        case .testPhones(let asAlarm): .phones(asAlarm ? .testAlarm(phone: nil) : .test(phone: nil))
        case .duress(let person, let isMarked): .people(.set(name: person, PersonChange(isDuressContact: isMarked)))
        case .language(let person, let language):
            .people(.set(name: person, PersonChange(language: language.rawValue)))
        case .maintenance(let isOn): .maintenance(on: isOn)
        case .seen: .phones(.seen)
        case .reboot: .reboot
        case .update(let bundle):
            .update(bundle: "\(StickPlaces().mount)/\(bundle.file)", isOlderConfirmed: bundle.isOlder)
        case .updates(let request, _): .updates(request)
        case .stick(let stick): .stick(StickRequest(id: id, task: stick.task))
        case .forgetPictures: .forgetPictures
        }
    }

    /// What is said while it is waited for.
    var waiting: String {
        switch self {
        case .command: "Asked the panel, waiting for its answer …"
        case .pair: "Making a pairing code …"
        case .pairContact(let request): request.kind == .topic ? "Making a topic …" : "Sending six digits …"
        case .codes: "Making a secret …"
        case .revoke, .lift, .role, .allow, .duress, .language, .maintenance, .seen, .codesOff, .approve,
            .disapprove:
            "Storing it …"
        case .test, .testPhones: "Sending …"
        case .reboot: "Asked for a restart …"
        case .update, .updates(.install, _): "Asked for the update …"
        case .updates(.ask, _): "Asked for an offer …"
        case .stick: "The stick is at work …"
        case .forgetPictures: "Deleting them …"
        }
    }
}
