import AlarmModel

/// A time by the clock of the house that comes again and again.
protocol Recurring: Codable, Equatable, Sendable {
    /// The first time after this instant.
    func next(after time: WallTime, in zone: TimeZoneRules) -> WallTime
}

/// When such a time is due: each once, over changes of the clock and, where it is kept, over restarts.
///
/// Guarantees: without a clock that is trusted nothing is due; what is found hours late is told as missed.
struct Occasions<Rule: Recurring>: Codable, Equatable, Sendable {
    enum Look: Equatable, Sendable {
        case nothing
        case due(WallTime)
        /// It is found to be due too late.
        case missed(WallTime)
    }

    /// One that is found to be due later than that is missed.
    let lateness: Duration
    /// What `due` was made of.
    private(set) var wanted: Rule?
    private var zone: String?
    /// nil: not known yet.
    private(set) var due: WallTime?
    /// Time of the last one that was due or missed in this run; nil: none was.
    private var done: WallTime?
    private var nextLook: BootTime?

    /// The clock is looked at so often, because it may be set.
    private static var lookInterval: Duration { .hours(1) }
    /// While the clock is not trusted or something keeps it from being told.
    private static var pause: Duration { .minutes(1) }

    init(lateness: Duration) { self.lateness = lateness }

    /// Goes on where the last run ended.
    mutating func restore(_ due: WallTime, of rule: Rule, in zone: TimeZoneRules) {
        (wanted, self.zone, self.due, nextLook) = (rule, zone.name, due, nil)
    }

    /// Whether its time has come.
    ///
    /// - Parameter isBusy: it cannot be kept now: it is looked at again a little later
    mutating func look(_ wanted: Rule?, in zone: TimeZoneRules, isBusy: Bool, at now: Moment) -> Look {
        if wanted != self.wanted || zone.name != self.zone {
            (self.wanted, self.zone, due, done, nextLook) = (wanted, zone.name, nil, nil, nil)
        }
        guard let wanted else { return .nothing }
        if let nextLook, now.boot < nextLook { return .nothing }
        nextLook = now.boot + Self.pause
        guard now.isWallTrusted else { return .nothing }
        let time = dueTime(wanted, zone, now.wall)
        due = time
        guard now.wall >= time else {
            nextLook = now.boot + min(time - now.wall, Self.lookInterval)
            return .nothing
        }
        if isBusy { return .nothing }
        done = time
        let next = wanted.next(after: now.wall, in: zone)
        due = next
        nextLook = now.boot + min(next - now.wall, Self.lookInterval)
        return now.wall - time < lateness ? .due(time) : .missed(time)
    }

    /// Replaces a time that a clock which was ahead has computed: an earlier occasion that is not done is due first.
    private func dueTime(_ wanted: Rule, _ zone: TimeZoneRules, _ now: WallTime) -> WallTime {
        let next = wanted.next(after: now, in: zone)
        guard let due, due > next else { return due ?? next }
        // A clock that is set back by a little brings no time a second time.
        let isOpen = done.map { next > $0 } ?? false
        return isOpen || wanted.next(after: next, in: zone) < due ? next : due
    }

    func nextDeadline(_ wanted: Rule?, at now: BootTime) -> BootTime? {
        guard wanted != nil else { return nil }
        // A restored time has not been compared with the clock yet.
        return wanted == self.wanted ? nextLook ?? now : now
    }
}
