package import AlarmModel
import PanelLink
package import PhoneLink
import PhoneProtocol

/// One address that messages can go to, and what its owner is told.
struct OutboxRoute: Codable, Equatable, Sendable {
    enum Receiver: Codable, Equatable, Sendable {
        /// Sealed; it confirms what it has.
        case phone(PhoneID)
        /// In words; nobody confirms.
        case contact(tellsArming: Bool)
        /// An original app.
        case legacy
        /// The house's own, with the types of events that are told there: those of HowAlarming's table, or the events'
        /// own.
        case house([EventType], byOwnType: Bool)
    }
    var address: AddressID
    var channel: ChannelKind
    var receiver: Receiver
    /// nil for an original app and for the house's own addresses.
    var person: PersonID?
    /// Alarms always are.
    var receives: [PriorityClass]
    var isDuressContact: Bool
    /// Replaced: alarms only, until then.
    var retiresAt: WallTime?
    /// Its person may arm by some device; everybody, where nobody may: they have a keypad.
    var mayArm = true

    var phone: PhoneID? {
        if case .phone(let phone) = receiver { phone } else { nil }
    }

    /// To a person, not to a program of the house.
    var leadsToPeople: Bool {
        switch receiver {
        case .phone, .contact, .legacy: retiresAt == nil
        case .house: channel == .mail
        }
    }

    /// - Parameter legacyType: HowAlarming's own type of the event's code, which rules original apps and programs
    func takes(_ event: Event, legacyType: EventType) -> Bool {
        if event.flags.contains(.maintenance) { return false }
        if channel == .receiver, !event.isForReceivers { return false }
        if event.flags.contains(.duress) { return isDuressContact && (retiresAt == nil || event.priority == .alarm) }
        let endsAlarm = event.flags.contains(.endsAlarm)
        switch receiver {
        case .legacy: return HowAlarmingMessage(event, type: legacyType).isPushed
        case .house(let triggers, let byOwnType):
            // Programs that go by the types of 2016 get each line; people who read mail get each thing once.
            if event.flags.contains(.repeats), byOwnType || channel == .mail { return false }
            if !byOwnType, triggers.contains(legacyType) { return true }
            return triggers.contains(event.type) || endsAlarm && triggers.contains(.alarm)
        case .phone:
            if event.priority == .alarm || endsAlarm { return true }
            return retiresAt == nil && receives.contains(event.priority)
        case .contact(let tellsArming):
            if endsAlarm { return true }
            switch event.priority {
            case .alarm: return true
            case .fault: return receives.contains(.fault)
            case .state: return tellsArming && receives.contains(.state)
            case .info: return false
            }
        }
    }

    /// Every address that can be reached by one of these channels, ascending.
    static func all(in book: PhoneBook, channels: [ChannelKind]) -> [OutboxRoute] {
        var routes: [OutboxRoute] = []
        for phone in book.phones {
            let person = book.person(phone.person)
            for address in phone.addresses {
                guard let channel = ChannelKind.carrying(address.kind, of: channels) else { continue }
                var route = OutboxRoute(
                    address: address.id, channel: channel, receiver: .phone(phone.id), person: phone.person,
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
            guard let channel = ChannelKind.carrying(contact.kind, of: channels) else { continue }
            let person = book.person(contact.person)
            routes.append(
                OutboxRoute(
                    address: contact.address, channel: channel, receiver: .contact(tellsArming: contact.tellsArming),
                    person: contact.person, receives: person?.receives ?? [.alarm, .fault, .state],
                    isDuressContact: person?.isDuressContact ?? false))
        }
        if let channel = ChannelKind.carrying(.fcmToken, of: channels) {
            for phone in book.legacyPhones where !phone.isGone {
                routes.append(
                    OutboxRoute(
                        address: phone.address, channel: channel, receiver: .legacy, receives: [],
                        isDuressContact: false))
            }
        }
        for house in book.house {
            guard let channel = ChannelKind.carrying(house.kind, of: channels) else { continue }
            routes.append(
                OutboxRoute(
                    address: house.address, channel: channel,
                    receiver: .house(house.triggers, byOwnType: house.goesByOwnType), receives: [],
                    isDuressContact: house.isDuressContact ?? false))
        }
        let armers = book.armers
        for index in routes.indices {
            if let person = routes[index].person, !armers.isEmpty { routes[index].mayArm = armers.contains(person) }
        }
        return routes.sorted { $0.address < $1.address }
    }

    /// All addresses of the book, carried by a channel or not.
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

extension PhoneBook {
    /// The people who may arm from afar.
    fileprivate var armers: [PersonID] {
        phones.filter { $0.roles.contains(.arm) && !$0.isSuspended }.map(\.person)
            + contacts.filter { $0.state == .inUse && $0.allowed.contains(.arm) }.map(\.person)
    }
}

extension ChannelKind {
    /// Which of the channels carries messages to such an address; nil: none does.
    static func carrying(_ kind: AddressKind, of channels: [ChannelKind]) -> ChannelKind? {
        let candidates: [ChannelKind] =
            switch kind {
            case .topic: [.ntfy]
            case .fcmToken: [.fcm, .ccs]
            case .fcmInstallation: [.fcm]
            case .xmpp: [.xmpp]
            case .mqtt: [.mqtt]
            case .webPush: [.webPush]
            }
        return candidates.first { channels.contains($0) }
    }

    /// The same for a contact.
    package static func carrying(_ kind: Contact.Kind, of channels: [ChannelKind]) -> ChannelKind? {
        let channel: ChannelKind =
            switch kind {
            case .topic: .ntfy
            case .xmpp: .xmpp
            }
        return channels.contains(channel) ? channel : nil
    }

    static func carrying(_ kind: HouseAddress.Kind, of channels: [ChannelKind]) -> ChannelKind? {
        channels.contains(kind.channel) ? kind.channel : nil
    }
}

extension HouseAddress.Kind {
    /// By which channel it is told.
    package var channel: ChannelKind {
        switch self {
        case .mail: .mail
        case .url: .url
        case .program: .program
        case .tube: .beanstalk
        case .broker: .mqtt
        case .receiver: .receiver
        }
    }
}
