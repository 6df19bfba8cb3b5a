import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// What somebody at the box asks for next.
struct OwnersWish: Sendable {
    var request: PhonesRequest
    /// Which phone or contact it begins the pairing of; nil: none.
    var begins: Int?
}

/// The store apps and chat accounts of the people of the house, and how somebody at the box pairs them.
///
/// Guarantees: one is paired at a time, with the code that arrived at it; what people have pressed is kept as whoever runs
/// the server has it.
struct HouseContacts: Sendable {
    private(set) var apps: [StoreApp]
    private(set) var affair: ContactAffair?

    /// - Parameter kinds: the channels that the house has
    init(_ kinds: [ChannelKind]) { apps = StoreApp.household.filter { kinds.contains($0.channel) } }

    static func contact(of app: StoreApp, in book: PhoneBook?) -> Contact? {
        book?.contacts.first { $0.name == app.name && $0.state == .inUse }
    }

    /// Who has one-time codes.
    var coded: StoreApp? { apps.first { $0.kind == .xmpp && $0.person == "Anna" } }

    func unpaired(in book: PhoneBook?) -> [StoreApp] { apps.filter { Self.contact(of: $0, in: book) == nil } }

    // MARK: At the box

    mutating func wish(_ book: PhoneBook?, at now: BootTime, _ chance: inout Jitter) -> OwnersWish? {
        if let affair { return goOn(with: affair, at: now, &chance) }
        guard let index = apps.firstIndex(where: { Self.contact(of: $0, in: book) == nil }) else { return nil }
        apps[index].forget()
        let app = apps[index]
        let request = ContactRequest(
            kind: app.kind, person: app.person, name: app.name, value: app.address, allowed: app.allowed,
            tellsArming: app.tellsArming)
        return OwnersWish(request: .pairContact(request), begins: index)
    }

    private mutating func goOn(with affair: ContactAffair, at now: BootTime, _ chance: inout Jitter) -> OwnersWish? {
        if now - affair.since > .seconds(150) {
            self.affair = nil
            return OwnersWish(request: .cancelPairing)
        }
        guard let code = apps[affair.app].code, affair.confirmedAt.map({ now - $0 > .seconds(20) }) ?? true
        else { return nil }
        if !affair.hasMistyped, chance.next() % 6 == 0 {
            self.affair?.hasMistyped = true
            return OwnersWish(request: .confirm(Secret("x")))
        }
        self.affair?.confirmedAt = now
        return OwnersWish(request: .confirm(Secret(code)))
    }

    mutating func begins(_ app: Int, _ client: ConnectionID, at now: BootTime) {
        affair = ContactAffair(app: app, client: client, since: now)
    }

    mutating func goesOn(_ progress: PairingProgress, on client: ConnectionID) {
        guard let affair, affair.client == client else { return }
        switch progress {
        case .subscribe(let topic): apps[affair.app].topic = topic
        case .paired:
            apps[affair.app].isPromised = true
            self.affair = nil
        case .ended: self.affair = nil
        case .ready, .heard, .wrongCode, .codeSent, .codesReady, .codesOn: break
        }
    }

    /// The daemon is gone, and nothing of it goes on.
    mutating func restarted() { affair = nil }

    /// The book on the disk has it for the first time.
    mutating func note(_ contact: Contact) {
        if let index = apps.firstIndex(where: { $0.name == contact.name }) { apps[index].topic = contact.value }
    }

    mutating func asksToRevoke(_ number: Int) { apps[number].isPromised = false }

    // MARK: By the services

    /// - Returns: where it has arrived
    mutating func take(_ arrival: Arrival) -> StoreApp? {
        guard let index = apps.firstIndex(where: { $0.topic == arrival.address }) else { return nil }
        apps[index].take(arrival)
        return apps[index]
    }

    /// The owner presses one of the newest buttons.
    mutating func press(_ number: Int, back: Int) -> Pressable? {
        let buttons = apps[number].buttons
        guard !buttons.isEmpty else { return nil }
        let button = buttons[buttons.count - 1 - min(back, buttons.count - 1)]
        apps[number].posted.append(button)
        if apps[number].posted.count > StoreApp.memory { apps[number].posted.removeFirst() }
        return button
    }

    /// A button of somebody else's.
    func button(notOf number: Int) -> Pressable? { apps.first { $0.name != apps[number].name }?.buttons.last }
}
