import AlarmModel

/// What tells a closed zone from the module's default after its power-up (docs/envisalink.md 1.5, 4.2).
struct ZoneEvidence: Codable, Equatable, Sendable {
    /// The last 615 of this session; empty before.
    private(set) var timers: [ZoneTimer] = []
    private var timersAt: BootTime?
    /// Zones that changed in this session, ascending.
    private var changed: [Int] = []
    /// Zones that a report called closed without proof, ascending.
    private(set) var unproven: [Int] = []
    /// Until when a zone's state was known, on the clock of this boot; ascending by zone.
    private var knownUntil: [Mark] = []

    private struct Mark: Codable, Equatable, Sendable {
        var zone: Int
        var at: BootTime
    }

    var hasTimers: Bool { timersAt != nil }

    /// A new session: nothing seen in it yet.
    mutating func sessionBegan() {
        timers = []
        timersAt = nil
        changed = []
        unproven = []
    }

    /// The link is lost; these zones were known up to `time`.
    mutating func sessionEnded(known zones: [Int], at time: BootTime) {
        for zone in zones {
            if let index = knownUntil.firstIndex(where: { $0.zone >= zone }) {
                if knownUntil[index].zone == zone {
                    knownUntil[index].at = time
                } else {
                    knownUntil.insert(Mark(zone: zone, at: time), at: index)
                }
            } else {
                knownUntil.append(Mark(zone: zone, at: time))
            }
        }
    }

    mutating func take(_ timers: [ZoneTimer], at time: BootTime) {
        self.timers = timers
        timersAt = time
    }

    mutating func zoneChanged(_ zone: Int) {
        insert(zone, into: &changed)
        unproven.removeAll { $0 == zone }
    }

    mutating func leaveUnproven(_ zone: Int) { insert(zone, into: &unproven) }

    mutating func settle(_ zone: Int) { unproven.removeAll { $0 == zone } }

    /// Whether "closed" is a fact.
    ///
    /// - Parameter knownAt: until when the zone's state was known before, on the wall clock; nil if it never was
    func proves(_ zone: Int, knownAt: WallTime?, at now: Moment) -> Bool {
        if changed.contains(zone) { return true }
        if timers.indices.contains(zone - 1), timers[zone - 1] != .unknown { return true }
        guard let uptime = provenUptime(at: now.boot) else { return false }
        if let mark = knownUntil.first(where: { $0.zone == zone }), uptime >= now.boot - mark.at { return true }
        if let knownAt, now.isWallTrusted, now.wall >= knownAt, uptime >= now.wall - knownAt { return true }
        return false
    }

    /// The largest counter: the module has run at least so long.
    private func provenUptime(at now: BootTime) -> Duration? {
        guard let timersAt else { return nil }
        let ages = timers.compactMap { timer -> Duration? in
            if case .closed(let ago) = timer { return ago }
            return nil
        }
        return ages.max().map { $0 + (now - timersAt) }
    }

    private func insert(_ zone: Int, into list: inout [Int]) {
        guard !list.contains(zone) else { return }
        list.append(zone)
        list.sort()
    }
}
