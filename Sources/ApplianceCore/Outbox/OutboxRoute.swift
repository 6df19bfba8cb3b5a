import AlarmModel
import PhoneProtocol

/// One address that messages can go to, and what its owner is told.
struct OutboxRoute: Codable, Hashable, Sendable {
    var address: AddressID
    /// nil for an original app.
    var phone: PhoneID?
    /// Alarms always are.
    var receives: [PriorityClass]
    var isDuressContact: Bool
    /// Replaced: alarms only, until then.
    var retiresAt: WallTime?

    var isLegacy: Bool { phone == nil }

    /// - Parameter heritageType: HowAlarming's own type of the event's code, which rules the original apps
    func takes(_ event: Event, heritageType: EventType) -> Bool {
        if event.flags.contains(.maintenance) { return false }
        if event.flags.contains(.duress) { return isDuressContact && (retiresAt == nil || event.priority == .alarm) }
        if isLegacy { return HowAlarmingMessage(event, type: heritageType).isPushed }
        if event.priority == .alarm { return true }
        return retiresAt == nil && receives.contains(event.priority)
    }

    /// Every address that can be reached, ascending.
    static func all(in book: PhoneBook, carriable: [AddressKind]) -> [OutboxRoute] {
        var routes: [OutboxRoute] = []
        for phone in book.phones {
            let person = book.person(phone.person)
            for address in phone.addresses where carriable.contains(address.kind) {
                var route = OutboxRoute(
                    address: address.id, phone: phone.id, receives: person?.receives ?? [.alarm, .fault, .state],
                    isDuressContact: person?.isDuressContact ?? false)
                switch address.state {
                case .inUse: break
                case .retiring(let until): route.retiresAt = until
                case .candidate, .gone: continue
                }
                routes.append(route)
            }
        }
        if carriable.contains(.fcmToken) {
            for phone in book.legacyPhones where !phone.isGone {
                routes.append(OutboxRoute(address: phone.address, receives: [], isDuressContact: false))
            }
        }
        return routes.sorted { $0.address < $1.address }
    }

    /// Addresses of the book where nobody is any more, ascending.
    static func gone(in book: PhoneBook) -> [AddressID] {
        var gone = book.legacyPhones.filter(\.isGone).map(\.address)
        for address in book.phones.flatMap(\.addresses) {
            if case .gone = address.state { gone.append(address.id) }
        }
        return gone.sorted()
    }
}
