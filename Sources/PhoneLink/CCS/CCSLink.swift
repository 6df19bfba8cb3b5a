package import AlarmModel

/// The link to FCM's connection server: connects for ever, keeps one connection for messages and reads those that the
/// server is draining, and gives every message back that was neither accepted nor refused (docs/push.md A).
package struct CCSLink: Codable, Hashable, Sendable {
    enum Dial: Codable, Hashable, Sendable {
        case none
        case dialing(since: BootTime)
        case waiting(until: BootTime, isRefusal: Bool)
    }

    package internal(set) var settings: CCSSettings
    var jitter: Jitter
    var isRunning = false
    var isUrgent = false
    var dial = Dial.none
    /// At most two that drain and one more.
    var connections: [CCSConnection] = []
    var backoff = ReconnectTries()
    var lastDrain: BootTime?
    var problem: CCSProblem?
    var problemSince: WallTime?
    var phaseSince = WallTime(milliseconds: 0)
    private var lastPhase = CCSPhase.stopped
    var isReachable: Bool?
    var isAuthorized: Bool?
    var lastAccepted: WallTime?
    var counters = CCSCounters()
    #if SABOTAGE
        package var sabotage: Sabotage?
    #endif

    package init(settings: CCSSettings, seed: UInt64) {
        self.settings = settings
        jitter = Jitter(seed: seed)
    }

    package mutating func start(at now: Moment, into actions: inout [CCSAction]) {
        guard !isRunning else { return }
        isRunning = true
        phaseSince = now.wall
        connect(at: now, into: &actions)
        settle(at: now)
    }

    /// Ends everything; what was under way is given back.
    package mutating func stop(at now: Moment, into actions: inout [CCSAction]) {
        guard isRunning else { return }
        isRunning = false
        dropAll(.stopped, at: now, into: &actions)
        settle(at: now)
    }

    package mutating func connected(_ id: ConnectionID, at now: Moment, into actions: inout [CCSAction]) {
        guard case .dialing = dial else {
            // Too late: the attempt was given up.
            actions.append(.close(id))
            return
        }
        dial = .none
        isReachable = true
        counters.connections &+= 1
        let account = XMPPStream.Account(
            user: settings.senderID, domain: CCSStanza.domain, password: settings.apiKey)
        connections.append(
            CCSConnection(id: id, stream: XMPPStream(account: account), connectedAt: now.boot, lastHeard: now.boot))
        drive(id, at: now, into: &actions) { stream, orders in stream.start(into: &orders) }
        settle(at: now)
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, at now: Moment, into actions: inout [CCSAction]
    ) {
        guard case .dialing = dial else { return }
        let problem = CCSProblem(failure, port: settings.port)
        // A failing handshake proves that somebody is there.
        if case .tls = problem { isReachable = true } else { isReachable = false }
        set(problem, at: now, into: &actions)
        retry(after: problem, at: now)
        settle(at: now)
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [CCSAction]
    ) {
        guard let index = index(of: id), !bytes.isEmpty else { return }
        connections[index].lastHeard = now.boot
        connections[index].pingSentAt = nil
        drive(id, at: now, into: &actions) { stream, orders in stream.received(bytes, into: &orders) }
        settle(at: now)
    }

    package mutating func closed(
        _ id: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [CCSAction]
    ) {
        lose(id, .lost(end), isClosed: true, at: now, into: &actions)
        settle(at: now)
    }

    /// Whether an alarm or a fault waits: the next attempts come within `urgentMaximum`. A longer wait, one after a
    /// refusal included, is cut to it once; later refusals are tried again after `refusedWait` without doubling.
    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {
        guard self.isUrgent != isUrgent else { return }
        self.isUrgent = isUrgent
        if isUrgent, case .waiting(let until, let isRefusal) = dial {
            dial = .waiting(until: min(until, now.boot + settings.pace.urgentMaximum), isRefusal: isRefusal)
        }
    }

    /// A way to the network came, went or changed: the next attempt is made at once, unless the last was refused; an
    /// existing connection is asked for a sign of life.
    package mutating func networkChanged(at now: Moment, into actions: inout [CCSAction]) {
        if case .waiting(_, isRefusal: false) = dial { connect(at: now, into: &actions) }
        for id in connections.map(\.id) { ping(id, at: now, into: &actions) }
        settle(at: now)
    }

    /// Another account or server: everything ends and begins anew. Only other patience: taken over as it is.
    package mutating func reconfigure(_ settings: CCSSettings, at now: Moment, into actions: inout [CCSAction]) {
        let isSame = self.settings.isSameService(as: settings)
        self.settings = settings
        guard isRunning, !isSame else { return }
        dropAll(.reconfigured, at: now, into: &actions)
        isReachable = nil
        isAuthorized = nil
        backoff.reset()
        connect(at: now, into: &actions)
        settle(at: now)
    }

    package var report: CCSReport {
        CCSReport(
            phase: phase, phaseSince: phaseSince, problem: problem, problemSince: problemSince,
            isReachable: isReachable, isAuthorized: isAuthorized,
            underWay: connections.reduce(0) { $0 + $1.underWay.count }, draining: connections.count { $0.isDraining },
            lastAccepted: lastAccepted, counters: counters)
    }

    var phase: CCSPhase {
        guard isRunning else { return .stopped }
        switch dial {
        case .dialing: return .connecting
        case .waiting: return .waiting
        case .none: return current.map { connections[$0].isReady } == true ? .ready : .loggingIn
        }
    }

    /// Index of the connection for new messages, ready or not.
    var current: Int? { connections.firstIndex { !$0.isDraining } }

    func index(of id: ConnectionID) -> Int? { connections.firstIndex { $0.id == id } }

    mutating func settle(at now: Moment) {
        guard phase != lastPhase else { return }
        lastPhase = phase
        phaseSince = now.wall
    }
}
