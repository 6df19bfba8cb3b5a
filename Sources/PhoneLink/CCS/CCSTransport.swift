package import AlarmModel

/// FCM's XMPP connection server as a channel to phones: connects for ever, keeps one connection for messages and reads
/// those that the server is draining, and gives every message back that was neither accepted nor refused (docs/push.md
/// A).
package struct CCSTransport: Transport {
    static let slot = DialSlot(0)

    package internal(set) var settings: CCSSettings
    var jitter: Jitter
    var attempts: Reconnector
    /// At most two that drain and one more.
    var connections: [CCSConnection] = []
    var lastDrain: BootTime?
    var told = ToldProblem()
    var lastAccepted: WallTime?
    private var rejections = [Int](repeating: 0, count: CCSRejection.allCases.count)
    #if SABOTAGE
        package var sabotage: Sabotage?
    #endif

    package init(settings: CCSSettings, seed: UInt64) {
        self.settings = settings
        jitter = Jitter(seed: seed)
        attempts = Reconnector(
            pace: settings.pace, dialPatience: settings.dialPatience, steadyAfter: settings.steadyAfter)
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !attempts.isRunning else { return }
        connect(at: now, into: &actions)
    }

    /// Ends everything; what was under way is given back.
    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isRunning else { return }
        dropAll(into: &actions)
    }

    package mutating func connected(
        _ id: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.connected(at: now) else { return actions.append(.close(id)) }
        let account = XMPPStream.Account(user: settings.senderID, domain: CCSStanza.domain, password: settings.apiKey)
        connections.append(
            CCSConnection(id: id, stream: XMPPStream(account: account), connectedAt: now.boot, lastHeard: now.boot))
        drive(id, at: now, into: &actions) { stream, orders in stream.start(into: &orders) }
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.isDialing else { return }
        fail(CCSProblem.connect(failure, port: settings.port), at: now, into: &actions)
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = index(of: id), !bytes.isEmpty else { return }
        connections[index].lastHeard = now.boot
        connections[index].pingSentAt = nil
        drive(id, at: now, into: &actions) { stream, orders in stream.received(bytes, into: &orders) }
    }

    package mutating func closed(
        _ id: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        lose(id, CCSProblem.lost(end), isClosed: true, at: now, into: &actions)
    }

    /// Whether an alarm or a fault waits: the next attempts come within `urgentMaximum`. A longer wait, one after a
    /// refusal included, is cut to it once; later refusals are tried again after `refusedWait` without doubling.
    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) { attempts.setUrgent(isUrgent, at: now) }

    /// A link came, went or changed: the next attempt is made at once, unless the last was refused; an
    /// existing connection is asked for a sign of life.
    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        if attempts.waitsForNetwork { connect(at: now, into: &actions) }
        for id in connections.map(\.id) { ping(id, at: now, into: &actions) }
    }

    /// Another account or server: everything ends and begins anew. Only other patience: taken over as it is.
    package mutating func reconfigure(_ settings: CCSSettings, at now: Moment, into actions: inout [TransportAction]) {
        let isSame = self.settings.isSameService(as: settings)
        self.settings = settings
        attempts.pace = settings.pace
        attempts.dialPatience = settings.dialPatience
        attempts.steadyAfter = settings.steadyAfter
        guard attempts.isRunning, !isSame else { return }
        dropAll(into: &actions)
        attempts.succeeded()
        connect(at: now, into: &actions)
    }

    package var health: TransportHealth {
        TransportHealth(
            phase: attempts.shown, problem: told.current,
            underWay: connections.reduce(0) { $0 + $1.underWay.count }, lastAccepted: lastAccepted)
    }

    package var room: TransportRoom {
        TransportRoom(alarm: room(forAlarm: true), other: room(forAlarm: false))
    }

    /// Index of the connection for new messages, ready or not.
    var current: Int? { connections.firstIndex { !$0.isDraining } }

    func index(of id: ConnectionID) -> Int? { connections.firstIndex { $0.id == id } }

    /// How many inputs of a kind meant nothing to us.
    package func rejected(_ kind: CCSRejection) -> Int {
        CCSRejection.allCases.firstIndex(of: kind).map { rejections[$0] } ?? 0
    }

    /// - Returns: the new count
    mutating func count(_ kind: CCSRejection) -> Int {
        guard let index = CCSRejection.allCases.firstIndex(of: kind) else { return 0 }
        if rejections[index] < Int.max { rejections[index] += 1 }
        return rejections[index]
    }
}
