import AlarmModel

/// The batches that are on their way to the disk, and what to do while the disk does not take them
/// (docs/ARCHITECTURE.md 2, "The store fails").
///
/// Guarantees: batches are ordered in the order of their numbers; a batch leaves the queue only when it is durable or
/// was rejected alone; memory is bounded by `eventLimit`.
struct JournalQueue: Codable, Equatable, Sendable {
    struct Waiting: Codable, Equatable, Sendable {
        var batch: Batch
        /// When its events were read.
        var since: BootTime
        /// When the disk was asked to store it; nil while it is not.
        var orderedAt: BootTime?
        /// Which of its events were dropped, by their index when the batch was made; nil: none.
        var dropped: [Int]?

        var isOrdered: Bool { orderedAt != nil }
    }

    enum Condition: Codable, Equatable, Sendable {
        case good
        /// The disk has not answered for so long.
        case stalled
        case failing(StoreFailure)
    }

    /// What became of a failed commit.
    enum Verdict: Equatable, Sendable {
        case retryLater
        /// The batch was refused on its own and is out of the queue.
        case setAside(Batch)
        /// The same of its events and its snapshot: the rest of it, in which the reason hardly lies, is tried without them.
        case eventsSetAside(Batch)
    }

    private(set) var waiting: [Waiting] = []
    private(set) var health: Condition = .good
    private(set) var droppedEvents: UInt64 = 0
    /// Dropped since the last event that said so.
    private(set) var unreportedDrops: UInt64 = 0
    /// Messages whose events were dropped, and that nobody has taken note of yet.
    private var droppedMessages: [MessageID] = []
    private(set) var latency = LatencyRing()
    private var nextID = BatchID(1)
    private var retryAt: BootTime?
    /// When the disk answered last: it is the silence that counts, not the length of the queue.
    private var answeredAt: BootTime?
    /// Since when the disk has not answered, while that is known as a stall.
    private(set) var stalledSince: BootTime?
    private var retryDelay: Duration = .seconds(1)
    private var ordersSingly = false

    /// Events that wait at most while the store fails; about 5 MB.
    static let eventLimit = 10_000
    private static let retryCap: Duration = .seconds(30)

    /// What waits for the disk.
    var load: (batches: Int, events: Int) { (waiting.count, waitingEvents) }

    var waitingEvents: Int { waiting.reduce(0) { $0 + $1.batch.events.count } }
    /// The events that wait, in order.
    var events: [Event] { waiting.flatMap(\.batch.events) }
    var isGood: Bool { health == .good }

    var problem: String? {
        switch health {
        case .good: nil
        case .stalled: "the disk does not answer; if this lasts, replace the card"
        case .failing(let failure): failure.description
        }
    }

    /// The number that the next appended batch gets.
    var upcomingID: BatchID { nextID }

    /// Takes a step's writes; `due` orders them, behind what waits already.
    mutating func append(at now: Moment, _ fill: (inout Batch) -> Void) {
        var batch = Batch(id: nextID)
        fill(&batch)
        nextID = nextID.next
        waiting.append(Waiting(batch: batch, since: now.boot, orderedAt: nil))
        if health != .good { thin() }
    }

    /// What a commit was.
    struct Committed: Equatable, Sendable {
        var batches: [Stored]
        /// The store was failing or stalled before.
        var wasBad: Bool
    }

    /// A batch that is durable, and where its events stood when it was made.
    struct Stored: Equatable, Sendable {
        var id: BatchID
        var hasPhoneBook: Bool { batch.phoneBook != nil }
        var events: [(index: Int, event: Event)] {
            let gone = dropped ?? []
            var index = -1
            return batch.events.map { event in
                repeat { index += 1 } while gone.contains(index)
                return (index, event)
            }
        }
        private let batch: Batch
        private let dropped: [Int]?

        init(_ waiting: Waiting) {
            id = waiting.batch.id
            batch = waiting.batch
            dropped = waiting.dropped
        }
    }

    /// Everything up to `id` is durable.
    mutating func committed(upTo id: BatchID, at now: Moment) -> Committed {
        let count = waiting.prefix { $0.batch.id <= id }.count
        let done = waiting.prefix(count)
        for done in done where !done.batch.events.isEmpty { latency.add(now.boot - done.since) }
        let batches = done.map(Stored.init)
        waiting.removeFirst(count)
        answeredAt = now.boot
        stalledSince = nil
        let wasBad = health != .good
        health = .good
        retryAt = nil
        retryDelay = .seconds(1)
        ordersSingly = false
        return Committed(batches: batches, wasBad: wasBad)
    }

    mutating func commitFailed(from: BatchID, upTo id: BatchID, _ failure: StoreFailure, at now: Moment) -> Verdict {
        answeredAt = now.boot
        stalledSince = nil
        // What was ordered behind them is dropped as well: all of it is ordered anew, in its order.
        for index in waiting.indices { waiting[index].orderedAt = nil }
        if failure.kind == .rejected {
            // The disk works; what else waits need not.
            retryAt = nil
            if health == .stalled { health = .good }
            if from == id, let index = waiting.firstIndex(where: { $0.batch.id == id }) {
                let refused = waiting[index].batch
                _ = waiting[index].removeEvents { _ in true }
                waiting[index].batch.snapshot = nil
                let rest = waiting[index].batch
                if rest != refused, rest.hasWrites { return .eventsSetAside(refused) }
                waiting.remove(at: index)
                return .setAside(refused)
            }
            // One of several is bad: find it by ordering them one at a time.
            ordersSingly = true
            return .retryLater
        }
        health = .failing(failure)
        retryAt = now.boot + retryDelay
        retryDelay = min(retryDelay * 2, Self.retryCap)
        thin()
        return .retryLater
    }

    /// Batches to order now: after a recovery all that wait, otherwise one as a trial.
    mutating func due(at now: Moment) -> [Batch] {
        switch health {
        case .stalled: return []
        case .failing:
            guard retryAt.map({ $0 <= now.boot }) ?? true, !waiting.contains(where: \.isOrdered), !waiting.isEmpty
            else {
                return []
            }
            retryAt = nil
            waiting[0].orderedAt = now.boot
            return [waiting[0].batch]
        case .good: break
        }
        if ordersSingly {
            guard !waiting.contains(where: \.isOrdered), !waiting.isEmpty else { return [] }
            waiting[0].orderedAt = now.boot
            return [waiting[0].batch]
        }
        var batches: [Batch] = []
        for index in waiting.indices where !waiting[index].isOrdered {
            waiting[index].orderedAt = now.boot
            batches.append(waiting[index].batch)
        }
        return batches
    }

    /// Notices a disk that does not answer. Returns true when that is new: one that has failed before stays failing.
    mutating func noticeStall(after limit: Duration, at now: Moment) -> Bool {
        guard stalledSince == nil, let silence = silentSince, now.boot - silence >= limit else { return false }
        stalledSince = silence
        guard health == .good else { return false }
        health = .stalled
        return true
    }

    /// Since when the disk owes an answer.
    private var silentSince: BootTime? {
        waiting.first?.orderedAt.map { max($0, answeredAt ?? $0) }
    }

    func nextDeadline(stall: Duration) -> BootTime? {
        switch health {
        case .failing:
            guard let silentSince else { return waiting.isEmpty ? nil : retryAt }
            return stalledSince == nil ? silentSince + stall : nil
        case .stalled: return nil
        case .good:
            return silentSince.map { $0 + stall }
        }
    }

    /// The number of dropped events that no event has reported yet; asking takes it.
    mutating func takeUnreportedDrops() -> UInt64 {
        defer { unreportedDrops = 0 }
        return unreportedDrops
    }

    /// The messages that went with dropped events; asking takes them.
    mutating func takeDroppedMessages() -> [MessageID] {
        defer { droppedMessages = [] }
        return droppedMessages
    }

    #if SABOTAGE
        mutating func drop(_ id: BatchID) { waiting.removeAll { $0.batch.id == id } }

        mutating func renumber() {
            for index in waiting.indices {
                waiting[index].batch.id = nextID
                nextID = nextID.next
            }
        }
    #endif

    /// Memory is bounded while the store fails: of the states that wait only the newest counts, and of the events as
    /// many as there is room for.
    private mutating func thin() {
        var isNewest = true
        for index in waiting.indices.reversed() where !waiting[index].isOrdered && waiting[index].batch.snapshot != nil
        {
            if !isNewest { waiting[index].batch.snapshot = nil }
            isNewest = false
        }
        var isNewestBook = true
        for index in waiting.indices.reversed() where !waiting[index].isOrdered && waiting[index].batch.phoneBook != nil
        {
            if !isNewestBook { waiting[index].batch.phoneBook = nil }
            isNewestBook = false
        }
        keepWithinLimit()
        waiting.removeAll { !$0.batch.hasWrites && !$0.isOrdered }
    }

    /// Drops the oldest of the least important class first; alarms go last.
    private mutating func keepWithinLimit() {
        var excess = waitingEvents - Self.eventLimit
        guard excess > 0 else { return }
        for victim in PriorityClass.allCases.reversed() {
            for index in waiting.indices where excess > 0 && !waiting[index].isOrdered {
                let before = waiting[index].batch.events.count
                droppedMessages += waiting[index].removeEvents { event in
                    guard excess > 0, event.priority == victim else { return false }
                    excess -= 1
                    return true
                }
                let dropped = UInt64(before - waiting[index].batch.events.count)
                droppedEvents += dropped
                unreportedDrops += dropped
            }
            if excess <= 0 { return }
        }
    }
}

extension JournalQueue.Waiting {
    /// Takes events out, and the messages about them; what is left keeps pointing at its events.
    ///
    /// - Returns: the messages that went with them
    mutating func removeEvents(where isGone: (Event) -> Bool) -> [MessageID] {
        var places: [Int?] = []
        var kept: [Event] = []
        var gone = dropped ?? []
        for (index, event) in JournalQueue.Stored(self).events {
            if isGone(event) {
                places.append(nil)
                gone.append(index)
            } else {
                places.append(kept.count)
                kept.append(event)
            }
        }
        guard kept.count < batch.events.count else { return [] }
        batch.events = kept
        dropped = gone.sorted()
        let messages = batch.outbox.filter { places[$0.event] == nil }.map(\.message)
        batch.outbox = batch.outbox.compactMap { row in
            guard let place = places[row.event] else { return nil }
            var row = row
            row.event = place
            return row
        }
        return messages
    }
}
