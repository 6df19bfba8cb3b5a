import AlarmModel

/// Commands between their acceptance and their stored outcome.
struct CommandDesk: Codable, Hashable, Sendable {
    /// Who asked.
    enum Origin: Codable, Hashable, Sendable {
        case client(ConnectionID)
        case phone(PhoneID, counter: UInt64, digest: [UInt8])
        case legacy(token: String)
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
    }

    struct Actor: Codable, Hashable, Sendable {
        var name: String
        var device: String
        var words: String { "\(name) (\(device))" }
    }

    private(set) var open: [Open] = []
    private(set) var next: CommandID

    init(next: CommandID) { self.next = next }

    mutating func accept(
        _ command: PanelCommand, from origin: Origin, by person: Actor? = nil, at now: Moment
    ) -> Open {
        let zone: Int? = if case .bypass(let zone, _) = command { zone } else { nil }
        return accept(
            summary: command.summary, partition: command.partition, zone: zone, from: origin, by: person, at: now)
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

    func entry(_ id: CommandID) -> Open? { open.first { $0.id == id } }

    mutating func end(_ id: CommandID) -> Open? {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return nil }
        return open.remove(at: index)
    }
}
