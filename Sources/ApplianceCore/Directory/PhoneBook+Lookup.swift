package import AlarmModel
import PhoneLink
import PhoneProtocol

/// Who somebody is: the person and the device that they use.
struct Actor: Codable, Equatable, Sendable {
    var name: String
    var device: String
    var words: String { device.isEmpty ? name : "\(name) (\(device))" }

    /// What arms of the box's own accord, because the owner says so.
    static let schedule = Actor(name: "the schedule", device: "")
}

/// Who is told at an address.
enum Receiver {
    case phone(PhoneID, PhoneAddress)
    case legacy(token: String)
    case contact(Contact)
    case house(HouseAddress)
}

/// Who is meant by an address or by a name that somebody typed.
extension PhoneBook {
    /// Of the house's addresses while the phones' file cannot be read: above every number that may stand in it.
    static let firstUnreadAddress: Int64 = 1 << 40

    /// What its owner calls it.
    func name(ofAddress address: AddressID) -> String {
        phones.first { $0.addresses.contains { $0.id == address } }?.name
            ?? contacts.first { $0.address == address }?.name
            ?? house.first { $0.address == address }?.shownValue ?? "an original app"
    }

    func receiver(at address: AddressID) -> Receiver? {
        for phone in phones {
            if let found = phone.addresses.first(where: { $0.id == address }) { return .phone(phone.id, found) }
        }
        if let phone = legacyPhones.first(where: { $0.address == address && !$0.isGone }) {
            return .legacy(token: phone.token)
        }
        if let contact = contact(address) { return .contact(contact) }
        return house.first { $0.address == address }.map { .house($0) }
    }

    func isHouse(_ address: AddressID?) -> Bool {
        guard let address, case .house? = receiver(at: address) else { return false }
        return true
    }

    /// Person of the phone book whose address this is; nil: nobody's, such as an original app's.
    func person(at address: AddressID) -> PersonID? {
        switch receiver(at: address) {
        case .phone(let id, _): phone(id)?.person
        case .contact(let contact): contact.person
        case .legacy, .house, nil: nil
        }
    }

    /// True if a person reads what goes to the address. A suspended phone may be in other hands.
    func leadsToPerson(_ address: AddressID) -> Bool {
        switch receiver(at: address) {
        case .phone(let id, _): phone(id)?.isSuspended == false
        case .legacy, .contact: true
        case .house(let house):
            switch house.kind {
            case .mail: true
            case .url, .program, .tube, .broker, .receiver: false
            }
        case nil: false
        }
    }

    func contact(_ address: AddressID) -> Contact? { contacts.first { $0.address == address } }

    /// By its name, or by a beginning of its address or topic that is unique; a phone of this name comes first.
    func contact(named name: String) -> Contact? {
        let wanted = name.lowercased()
        let byName = contacts.filter { $0.name.lowercased() == wanted }
        guard !phones.contains(where: { $0.name.lowercased() == wanted }) else { return nil }
        let byAddress = contacts.filter {
            $0.value.lowercased().hasPrefix(wanted) || $0.ownAddress.lowercased().hasPrefix(wanted)
        }
        let found = byName.isEmpty && wanted.utf8.count >= 4 ? byAddress : byName
        return found.count == 1 ? found[0] : nil
    }

    /// The whole name of the one phone, store app or account whose name begins so; nil where none does, or several do.
    func nameBeginning(with text: String) -> String? {
        let wanted = text.lowercased()
        let found = (phones.map(\.name) + contacts.map(\.name)).filter { $0.lowercased().hasPrefix(wanted) }
        return found.count == 1 && !wanted.isEmpty ? found[0] : nil
    }

    /// The person with one-time codes: by name, or by that of one of their accounts.
    func personWithCodes(named name: String) -> Person? {
        person(named: name) ?? contact(named: name).flatMap { person($0.person) }
    }

    func hasAddress(_ person: PersonID) -> Bool {
        let addresses = phones.filter { $0.person == person }.flatMap(\.addresses)
        return addresses.contains { $0.state == .inUse }
            || contacts.contains { $0.person == person && $0.state == .inUse }
    }

    // MARK: Words

    func actor(_ phone: Phone) -> Actor { Actor(name: person(phone.person)?.name ?? "somebody", device: phone.name) }

    func actor(_ contact: Contact) -> Actor {
        Actor(name: person(contact.person)?.name ?? "somebody", device: contact.name)
    }

    /// Whom a message goes to, for a sentence.
    package func name(of phone: PhoneID) -> String {
        self.phone(phone).map { actor($0).words } ?? "a phone that is gone (\(phone))"
    }

    package func name(of address: AddressID) -> String {
        switch receiver(at: address) {
        case .phone(let id, _): name(of: id)
        case .legacy(let token): "original app \(token.prefix(8))…"
        case .contact(let contact): actor(contact).words
        case .house(let house): "\(house.kind.rawValue) \(house.shownValue)"
        case nil: "a phone that is gone"
        }
    }
}

extension HouseAddress {
    /// Without the path of a URL, which is often a secret.
    var shownValue: String {
        guard kind == .url else { return value }
        let parts = value.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return "" }
        let host = parts[2].split(separator: "?").first.map(String.init) ?? ""
        return "\(parts[0])//\(host.split(separator: "@").last.map(String.init) ?? host)"
    }
}

extension Contact {
    /// As lists show it. A topic is a secret, which is shown when it is made: its beginning names it.
    var shownAddress: String { kind == .topic ? String(ownAddress.prefix(8)) : value }

    /// A topic without its server.
    fileprivate var ownAddress: String {
        kind == .topic ? value.split(separator: "/").last.map(String.init) ?? value : value
    }
}
