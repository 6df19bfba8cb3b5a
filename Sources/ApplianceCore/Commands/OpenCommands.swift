import AlarmModel
import PanelLink
import PhoneLink

/// Commands between their acceptance and their stored outcome.
struct OpenCommands: Codable, Equatable, Sendable {
    /// Who asked.
    enum Origin: Codable, Equatable, Sendable {
        case client(ConnectionID)
        case phone(PhoneID, counter: UInt64, digest: [UInt8])
        case legacy(token: String)
        /// A store app or an account.
        case contact(AddressID)
        /// The broker or the command tube.
        case house(ChannelKind)
        /// The owner's schedule.
        case schedule
    }

    struct Entry: Codable, Equatable, Sendable {
        var id: CommandID
        var origin: Origin
        /// Who asked, in words: "Anna (Pixel)"; nil for somebody at the box.
        var person: Actor?
        var summary: String
        var partition: Int?
        var zone: Int?
        var acceptedAt: WallTime
        /// What the panel names the user of after such a command; nil for most.
        var userChange: UserChange?
        /// The panel has named its user.
        var isNamed = false
    }

    private(set) var open: [Entry] = []
    private(set) var next: CommandID

    init(next: CommandID) { self.next = next }

    mutating func accept(
        _ command: PanelCommand, from origin: Origin, by person: Actor? = nil, at now: Moment
    ) -> Entry {
        let zone: Int? = if case .bypass(let zone, _) = command { zone } else { nil }
        let change: UserChange? =
            switch command {
            case .arm: .armed
            case .disarm: .disarmed
            case .bypass, .panic, .output, .chime, .silence, .smokeReset, .setClock, .keys, .refresh, .timers: nil
            }
        return accept(
            summary: command.summary, partition: command.partition, zone: zone, change: change, from: origin,
            by: person, at: now)
    }

    mutating func accept(
        summary: String, partition: Int? = nil, zone: Int? = nil, change: UserChange? = nil, from origin: Origin,
        by person: Actor?, at now: Moment
    ) -> Entry {
        let entry = Entry(
            id: next, origin: origin, person: person, summary: summary, partition: partition, zone: zone,
            acceptedAt: now.wall, userChange: change)
        next = CommandID(next.number + 1)
        open.append(entry)
        return entry
    }

    func entry(_ id: CommandID) -> Entry? { open.first { $0.id == id } }

    /// A person's command that the panel may be naming the user of.
    func underWay(_ change: UserChange, _ partition: Int) -> Entry? {
        open.first { $0.person != nil && $0.partition == partition && $0.userChange == change && !$0.isNamed }
    }

    mutating func named(_ id: CommandID) {
        if let index = open.firstIndex(where: { $0.id == id }) { open[index].isNamed = true }
    }

    mutating func end(_ id: CommandID) -> Entry? {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return nil }
        return open.remove(at: index)
    }
}

extension Start {
    /// Above every number that was ever given out, also with the snapshot lost.
    var nextCommand: CommandID {
        let used = max(lastCommand?.number ?? 0, unfinished.map(\.command.number).max() ?? 0)
        // A damaged number must not trap, now or at the next command.
        let highest = UInt64(1) << 62
        return CommandID(max(1, min(snapshot?.nextCommand.number ?? 1, highest), min(used, highest) + 1))
    }
}
