import AlarmModel

/// Commands between their acceptance and their stored outcome.
struct CommandDesk: Codable, Hashable, Sendable {
    struct Open: Codable, Hashable, Sendable {
        var id: CommandID
        var client: ConnectionID
        var summary: String
        var partition: Int?
        var zone: Int?
        var acceptedAt: WallTime
    }

    private(set) var open: [Open] = []
    private(set) var next: CommandID

    init(next: CommandID) { self.next = next }

    mutating func accept(_ command: PanelCommand, from client: ConnectionID, at now: Moment) -> Open {
        let zone: Int? = if case .bypass(let zone, _) = command { zone } else { nil }
        let entry = Open(
            id: next, client: client, summary: command.summary, partition: command.partition, zone: zone,
            acceptedAt: now.wall)
        next = CommandID(next.number + 1)
        open.append(entry)
        return entry
    }

    mutating func end(_ id: CommandID) -> Open? {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return nil }
        return open.remove(at: index)
    }
}
