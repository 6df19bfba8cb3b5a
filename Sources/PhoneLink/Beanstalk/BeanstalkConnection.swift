import AlarmModel

/// One connection to the work queue, with its attempts: one puts jobs, another takes them.
struct BeanstalkConnection: Codable, Equatable, Sendable {
    struct Wire: Codable, Equatable, Sendable {
        let id: ConnectionID
        var reader = BeanstalkReader()
        /// The last command was sent then, or the connection made.
        var since: BootTime
    }

    let slot: DialSlot
    var attempts: Reconnector
    var wire: Wire?
    var problem: TransportProblem?
    /// It came with a job, or with a wait for one, and ends when the next one works, not with a connection.
    var isOfJob = false

    init(slot: Int, _ settings: BeanstalkSettings) {
        self.slot = DialSlot(slot)
        attempts = Reconnector(pace: settings.pace, dialPatience: settings.dialPatience)
    }

    mutating func connect(_ settings: BeanstalkSettings, at now: Moment, into actions: inout [TransportAction]) {
        attempts.dial(at: now)
        actions.append(
            .connect(slot, DialTarget(host: settings.host, port: settings.port, security: .plain)))
    }

    mutating func say(_ line: String, at now: Moment, into actions: inout [TransportAction]) {
        guard let id = wire?.id else { return }
        wire?.since = now.boot
        actions.append(.send(id, Array((line + "\r\n").utf8)))
    }

    /// The queue has done what it is for.
    mutating func worked() {
        attempts.succeeded()
        problem = nil
        isOfJob = false
    }

    /// The connection or the attempt is over, and the next attempt has its time.
    ///
    /// - Parameter isOfJob: on a connection that stands, the queue was asked to put or to hand out a job
    mutating func wait(
        after problem: TransportProblem, isOfJob: Bool, at now: Moment, into actions: inout [TransportAction],
        _ jitter: inout Jitter
    ) {
        self.isOfJob = isOfJob && wire != nil && !problem.isPassing
        drop(into: &actions)
        self.problem = problem
        attempts.fail(isRefusal: problem.isRefusal, at: now, &jitter)
    }

    mutating func drop(into actions: inout [TransportAction]) {
        if attempts.isDialing { actions.append(.cancelConnect(slot)) }
        if let wire { actions.append(.close(wire.id)) }
        wire = nil
    }

    mutating func stop(into actions: inout [TransportAction]) {
        drop(into: &actions)
        attempts.stop()
        problem = nil
    }
}

/// What can be wrong with the work queue.
enum BeanstalkProblem {
    static func connect(_ failure: ConnectFailure) -> TransportProblem {
        TransportProblem(failure.kind, "beanstalkd: \(failure); is it started?")
    }
    static func lost(_ end: ConnectionEnd) -> TransportProblem {
        TransportProblem(.lost(nil), "the connection to beanstalkd ended (\(end)); we try again", isPassing: true)
    }
    static func malformed(_ what: BeanstalkReader.Failure) -> TransportProblem {
        TransportProblem(
            .notTheProtocol, "what answers there is not beanstalkd (\(what)); check host and port", isRefusal: true)
    }
    static func unexpected(_ asked: String) -> TransportProblem {
        TransportProblem(.unexpected, "beanstalkd gave an answer that does not fit (to '\(asked)'); we try again")
    }
    static let unasked = TransportProblem(
        .unexpected, "beanstalkd gave more answers than it was asked for; we try again")
    static let dialStalled = TransportProblem(
        .noAnswer,
        "beanstalkd cannot be reached: no answer; check host and port, and whether a firewall blocks them")
    static let unanswered = TransportProblem(.unanswered(), "beanstalkd did not answer in time; we try again")
    static let draining = TransportProblem(
        .draining,
        "beanstalkd takes no more jobs (it was told to drain, by SIGUSR1); restart it when it is empty")
    static let outOfMemory = TransportProblem(
        .noRoom,
        "beanstalkd has no memory left; look which tube nobody empties, and whether its program runs")
    static let internalError = TransportProblem(.serviceFault, "beanstalkd reports an error of its own; we try again")
    static func badTube(_ name: String) -> TransportProblem {
        TransportProblem(
            .misconfigured,
            "'\(PeerText.printable(name))' cannot be the name of a command tube; correct it", isRefusal: true)
    }
}
