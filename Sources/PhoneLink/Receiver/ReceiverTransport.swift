package import AlarmModel
import PhoneProtocol

/// An alarm receiver as a channel: one message after the other, each kept until the receiver confirms it under the same
/// number, and a poll in every pause, by which the receiver knows that the house is there.
///
/// Guarantees: one exchange is under way at a time, each with a deadline; only an answer that repeats number, receiver,
/// line and account confirms, and of an encrypted message only one that was encrypted with the same key and is fresh; what
/// the receiver says of the time moves no clock but that of the messages to it. The outcome of a poll holds no message up: a
/// receiver that refuses polls, ignores them or hangs up on them gets the message that waits.
package struct ReceiverTransport: Transport {
    struct Waiting: Codable, Equatable, Sendable {
        let id: MessageID
        let report: ContactID
        let time: WallTime?
        let isAlarm: Bool
    }
    struct Exchange: Codable, Equatable, Sendable {
        enum Phase: Codable, Equatable, Sendable {
            case encrypting(TransportJobID)
            case sent
            case decrypting(TransportJobID, [UInt8])
        }
        /// nil: it is a poll.
        let message: MessageID?
        let sequence: Int
        var phase: Phase
        /// The last step was taken then.
        var since: BootTime
        /// The receiver has told its time once.
        var isRetimed = false
    }
    struct Wire: Codable, Equatable, Sendable {
        let id: ConnectionID
        var reader = ReceiverReader()
        var exchange: Exchange?
        /// Polls that a message has overtaken; their late answers are passed over.
        var overtakenPolls = 0
    }
    /// Ways in which a receiver answers polls other than by a confirmation.
    enum PollTrouble: Codable, Equatable, Sendable { case refused, unanswered }

    package let settings: ReceiverSettings
    package private(set) var record = ReceiverRecord()
    private var freshness = ReceiverFreshness()
    var attempts: Reconnector
    var jitter: Jitter
    var wire: Wire?
    /// Taken and not answered, as they came.
    var queue: [Waiting] = []
    /// Messages are accepted: the last connection stood until its poll had an outcome, and nothing was wrong since.
    var isGood = false
    /// Outcome of the last poll; nil if the receiver confirmed it.
    var pollTrouble: PollTrouble?
    /// A message was confirmed since polls are not.
    var takesWithoutPolls = false
    /// Connections in a row that ended before a poll or message was answered.
    var lostExchanges = 0
    /// Polls and messages that the receiver has answered, so that it knows of us.
    package var exchanges: UInt64 = 0
    var nextPoll = BootTime.zero
    /// The receiver's clock against ours.
    var offset = Duration.zero
    var told = ToldProblem()
    var lastAccepted: WallTime?
    var nextJob: UInt64 = 1
    /// Messages that are kept here at a time; the second place is for an alarm.
    static let window = 2
    static let slot = DialSlot(0)
    /// More than that is no clock that is a little wrong.
    static let greatestOffset = Duration.hours(24)
    /// Only a connection that stood for so long makes the next attempt come soon.
    private static let steadyAfter = Duration.minutes(1)
    /// A message waits this long for the answer to a poll, and then overtakes it.
    static let pollGrace = Duration.seconds(2)
    /// Connections in a row that end before an answer, until that is no passing problem any more.
    private static let lossesToReport = 3

    package init(settings: ReceiverSettings, seed: UInt64) {
        self.settings = settings
        jitter = Jitter(seed: seed)
        attempts = Reconnector(
            pace: settings.pace, dialPatience: settings.dialPatience, steadyAfter: Self.steadyAfter)
    }

    package var room: TransportRoom {
        guard isGood else { return .none }
        return TransportRoom(alarm: max(0, Self.window - queue.count), other: queue.isEmpty ? 1 : 0)
    }

    package var health: TransportHealth {
        TransportHealth(
            phase: isGood ? .ready : attempts.shown, problem: told.current, underWay: queue.count,
            lastAccepted: lastAccepted)
    }

    /// Continues with the numbers of an earlier run.
    package mutating func resume(_ record: ReceiverRecord) {
        self.record = record
        freshness = ReceiverFreshness(newest: record.answered)
    }

    /// Number of the message that is sent next.
    mutating func number(of message: MessageID) -> Int {
        var record = record
        let number = record.number(of: message)
        record.answered = freshness.newest
        self.record = record
        return number
    }

    /// - Returns: false if the answer may be a recorded one. With TLS nobody can repeat an answer.
    mutating func isFresh(_ sealed: [UInt8], of time: WallTime, at now: Moment) -> Bool {
        switch settings.security {
        case .tls: true
        case .plain: freshness.accept(sealed, of: time, clock: now.isWallTrusted ? now.wall + offset : nil)
        }
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !attempts.isRunning else { return }
        connect(at: now, into: &actions)
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isRunning else { return }
        drop(into: &actions)
        unready(into: &actions)
        told.tell(nil, into: &actions)
        attempts.stop()
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard (delivery.isAlarm ? room.alarm : room.other) > 0 else { return false }
        precondition(!queue.contains { $0.id == delivery.message }, "a message is sent again only after it has ended")
        guard case .report(let report, let time) = delivery.content else {
            let why = "a receiver takes reports, and no \(delivery.content.kindInWords)"
            actions.append(.refused(delivery.message, Refusal(.giveUp, why: why)))
            return true
        }
        queue.append(Waiting(id: delivery.message, report: report, time: time, isAlarm: delivery.isAlarm))
        work(at: now, into: &actions)
        return true
    }

    // MARK: The connection

    mutating func connect(at now: Moment, into actions: inout [TransportAction]) {
        attempts.dial(at: now)
        let security: DialTarget.Security =
            switch settings.security {
            case .tls(let authorityFile): .tls(authorityFile: authorityFile)
            case .plain: .plain
            }
        actions.append(
            .connect(Self.slot, DialTarget(host: settings.host, port: settings.port, security: security)))
    }

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.connected(at: now) else { return actions.append(.close(connection)) }
        attempts.becameReady(since: now.boot)
        wire = Wire(id: connection)
        if lostExchanges > 0, attempts.isUrgent, !isGood {
            // The last connection ended before an answer, perhaps because of the poll: what waits is sent first.
            nextPoll = now.boot + Self.pollGrace
            return becomeReady(at: now, into: &actions)
        }
        work(at: now, into: &actions)
        // A connection made for nothing else is one for a poll.
        if wire?.exchange == nil { poll(at: now, into: &actions) }
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.isDialing else { return }
        giveUp(ReceiverProblem.connect(failure), at: now, into: &actions)
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let wire, wire.id == connection else { return }
        self.wire = nil
        if [.finished, .reset].contains(end), let exchange = wire.exchange, exchange.message == nil, exchange.isRetimed
        {
            // The receiver refused the poll and hung up on its repetition.
            pollFailed(.refused, at: now, into: &actions)
            return rest(at: now, into: &actions)
        }
        // Many receivers end a connection once they have confirmed: the next poll makes another.
        if end == .finished, wire.exchange == nil, isGood { return rest(at: now, into: &actions) }
        if wire.exchange != nil { lostExchanges = min(lostExchanges + 1, Self.lossesToReport) }
        var problem = ReceiverProblem.lost(end)
        problem.isPassing = lostExchanges < Self.lossesToReport
        giveUp(problem, at: now, into: &actions)
    }

    /// Waits without a connection until the next poll or message.
    mutating func rest(at now: Moment, into actions: inout [TransportAction]) {
        attempts.succeeded()
        attempts.rest()
        if !queue.isEmpty { connect(at: now, into: &actions) }
    }

    /// Returns waiting messages and accepts no further ones until the next poll has an outcome.
    mutating func giveUp(_ problem: TransportProblem, at now: Moment, into actions: inout [TransportAction]) {
        drop(into: &actions)
        unready(into: &actions)
        attempts.fail(isRefusal: problem.isRefusal, at: now, &jitter)
        told.tell(problem, into: &actions)
    }

    private mutating func drop(into actions: inout [TransportAction]) {
        if attempts.isDialing { actions.append(.cancelConnect(Self.slot)) }
        if let wire { actions.append(.close(wire.id)) }
        wire = nil
    }

    private mutating func unready(into actions: inout [TransportAction]) {
        if isGood { actions.append(.notReady) }
        isGood = false
        if !queue.isEmpty { actions.append(.returned(queue.map(\.id))) }
        queue = []
    }

    // MARK: Time

    package var nextDeadline: BootTime? {
        guard let wire else { return attempts.nextDeadline ?? (attempts.phase == .idle ? nextPoll : nil) }
        guard let exchange = wire.exchange else { return nextPoll }
        return exchange.since + (isGraceOpen(exchange) ? Self.pollGrace : settings.answerPatience)
    }

    /// A poll that holds messages up: they are accepted, or overtake it, when its grace is over.
    private func isGraceOpen(_ exchange: Exchange) -> Bool {
        exchange.message == nil && exchange.phase == .sent && (!isGood || !queue.isEmpty)
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        guard let deadline = nextDeadline, deadline <= now.boot else { return }
        if let wire {
            guard let exchange = wire.exchange else { return poll(at: now, into: &actions) }
            guard exchange.message == nil else { return giveUp(ReceiverProblem.unanswered, at: now, into: &actions) }
            if isGraceOpen(exchange) {
                becomeReady(at: now, into: &actions)
                return overtakePoll(at: now, into: &actions)
            }
            return pollUnanswered(at: now, into: &actions)
        }
        if attempts.isDialing { return giveUp(ReceiverProblem.dialStalled, at: now, into: &actions) }
        connect(at: now, into: &actions)
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) { attempts.setUrgent(isUrgent, at: now) }

    /// A receiver has to know at once that the house is there by another link, too.
    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        if attempts.waitsForNetwork || attempts.phase == .idle { return connect(at: now, into: &actions) }
        if let wire, wire.exchange == nil { poll(at: now, into: &actions) }
    }
}
