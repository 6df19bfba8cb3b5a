package import AlarmModel

/// What became of messages, on its way to the store.
///
/// Guarantees: what became of a message is written once, in the order in which it happened. It is forgotten only when the
/// store has it; until then a read shows the message as open, and `isSettling` says that it is not.
///
/// Two things make an exception: a batch that the store refuses for good (`setAside`), and a store that fails until
/// `OutboxPolicy.changeLimit` is reached (`note`). Such a message stays open in the store. So it may be sent a second
/// time, at the latest after a restart; it is not lost.
package struct OutboxChanges: Codable, Equatable, Sendable {
    /// A change that waits to be written.
    package struct Noted: Codable, Equatable, Sendable {
        package var change: OutboxChange
        /// The message is about duress, which counts nowhere.
        var isHidden: Bool
    }

    /// A message that has ended, as long as the store does not know.
    struct Settling: Codable, Equatable, Sendable {
        var message: MessageID
        /// The batch with its end; nil before `flush`.
        var batch: BatchID?
    }

    private(set) var waiting: [Noted] = []
    /// Ascending by message.
    private(set) var settling: [Settling] = []
    /// The last messages that came to an end, oldest first: a second receipt is no news.
    private var ended: [MessageID] = []
    /// One of those that wait is the end of an alarm that nobody took.
    private var isUrgent = false
    private var flushedAt: BootTime?

    /// Whether a read may bring messages that end at once: one page of them has room beside what is noted meanwhile.
    func hasRoomForPage(_ policy: OutboxPolicy) -> Bool { max(waiting.count, settling.count) <= policy.changeLimit / 2 }

    func isSettling(_ message: MessageID) -> Bool {
        let slot = settling.slot { $0.message < message }
        return slot < settling.count && settling[slot].message == message
    }

    func hasEnded(_ message: MessageID) -> Bool { isSettling(message) || ended.contains(message) }

    /// A message left memory for good.
    mutating func remember(_ message: MessageID) {
        if ended.count == 64 { ended.removeFirst() }
        ended.append(message)
    }

    /// What became of a message; nothing, if its end is known already or there is no room.
    mutating func note(
        _ message: MessageID, _ state: OutboxState, _ detail: String? = nil, of event: Event? = nil,
        by policy: OutboxPolicy, at now: Moment
    ) {
        let slot = settling.slot { $0.message < message }
        if slot < settling.count, settling[slot].message == message { return }
        guard max(waiting.count, settling.count) < policy.changeLimit else { return }
        let change = OutboxChange(message: message, state: state, detail: detail, time: now.wall)
        waiting.append(Noted(change: change, isHidden: event?.flags.contains(.duress) ?? false))
        if state.isFinal { settling.insert(Settling(message: message, batch: nil), at: slot) }
        if state == .dead, event?.priority == .alarm { isUrgent = true }
    }

    /// Gives out what is due, for this batch.
    mutating func flush(into batch: BatchID, by policy: OutboxPolicy, at now: Moment) -> [Noted] {
        guard let due = nextFlush(policy), due <= now.boot else { return [] }
        let taken = Array(waiting.prefix(policy.flushLimit))
        waiting.removeFirst(taken.count)
        if waiting.isEmpty { isUrgent = false }
        flushedAt = now.boot
        for noted in taken where noted.change.state.isFinal {
            let slot = settling.slot { $0.message < noted.change.message }
            precondition(
                slot < settling.count && settling[slot].message == noted.change.message && settling[slot].batch == nil,
                "the end of a message is written once")
            settling[slot].batch = batch
        }
        return taken
    }

    /// When `flush` has something to give; in the past if at once, nil if nothing waits.
    func nextFlush(_ policy: OutboxPolicy) -> BootTime? {
        guard !waiting.isEmpty else { return nil }
        guard !isUrgent, waiting.count < policy.flushLimit, let flushedAt else { return .zero }
        return flushedAt + policy.flushInterval
    }

    /// The store has everything up to this batch.
    mutating func committed(upTo id: BatchID) {
        settling.removeAll { settled in settled.batch.map { $0 <= id } ?? false }
    }

    /// The store refused this batch for good.
    mutating func setAside(_ id: BatchID) { settling.removeAll { $0.batch == id } }
}
