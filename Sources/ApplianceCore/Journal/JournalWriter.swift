import AlarmModel
import PhoneProtocol

/// The journal as the core writes it: each step's writes become one batch, batches become durable in their order, and what
/// waited for them goes on.
///
/// Guarantees: those of `JournalQueue`; a continuation runs once, when its batch is durable or is known never to be. Knows
/// nothing of what the events mean.
struct JournalWriter: Codable, Equatable, Sendable {
    /// An event that has its number now.
    struct Numbered: Codable, Equatable, Sendable {
        var batch: BatchID
        var index: Int
        var event: Event
        var seq: SequenceNumber
    }

    /// What a commit was.
    struct Committed {
        var numbered: [Numbered]
        /// The store was failing or stalled before.
        var wasBad: Bool
    }

    /// What is to be told to followers and the outbox because the store does not take it.
    enum Failure {
        /// These events, and with them the batch or only its events, will never be stored.
        case setAside(BatchID, [Event], isWhole: Bool)
        /// The store fails since now; these wait.
        case failing([Event])
        /// As before.
        case retried
    }

    private(set) var queue = JournalQueue()
    private(set) var continuations: [Continuation] = []
    /// As the store has it, or will have it.
    var storedSnapshot: Snapshot?
    /// The number that the next stored event gets; nil until the store has told one.
    private var nextSequence: SequenceNumber?
    /// Of the batches that were committed last.
    private var committedNumbers: [Numbered] = []
    var nextRetention: BootTime?
    /// The newest event at the last retention step.
    private var retainedUpTo = SequenceNumber.zero

    /// Events that one retention step removes at most.
    static let retentionLimit = 5000

    var isIdle: Bool { queue.waiting.isEmpty && continuations.isEmpty }

    mutating func start(_ start: Start, _ step: inout Step) {
        step.lastSequence = start.lastSequence
        retainedUpTo = start.lastSequence
        step.log = start.log
        step.oldest = start.oldestSequence
        step.knowsJournal = start.isStoreOpen
        nextSequence = start.isStoreOpen ? start.lastSequence.next : nil
        // What was rescued of a lost one is all that the store is known to hold.
        storedSnapshot = start.snapshot ?? start.refusedPIN.map { Snapshot(refusedPIN: $0) }
    }

    // MARK: Writing

    /// Takes a step's writes as one batch.
    ///
    /// - Parameter mayStore: the state is known here as well as in the store
    mutating func append(
        _ writes: StepWrites, snapshot: Snapshot, mayStore: Bool, outbox: [OutboxRow], _ step: Step
    ) {
        let id = queue.upcomingID
        let stored = snapshot != storedSnapshot && mayStore ? snapshot : nil
        storedSnapshot = snapshot
        queue.append(at: step.now) { batch in
            batch.events = writes.events
            batch.snapshot = stored
            batch.ledger = writes.ledger
            batch.retention = writes.retention
            batch.outbox = outbox
            batch.outboxChanges = writes.outboxChanges
            batch.phoneLedger = writes.phoneLedger
            batch.phoneLedgerOwners = writes.phoneLedgerOwners
            batch.phoneBook = writes.writesPhoneBook ? step.book : nil
            batch.newLog = writes.newLog
        }
        continuations += writes.continuations.map { Continuation(batch: id, step: $0) }
    }

    mutating func takeDroppedMessages() -> [MessageID] { queue.takeDroppedMessages() }

    /// Orders what the disk may take now.
    mutating func order(_ step: inout Step) {
        for batch in queue.due(at: step.now) { step.effects.append(.commit(batch)) }
    }

    /// What may go on: the store has taken all up to this batch, or never will.
    mutating func takeContinuations(upTo id: BatchID) -> [Continuation] {
        let ready = continuations.filter { $0.batch <= id }
        if !ready.isEmpty { continuations.removeAll { $0.batch <= id } }
        return ready
    }

    // MARK: What the store says

    mutating func committed(upTo id: BatchID, last: SequenceNumber, _ step: inout Step) -> Committed {
        let committed = queue.committed(upTo: id, at: step.now)
        step.isStoreGood = queue.isGood
        if committed.batches.contains(where: \.hasPhoneBook) { step.isBookStored = true }
        number(committed.batches, last: last)
        step.knowsJournal = true
        step.lastSequence = max(step.lastSequence, last)
        // A flood must not outrun it: twice as many go as have come.
        if nextRetention != nil, last.number - retainedUpTo.number >= Self.retentionLimit / 2 {
            nextRetention = step.now.boot
        }
        if committed.wasBad { noteRestored(&step) }
        noteDrops(&step)
        return Committed(numbered: committedNumbers, wasBad: committed.wasBad)
    }

    func noteRestored(_ step: inout Step) {
        step.log(LogEntry(.notice, "storage works again; waiting events are being written"))
        step.note(.recovery, .storeRestored, "The store works again; waiting events are being written.")
    }

    private mutating func noteDrops(_ step: inout Step) {
        let drops = queue.takeUnreportedDrops()
        guard drops > 0 else { return }
        step.note(
            .fault, .eventsDropped,
            "\(drops) events were lost, the least important first, because the store failed and memory was full.")
    }

    /// The store numbers events one after the other.
    private mutating func number(_ batches: [JournalQueue.Stored], last: SequenceNumber) {
        let ordinary = batches.reduce(0) { $0 + $1.events.count { !$0.event.flags.contains(.duress) } }
        // Where the store could not be read at the start, the first commit tells where it stands.
        var next = nextSequence ?? SequenceNumber(last.number - Int64(ordinary) + 1)
        var numbers: [Numbered] = []
        for batch in batches {
            for (index, event) in batch.events where !event.flags.contains(.duress) {
                numbers.append(Numbered(batch: batch.id, index: index, event: event, seq: next))
                next = next.next
            }
        }
        nextSequence = next
        committedNumbers = numbers
    }

    /// The number of an event of the batches that were just committed.
    func committedNumber(_ batch: BatchID, _ event: Int?) -> SequenceNumber? {
        guard let event else { return nil }
        return committedNumbers.first { $0.batch == batch && $0.index == event }?.seq
    }

    mutating func commitFailed(
        from: BatchID, upTo id: BatchID, _ failure: StoreFailure, _ step: inout Step
    ) -> Failure {
        let wasGood = queue.isGood
        #if SABOTAGE
            if step.sabotage == .renumbersAfterFailure { queue.renumber() }
        #endif
        let verdict = queue.commitFailed(from: from, upTo: id, failure, at: step.now)
        step.isStoreGood = queue.isGood
        switch verdict {
        case .eventsSetAside(let batch):
            #if SABOTAGE
                if step.sabotage == .refusedRowTakesAll { queue.drop(batch.id) }
            #endif
            noteSetAside(batch.events, failure, &step)
            return .setAside(batch.id, batch.events, isWhole: false)
        case .setAside(let batch):
            noteSetAside(batch.events, failure, &step)
            return .setAside(batch.id, batch.events, isWhole: true)
        case .retryLater:
            step.log(LogEntry(.error, "storage failed", [.init("reason", failure.description)]))
            guard wasGood, !queue.isGood else { return .retried }
            step.note(.fault, .storeFailed, "Storage failed: \(failure.description)")
            return .failing(queue.events)
        }
    }

    private mutating func noteSetAside(_ events: [Event], _ failure: StoreFailure, _ step: inout Step) {
        // It may be in this snapshot that the reason lies, and the next one may be taken.
        storedSnapshot = nil
        let shown = events.filter { !$0.flags.contains(.duress) }
        for event in shown {
            step.log(
                LogEntry(
                    .error, "an event could not be stored",
                    [.init("event.code", event.code), .init("event.message", event.message)]))
        }
        guard !shown.isEmpty else { return }
        step.note(
            .fault, .eventsDropped,
            "The store refused \(shown.count) events; they are in the log only. (\(failure.detail))")
    }

    /// - Returns: the events that wait, when the disk is found stalled now
    mutating func noticeStall(_ step: inout Step) -> [Event]? {
        let limit = step.configuration.pace.storeStall
        guard queue.noticeStall(after: limit, at: step.now) else { return nil }
        step.isStoreGood = queue.isGood
        let waiting = queue.events
        step.note(
            .fault, .storeFailed,
            "Storage stalled: the disk has not answered for \(limit.milliseconds / 1000) s.")
        return waiting
    }

    // MARK: Time

    func nextDeadline(_ step: Step) -> BootTime? { queue.nextDeadline(stall: step.configuration.pace.storeStall) }

    mutating func retentionDue(_ step: inout Step) {
        nextRetention = step.now.boot + step.configuration.pace.retentionInterval
        let retention = step.configuration.retention
        // Also without limits for events: messages that came to an end are removed with it.
        guard queue.isGood else { return }
        retainedUpTo = step.lastSequence
        // Without a trusted clock nothing is old.
        let now = step.now
        let edge = retention.maximumAge.flatMap { age in now.isWallTrusted ? now.wall + (.zero - age) : nil }
        step.writes.retention = RetentionStep(
            olderThan: edge, keepAtMost: retention.maximumCount, limit: Self.retentionLimit,
            now: now.isWallTrusted ? now.wall : nil)
    }
}
