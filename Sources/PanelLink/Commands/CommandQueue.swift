import AlarmModel

/// What waits to be sent and the one command in flight (docs/envisalink.md 1.4, 5.1).
///
/// It answers when what may leave; it knows no line and no state of the panel.
struct CommandQueue: Codable, Equatable, Sendable {
    /// Orders that may wait at once.
    static let capacity = 32
    /// The poll is the module's watchdog: however busy the queue, it goes out this often.
    static let pollAtLeast = Duration.seconds(300)
    /// A slow module may take an arm command that long after its order ended as not confirmed.
    static let armMayFollow = Duration.seconds(30)

    enum Owner: Codable, Equatable, Sendable {
        case poll
        case transaction(UInt64)
    }
    struct Flight: Codable, Equatable, Sendable {
        var owner: Owner
        var command: TPICommand
        var sentAt: BootTime
        var answerBy: BootTime
    }
    /// What may leave, and when.
    struct Candidate: Equatable, Sendable {
        var owner: Owner
        var at: BootTime
        var rank: Int
    }
    /// What the session allows at the moment.
    struct Gate: Codable, Equatable, Sendable {
        /// Only urgent orders and chores while the status report runs.
        var isResynchronising = false
        var isReportRunning = false
        var wantsClosingPoll = false
    }

    /// A disarm order that has ended, although the panel may still refuse its code.
    private struct EndedDisarm: Codable, Equatable, Sendable {
        var id: CommandID
        var until: BootTime
    }

    private(set) var transactions: [PanelTransaction] = []
    /// By partition, disarms that were done. A report may confirm what the panel has not looked at yet.
    private var endedDisarms: [Int: EndedDisarm] = [:]
    /// By partition, until when an arm order that ended as not confirmed may still be taken. They outlive the session.
    private var unconfirmedArms: [Int: BootTime] = [:]
    private var nextNumber: UInt64 = 1
    private(set) var flight: Flight?
    /// Consecutive commands without an answer.
    private(set) var misses = 0
    private var lastAnswerAt: BootTime?
    private var lastPollAt: BootTime?
    private var pollNotBefore: BootTime?
    private var lastKeysAt: BootTime?
    private var lastLineAt: BootTime?
    /// Since when something could leave but for the pause after a line.
    private var wantedSince: BootTime?

    // MARK: Transactions

    mutating func add(_ purpose: PanelTransaction.Purpose) -> UInt64 {
        transactions.append(PanelTransaction(number: nextNumber, purpose: purpose))
        nextNumber += 1
        return nextNumber - 1
    }

    var waitingOrders: Int { transactions.count { $0.order != nil && !$0.hasBeenSent } }

    func transaction(_ number: UInt64) -> PanelTransaction? { transactions.first { $0.number == number } }

    /// Partitions for which an arm command has left that the module has not refused.
    var armsUnderWay: [Int] {
        transactions.compactMap { transaction in
            guard case .arm(let partition, _, _) = transaction.order?.command else { return nil }
            return switch transaction.stage {
            case .inFlight, .confirming: partition
            case .waiting, .ready: nil
            }
        }
    }

    /// True if the module accepted a disarm command for the partition of the line and no line has confirmed it yet.
    func isOwnDisarm(_ message: DSCMessage) -> Bool {
        guard case .partition(let number, _) = message else { return false }
        return transactions.contains { transaction in
            switch transaction.order?.command {
            case .disarm(number), .silence(number): transaction.isTaken
            case .disarm, .silence, .arm, .bypass, .panic, .output, .chime, .smokeReset, .setClock, .keys, .refresh,
                .timers, nil:
                false
            }
        }
    }

    func has(_ purpose: PanelTransaction.Purpose) -> Bool { transactions.contains { $0.purpose == purpose } }

    mutating func update(_ transaction: PanelTransaction) {
        if let index = transactions.firstIndex(where: { $0.number == transaction.number }) {
            transactions[index] = transaction
        }
    }

    /// - Parameter outcome: what its order is told
    mutating func end(_ transaction: PanelTransaction, _ outcome: Outcome, at now: BootTime) {
        transactions.removeAll { $0.number == transaction.number }
        switch transaction.order?.command {
        case .arm(let partition, _, _):
            if outcome == .notConfirmed { unconfirmedArms[partition] = now + Self.armMayFollow }
        case .disarm(let partition), .silence(let partition):
            guard let id = transaction.order?.id, transaction.isTaken, outcome == .done else { return }
            endedDisarms[partition] = EndedDisarm(id: id, until: now + StateReducer.sameMoment)
        case .bypass, .panic, .output, .chime, .smokeReset, .setClock, .keys, .refresh, .timers, nil: break
        }
    }

    /// The disarm order whose code this line refuses, behind the order's end. A further refusal is somebody else's.
    mutating func endedDisarm(_ message: DSCMessage, at now: BootTime) -> CommandID? {
        guard case .invalidCode(let partition) = message, let ended = endedDisarms.removeValue(forKey: partition),
            now < ended.until
        else { return nil }
        return ended.id
    }

    func armsUnconfirmed(at now: BootTime) -> [Int] {
        unconfirmedArms.filter { $0.value > now }.map(\.key)
    }

    /// The link is lost: what was sent is over, chores are dropped, the rest begins anew.
    ///
    /// - Returns: the transactions that were under way
    mutating func linkLost() -> [PanelTransaction] {
        let sent = transactions.filter(\.hasBeenSent)
        transactions.removeAll { $0.hasBeenSent || $0.order == nil }
        for index in transactions.indices { transactions[index].restart() }
        flight = nil
        misses = 0
        lastAnswerAt = nil
        lastPollAt = nil
        pollNotBefore = nil
        lastKeysAt = nil
        lastLineAt = nil
        wantedSince = nil
        return sent
    }

    // MARK: The wire

    mutating func sessionBegan(at now: BootTime) {
        lastAnswerAt = now
        lastPollAt = now
    }

    mutating func lineArrived(at now: BootTime) { lastLineAt = now }

    mutating func sent(_ command: TPICommand, by owner: Owner, at now: BootTime, answerWithin: Duration) {
        precondition(flight == nil, "one command is in flight at a time")
        flight = Flight(owner: owner, command: command, sentAt: now, answerBy: now + answerWithin)
        wantedSince = nil
        if owner == .poll { lastPollAt = now }
        if case .keys = command { lastKeysAt = now }
    }

    /// An answer to the command in flight.
    mutating func answered(at now: BootTime) -> Flight? {
        guard let flight else { return nil }
        self.flight = nil
        misses = 0
        lastAnswerAt = now
        pollNotBefore = nil
        return flight
    }

    /// The module is alive but refused the poll for the moment.
    mutating func delayPoll(until time: BootTime) { pollNotBefore = time }

    mutating func answerMissed() -> Flight? {
        guard let flight else { return nil }
        self.flight = nil
        misses += 1
        return flight
    }

    // MARK: What may leave

    func candidates(_ gate: Gate, settings: PanelSettings) -> [Candidate] {
        guard flight == nil else { return [] }
        let pause = pauseEnd(settings)
        var list = [poll(gate, settings, pause)].compactMap { $0 }
        // While the link is in doubt only the poll goes out: an order would be lost for nothing.
        guard misses == 0 else { return list }
        let typing = transactions.first(where: \.isTyping)
        let interactive = transactions.first { $0.isInteractive && !$0.isWaiting }
        for transaction in transactions {
            if let typing, typing.number != transaction.number { continue }
            if let interactive, transaction.isInteractive, interactive.number != transaction.number { continue }
            if gate.isResynchronising, !transaction.needsNoState { continue }
            if gate.isReportRunning, transaction.isReport, !transaction.hasBeenSent { continue }
            guard let time = due(transaction, settings) else { continue }
            let at = max(time, pause)
            list.append(Candidate(owner: .transaction(transaction.number), at: at, rank: transaction.rank))
        }
        return list
    }

    /// Of those that may leave now, the first; notes that something waits only for the pause after a line.
    mutating func next(_ gate: Gate, settings: PanelSettings, at now: BootTime) -> Owner? {
        let all = candidates(gate, settings: settings)
        var best: Candidate?
        for candidate in all where candidate.at <= now {
            if best.map({ candidate.rank < $0.rank }) ?? true { best = candidate }
        }
        let isPaused = all.contains { $0.at > now && $0.at == pauseEnd(settings) }
        if best == nil, isPaused, wantedSince == nil { wantedSince = now }
        return best?.owner
    }

    private func due(_ transaction: PanelTransaction, _ settings: PanelSettings) -> BootTime? {
        let time = transaction.notBefore ?? .zero
        switch transaction.stage {
        case .waiting: return time
        case .ready(let command):
            guard case .keys = command, let lastKeysAt else { return time }
            return max(time, lastKeysAt + settings.keySpacing)
        case .inFlight, .confirming: return nil
        }
    }

    private func poll(_ gate: Gate, _ settings: PanelSettings, _ pause: BootTime) -> Candidate? {
        guard let lastAnswerAt, let lastPollAt else { return nil }
        let earliest = max(pollNotBefore ?? .zero, pause)
        if misses > 0 || gate.wantsClosingPoll { return Candidate(owner: .poll, at: earliest, rank: 0) }
        let overdue = lastPollAt + Self.pollAtLeast
        let due = lastAnswerAt + settings.pollInterval
        if overdue <= due { return Candidate(owner: .poll, at: max(overdue, earliest), rank: 0) }
        return Candidate(owner: .poll, at: max(due, earliest), rank: 9)
    }

    /// Never in the same instant as a line came, but a flood of lines does not hold a command back for ever.
    private func pauseEnd(_ settings: PanelSettings) -> BootTime {
        guard let lastLineAt else { return .zero }
        let end = lastLineAt + settings.settleDelay
        guard let wantedSince else { return end }
        return min(end, wantedSince + settings.settleDelay * 10)
    }
}
