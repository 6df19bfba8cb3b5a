package import AlarmModel
import PhoneLink

/// Whom an event is told that concerns one phone, whatever the class of the event.
package enum OutboxAudience: Codable, Equatable, Sendable {
    /// Every phone, but for one that hears of it otherwise.
    case everybody(except: PhoneID?)
    /// The same, and contacts.
    case people(except: PhoneID?)
    case only(PhoneID)
    /// Every paired phone, or one alone, and no browser's push: each of those shows a notice.
    case apps(only: PhoneID?)
    /// One address, whatever it is.
    case address(AddressID)
    /// Every address of people and of the house, by its own channel.
    case everywhere
    /// Of those whom the class of the event reaches, the people who may arm, and the house's own addresses.
    case mayArm

    /// - Parameters:
    ///   - isTaken: its class alone would bring the event to this address
    ///   - isFault: a fault reaches everybody who takes faults, by whatever channel; other events of this kind reach no
    ///     original app and no program
    func includes(_ route: OutboxRoute, isTaken: Bool, isFault: Bool) -> Bool {
        guard route.retiresAt == nil else { return false }
        if self == .mayArm { return isTaken && route.mayArm && route.receiver != .legacy }
        if self == .everywhere { return route.receiver != .legacy }
        if case .address(let only) = self { return route.address == only }
        if case .apps(let only) = self, let phone = route.phone {
            return route.channel != .webPush && (only ?? phone) == phone
        }
        if case .apps = self { return false }
        if case .people = self, case .contact = route.receiver { return true }
        guard let phone = route.phone else {
            if case .only = self { return false }
            return isTaken && isFault
        }
        return switch self {
        case .everybody(let except), .people(let except): phone != except
        case .only(let only): phone == only
        case .everywhere, .address, .mayArm, .apps: true
        }
    }
}

extension Outbox {
    /// Where a message goes; nil when it is not in memory.
    package func address(of message: MessageID) -> AddressID? { index(of: message).map { items[$0].address } }

    /// These messages will never be stored: their events were dropped because memory was full.
    package mutating func forget(_ messages: [MessageID]) {
        for message in messages {
            if let index = index(of: message), items[index].stage == .waiting { remove(at: index) }
        }
    }
}
