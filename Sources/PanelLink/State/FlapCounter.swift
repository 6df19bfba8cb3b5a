import AlarmModel

/// Counts how often each zone changed within the last minute.
struct FlapCounter: Codable, Equatable, Sendable {
    /// More changes than this in a minute are not told apart.
    static let maximum = 120

    private struct Zone: Codable, Equatable, Sendable {
        var number: Int
        /// Ascending.
        var changes: [BootTime]
    }
    /// Ascending by number; zones 1…64 only, so at most 64.
    private var zones: [Zone] = []

    /// - Returns: how many changes lie within the last minute, this one included
    mutating func changed(_ number: Int, at now: BootTime) -> Int {
        guard (1...64).contains(number) else { return 1 }
        let index = zones.firstIndex { $0.number >= number } ?? zones.count
        if index == zones.count || zones[index].number != number {
            zones.insert(Zone(number: number, changes: []), at: index)
        }
        let horizon = now - .seconds(60)
        // Most times nothing is old: a look at the oldest tells.
        if let oldest = zones[index].changes.first, !(horizon < oldest) {
            zones[index].changes.removeAll { !(horizon < $0) }
        }
        if zones[index].changes.count == Self.maximum { zones[index].changes.removeFirst() }
        zones[index].changes.append(now)
        let count = zones[index].changes.count
        if zones.contains(where: { !(horizon < $0.changes.last ?? horizon) }) {
            zones.removeAll { !(horizon < $0.changes.last ?? horizon) }
        }
        return count
    }
}
