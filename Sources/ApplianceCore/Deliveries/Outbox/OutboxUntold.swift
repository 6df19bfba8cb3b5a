import AlarmModel

/// Alarms that no service has taken yet for somebody; duress is not among them.
struct OutboxUntold {
    /// When the oldest of them happened.
    var since: WallTime
    /// How many alarms.
    var alarms: Int
    /// Where they have not arrived, ascending.
    var addresses: [AddressID]
    /// Nothing has been taken anywhere since the oldest of them.
    var isNobodyTold: Bool
    /// When the next one is tried; nil: one is under way.
    var nextTry: BootTime?

    /// nil: everybody has been told.
    init?(_ outbox: Outbox) {
        let people = outbox.lines.filter(\.route.leadsToPeople)
        let open = outbox.items.filter { item in
            guard item.priority == .alarm, !item.isDuress, !item.isFallback, item.acceptances == 0,
                people.contains(where: { $0.route.address == item.address })
            else { return false }
            return switch item.stage {
            case .waiting, .handed, .underWay: true
            case .awaiting, .mayBounce: false
            }
        }
        guard let oldest = open.map(\.event.time).min() else { return nil }
        since = oldest
        alarms = Set(open.map(\.event)).count
        addresses = people.map(\.route.address).filter { address in open.contains { $0.address == address } }
        isNobodyTold = !people.contains { line in line.lastAccepted.map { $0 >= oldest } ?? false }
        nextTry = open.contains { $0.stage != .waiting } ? nil : open.map(\.notBefore).min()
    }
}
