import AlarmModel
import PhoneLink

/// Commands between their acceptance and their stored outcome.
struct CommandDesk: Codable, Hashable, Sendable {
    /// Who asked.
    enum Origin: Codable, Hashable, Sendable {
        case client(ConnectionID)
        case phone(PhoneID, counter: UInt64, digest: [UInt8])
        case legacy(token: String)
        /// A store app or an account.
        case contact(AddressID)
        /// The broker or the command tube.
        case house(WayKind)
    }

    struct Open: Codable, Hashable, Sendable {
        var id: CommandID
        var origin: Origin
        /// Who asked, in words: "Anna (Pixel)"; nil for somebody at the box.
        var person: Actor?
        var summary: String
        var partition: Int?
        var zone: Int?
        var acceptedAt: WallTime
        /// The code of the line by which the panel names the user of such a command; nil for most.
        var userLine: String?
        /// The panel has named its user.
        var isNamed = false
    }

    struct Actor: Codable, Hashable, Sendable {
        var name: String
        var device: String
        var words: String { "\(name) (\(device))" }
    }

    private(set) var open: [Open] = []
    /// The newest that have ended: what they caused may be told after their end.
    private var ended: [Open] = []
    private(set) var next: CommandID

    init(next: CommandID) { self.next = next }

    mutating func accept(
        _ command: PanelCommand, from origin: Origin, by person: Actor? = nil, at now: Moment
    ) -> Open {
        let zone: Int? = if case .bypass(let zone, _) = command { zone } else { nil }
        let entry = accept(
            summary: command.summary, partition: command.partition, zone: zone, from: origin, by: person, at: now)
        if case .arm = command { open[open.count - 1].userLine = "700" }
        if case .disarm = command { open[open.count - 1].userLine = "750" }
        return open.last ?? entry
    }

    mutating func accept(
        summary: String, partition: Int? = nil, zone: Int? = nil, from origin: Origin, by person: Actor?,
        at now: Moment
    ) -> Open {
        let entry = Open(
            id: next, origin: origin, person: person, summary: summary, partition: partition, zone: zone,
            acceptedAt: now.wall)
        next = CommandID(next.number + 1)
        open.append(entry)
        return entry
    }

    private static let endedKept = 64

    func entry(_ id: CommandID) -> Open? { open.first { $0.id == id } }

    /// A person's command that the panel may be naming the user of.
    func underWay(_ userLine: String, _ partition: Int) -> Open? {
        open.first { $0.person != nil && $0.partition == partition && $0.userLine == userLine && !$0.isNamed }
    }

    mutating func named(_ id: CommandID) {
        if let index = open.firstIndex(where: { $0.id == id }) { open[index].isNamed = true }
    }

    /// Who gave a command that is open or ended not long ago.
    func origin(of id: CommandID) -> Origin? {
        (open.last { $0.id == id } ?? ended.last { $0.id == id })?.origin
    }

    mutating func end(_ id: CommandID) -> Open? {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return nil }
        let entry = open.remove(at: index)
        if ended.count == Self.endedKept { ended.removeFirst() }
        ended.append(entry)
        return entry
    }
}
