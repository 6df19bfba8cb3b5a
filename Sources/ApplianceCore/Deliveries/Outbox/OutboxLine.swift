import AlarmModel

/// What the outbox keeps for one address: how fast it may be fed, what the store holds for it, and how it fared.
struct OutboxLine: Codable, Equatable, Sendable {
    typealias Place = OutboxItem.Place

    /// Rows that are on their way to the store and are not in memory.
    struct Unheld: Codable, Equatable, Sendable {
        /// The first of them in the store's order.
        var priority: PriorityClass
        var origin: OutboxItem.Origin
        var lastBatch: BatchID
    }

    var route: OutboxRoute
    var ordinary = OutboxPace()
    var faults = OutboxPace()
    var repeats = OutboxPace()

    /// Nothing but alarms goes there before this.
    var heldUntil: BootTime?
    var holdDelay: Duration?

    /// When people were last told that an alarm is overdue there.
    var overdueToldAt: BootTime?
    /// An alarm is overdue there, and people were not told.
    var hasUntoldOverdue = false

    /// From here on the store may hold messages that are not in memory; nil: it holds none.
    var horizon: Place? = .first
    /// Part of the read that is under way.
    var isAsked = false
    /// What went to the store alone since that read was ordered: the answer may not know it.
    var sinceAsked: Place?
    var unheld: Unheld?

    /// The phone has the log up to here.
    var confirmedUpTo = SequenceNumber.zero
    /// Its person has seen every alarm up to here; not kept over restarts: one repeat too many is better than none.
    var seenUpTo = SequenceNumber.zero
    var lastAccepted: WallTime?
    var lastReceived: WallTime?
    var lastError: String?

    init(_ route: OutboxRoute) { self.route = route }

    mutating func leaveInStore(_ place: Place) {
        horizon = min(horizon ?? place, place)
        if isAsked { sinceAsked = min(sinceAsked ?? place, place) }
    }

    mutating func leaveToCommit(_ priority: PriorityClass, _ origin: OutboxItem.Origin) {
        guard var known = unheld else {
            unheld = Unheld(priority: priority, origin: origin, lastBatch: origin.batch)
            return
        }
        known.lastBatch = max(known.lastBatch, origin.batch)
        let isEarlier =
            (origin.batch, origin.index) < (known.origin.batch, known.origin.index) && priority == known.priority
        if priority < known.priority || isEarlier {
            known.priority = priority
            known.origin = origin
        }
        unheld = known
    }

    mutating func committed(upTo id: BatchID, sequence: (BatchID, Int) -> SequenceNumber?) {
        guard var known = unheld, known.origin.batch <= id else {
            // The first of them waits still, but one of a lesser class may be stored; it is found with the first.
            return
        }
        let number = sequence(known.origin.batch, known.origin.index)?.number ?? 0
        leaveInStore(Place(priority: known.priority, number: number))
        if known.lastBatch <= id {
            unheld = nil
        } else {
            known.origin = OutboxItem.Origin(batch: id.next, index: 0)
            unheld = known
        }
    }

    /// Time from which people may be told again that an alarm is overdue there; nil: at once.
    func overdueDue(_ policy: OutboxPolicy) -> BootTime? { overdueToldAt.map { $0 + policy.overdueInterval } }

    /// When the next message of this kind may leave.
    /// - Parameter isRepeat: the service has taken it before
    func ready(_ priority: PriorityClass, isRepeat: Bool, _ policy: OutboxPolicy) -> BootTime {
        let hold = heldUntil ?? .zero
        switch priority {
        case .alarm:
            guard isRepeat else { return .zero }
            return max(hold, repeats.ready(burst: policy.repeatBurst, interval: policy.repeatInterval))
        case .fault: return max(hold, faults.ready(burst: policy.faultBurst, interval: policy.faultInterval))
        case .state, .info:
            return max(hold, ordinary.ready(burst: policy.ordinaryBurst, interval: policy.ordinaryInterval))
        }
    }

    mutating func take(_ item: OutboxItem, _ policy: OutboxPolicy, at now: BootTime) {
        switch item.priority {
        case .alarm: if item.acceptances > 0 { repeats.take(interval: policy.repeatInterval, at: now) }
        case .fault: faults.take(interval: policy.faultInterval, at: now)
        case .state, .info: ordinary.take(interval: policy.ordinaryInterval, at: now)
        }
    }

    mutating func giveBack(_ item: OutboxItem, _ policy: OutboxPolicy) {
        switch item.priority {
        case .alarm: if item.acceptances > 0 { repeats.giveBack(interval: policy.repeatInterval) }
        case .fault: faults.giveBack(interval: policy.faultInterval)
        case .state, .info: ordinary.giveBack(interval: policy.ordinaryInterval)
        }
    }
}
