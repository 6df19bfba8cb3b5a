package import AlarmModel

/// The link to FCM's connection server: connects for ever, keeps one connection for messages and reads those that the
/// server is draining, and gives every message back that was neither accepted nor refused (docs/push.md A).
package struct CCSLink: Codable, Hashable, Sendable {
    package internal(set) var settings: CCSSettings
    var jitter: Jitter
    var attempts: Reconnector
    /// At most two that drain and one more.
    var connections: [CCSConnection] = []
    var lastDrain: BootTime?
    var problem: CCSProblem?
    var problemSince: WallTime?
    var phaseSince = WallTime(milliseconds: 0)
    private var lastPhase = TransportHealth.Phase.stopped
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
        attempts = Reconnector(
            pace: settings.pace, dialPatience: settings.dialPatience, steadyAfter: settings.steadyAfter)
    }

    package mutating func start(at now: Moment, into actions: inout [CCSAction]) {
        guard !attempts.isRunning else { return }
        phaseSince = now.wall
        connect(at: now, into: &actions)
        settle(at: now)
    }

    /// Ends everything; what was under way is given back.
    package mutating func stop(at now: Moment, into actions: inout [CCSAction]) {
        guard attempts.isRunning else { return }
        dropAll(.stopped, at: now, into: &actions)
        settle(at: now)
    }

    package mutating func connected(_ id: ConnectionID, at now: Moment, into actions: inout [CCSAction]) {
        guard attempts.connected(at: now) else { return actions.append(.close(id)) }
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
        guard attempts.isDialing else { return }
        let problem = CCSProblem(failure, port: settings.port)
        // A failing handshake proves that somebody is there.
        if case .tls = problem { isReachable = true } else { isReachable = false }
        fail(problem, at: now, into: &actions)
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
    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) { attempts.setUrgent(isUrgent, at: now) }

    /// A way to the network came, went or changed: the next attempt is made at once, unless the last was refused; an
    /// existing connection is asked for a sign of life.
    package mutating func networkChanged(at now: Moment, into actions: inout [CCSAction]) {
        if attempts.waitsForNetwork { connect(at: now, into: &actions) }
        for id in connections.map(\.id) { ping(id, at: now, into: &actions) }
        settle(at: now)
    }

    /// Another account or server: everything ends and begins anew. Only other patience: taken over as it is.
    package mutating func reconfigure(_ settings: CCSSettings, at now: Moment, into actions: inout [CCSAction]) {
        let isSame = self.settings.isSameService(as: settings)
        self.settings = settings
        attempts.pace = settings.pace
        attempts.dialPatience = settings.dialPatience
        attempts.steadyAfter = settings.steadyAfter
        guard attempts.isRunning, !isSame else { return }
        dropAll(.reconfigured, at: now, into: &actions)
        isReachable = nil
        isAuthorized = nil
        attempts.succeeded()
        connect(at: now, into: &actions)
        settle(at: now)
    }

    package var report: CCSReport {
        CCSReport(
            phase: attempts.shown, phaseSince: phaseSince, problem: problem, problemSince: problemSince,
            isReachable: isReachable, isAuthorized: isAuthorized,
            underWay: connections.reduce(0) { $0 + $1.underWay.count }, draining: connections.count { $0.isDraining },
            lastAccepted: lastAccepted, counters: counters)
    }

    /// Index of the connection for new messages, ready or not.
    var current: Int? { connections.firstIndex { !$0.isDraining } }

    func index(of id: ConnectionID) -> Int? { connections.firstIndex { $0.id == id } }

    mutating func settle(at now: Moment) {
        guard attempts.shown != lastPhase else { return }
        lastPhase = attempts.shown
        phaseSince = now.wall
    }
}
