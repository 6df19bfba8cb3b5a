package import AlarmModel
package import PhoneLink
import PhoneProtocol

/// One address that messages can go to, and what its owner is told.
struct OutboxRoute: Codable, Hashable, Sendable {
    enum Receiver: Codable, Hashable, Sendable {
        /// Sealed; it confirms what it has.
        case phone(PhoneID)
        /// In words; nobody confirms.
        case contact(tellsArming: Bool)
        /// An original app.
        case legacy
        /// The house's own, with the types of events that are told there: those of HowAlarming's table, or the events' own.
        case house([EventType], byOwnType: Bool)
    }
    var address: AddressID
    var way: WayKind
    var receiver: Receiver
    /// nil for an original app and for the house's own addresses.
    var person: PersonID?
    /// Alarms always are.
    var receives: [PriorityClass]
    var isDuressContact: Bool
    /// Replaced: alarms only, until then.
    var retiresAt: WallTime?

    var phone: PhoneID? {
        if case .phone(let phone) = receiver { phone } else { nil }
    }

    /// - Parameter heritageType: HowAlarming's own type of the event's code, which rules original apps and programs
    func takes(_ event: Event, heritageType: EventType) -> Bool {
        if event.flags.contains(.maintenance) { return false }
        if event.flags.contains(.duress) { return isDuressContact && (retiresAt == nil || event.priority == .alarm) }
        switch receiver {
        case .legacy: return HowAlarmingMessage(event, type: heritageType).isPushed
        case .house(let triggers, let byOwnType): return triggers.contains(byOwnType ? event.type : heritageType)
        case .phone:
            if event.priority == .alarm { return true }
            return retiresAt == nil && receives.contains(event.priority)
        case .contact(let tellsArming):
            switch event.priority {
            case .alarm: return true
            case .fault: return receives.contains(.fault)
            case .state: return tellsArming && receives.contains(.state)
            case .info: return false
            }
        }
    }

    /// Every address that can be reached by one of these ways, ascending.
    static func all(in book: PhoneBook, ways: [WayKind]) -> [OutboxRoute] {
        var routes: [OutboxRoute] = []
        for phone in book.phones {
            let person = book.person(phone.person)
            for address in phone.addresses {
                guard let way = WayKind.carrying(address.kind, of: ways) else { continue }
                var route = OutboxRoute(
                    address: address.id, way: way, receiver: .phone(phone.id), person: phone.person,
                    receives: person?.receives ?? [.alarm, .fault, .state],
                    isDuressContact: person?.isDuressContact ?? false)
                switch address.state {
                case .inUse: break
                case .retiring(let until): route.retiresAt = until
                case .candidate, .gone: continue
                }
                routes.append(route)
            }
        }
        for contact in book.contacts where contact.state == .inUse {
            guard let way = WayKind.carrying(contact.kind, of: ways) else { continue }
            let person = book.person(contact.person)
            routes.append(
                OutboxRoute(
                    address: contact.address, way: way, receiver: .contact(tellsArming: contact.tellsArming),
                    person: contact.person, receives: person?.receives ?? [.alarm, .fault, .state],
                    isDuressContact: person?.isDuressContact ?? false))
        }
        if let way = WayKind.carrying(.fcmToken, of: ways) {
            for phone in book.legacyPhones where !phone.isGone {
                routes.append(
                    OutboxRoute(
                        address: phone.address, way: way, receiver: .legacy, receives: [], isDuressContact: false))
            }
        }
        for house in book.house {
            guard let way = WayKind.carrying(house.kind, of: ways) else { continue }
            routes.append(
                OutboxRoute(
                    address: house.address, way: way,
                    receiver: .house(house.triggers, byOwnType: house.goesByOwnType), receives: [],
                    isDuressContact: false))
        }
        return routes.sorted { $0.address < $1.address }
    }

    /// All addresses of the book, carried by a way or not.
    static func known(in book: PhoneBook) -> [AddressID] {
        book.phones.flatMap(\.addresses).map(\.id) + book.contacts.map(\.address) + book.legacyPhones.map(\.address)
            + book.house.map(\.address)
    }

    /// Addresses of the book where nobody is any more, ascending.
    static func gone(in book: PhoneBook) -> [AddressID] {
        var gone = book.legacyPhones.filter(\.isGone).map(\.address)
        for address in book.phones.flatMap(\.addresses) {
            if case .gone = address.state { gone.append(address.id) }
        }
        for contact in book.contacts {
            if case .gone = contact.state { gone.append(contact.address) }
        }
        return gone.sorted()
    }
}

extension WayKind {
    /// Which of the ways carries messages to such an address; nil: none does.
    static func carrying(_ kind: AddressKind, of ways: [WayKind]) -> WayKind? {
        let candidates: [WayKind] =
            switch kind {
            case .topic: [.ntfy]
            case .fcmToken: [.fcm, .ccs]
            case .fcmInstallation: [.fcm]
            case .xmpp: [.xmpp]
            case .mqtt: [.mqtt]
            case .webPush: []
            }
        return candidates.first { ways.contains($0) }
    }

    static func carrying(_ kind: Contact.Kind, of ways: [WayKind]) -> WayKind? {
        let way: WayKind =
            switch kind {
            case .topic: .ntfy
            case .xmpp: .xmpp
            }
        return ways.contains(way) ? way : nil
    }

    static func carrying(_ kind: HouseAddress.Kind, of ways: [WayKind]) -> WayKind? {
        ways.contains(kind.way) ? kind.way : nil
    }
}

extension HouseAddress.Kind {
    /// By which way it is told.
    package var way: WayKind {
        switch self {
        case .mail: .mail
        case .url: .url
        case .program: .program
        case .tube: .beanstalk
        case .broker: .mqtt
        }
    }
}
