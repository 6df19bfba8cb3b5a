package import AlarmModel
package import PhoneProtocol

extension XMPPTransport {
    mutating func connect(at now: Moment, into actions: inout [TransportAction]) {
        if settings.usesServiceRecords, located == nil { return locate(at: now, into: &actions) }
        attempts.dialPatience = settings.dialPatience
        attempts.dial(at: now)
        let routes = routes
        actions.append(.connect(Self.slot, routes[route % routes.count].target))
    }

    /// Waits for the next attempt.
    mutating func giveUp(_ problem: TransportProblem, at now: Moment, into actions: inout [TransportAction]) {
        told.tell(problem, into: &actions)
        attempts.fail(isRefusal: problem.isRefusal, at: now, &jitter)
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard attempts.isDialing, lookups.isEmpty else { return }
        routeFailed(XMPPProblem.connect(failure), at: now, into: &actions)
    }

    /// The other route is tried at once; when none is left, it is waited.
    mutating func routeFailed(_ problem: TransportProblem, at now: Moment, into actions: inout [TransportAction]) {
        let count = routes.count
        failedRoutes += 1
        route = (route + 1) % count
        // That something is wrong with the encryption tells more than that nobody listens elsewhere.
        var worst = problem
        if let routeProblem, case .tls = routeProblem.kind { worst = routeProblem }
        if case .tls = problem.kind { worst = problem }
        guard failedRoutes >= count else {
            routeProblem = worst
            return connect(at: now, into: &actions)
        }
        failedRoutes = 0
        routeProblem = nil
        located = nil
        giveUp(saysNoService ? XMPPProblem.noService : worst, at: now, into: &actions)
    }

    package mutating func connected(
        _ id: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard lookups.isEmpty, attempts.connected(at: now) else { return actions.append(.close(id)) }
        failedRoutes = 0
        routeProblem = nil
        let routes = routes
        var options = settings.streamOptions(isEncrypted: routes[route % routes.count].isDirect)
        options.refusesPlain = hasOfferedSCRAM
        let stream = XMPPStream(account: settings.streamAccount, options: options, resuming: session)
        connection = XMPPConnection(id: id, stream: stream, lastHeard: now.boot)
        drive(at: now, into: &actions) { stream, orders in stream.start(into: &orders) }
    }

    package mutating func secured(_ id: ConnectionID, at now: Moment, into actions: inout [TransportAction]) {
        guard connection?.id == id else { return }
        connection?.lastHeard = now.boot
        drive(at: now, into: &actions) { stream, orders in stream.secured(into: &orders) }
    }

    package mutating func computed(
        _ job: TransportJobID, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard job == self.job else { return }
        self.job = nil
        drive(at: now, into: &actions) { stream, orders in stream.computed(answer, into: &orders) }
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        guard connection?.id == id, !bytes.isEmpty else { return }
        connection?.lastHeard = now.boot
        connection?.pingSentAt = nil
        drive(at: now, into: &actions) { stream, orders in stream.received(bytes, into: &orders) }
    }

    package mutating func closed(
        _ id: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard connection?.id == id else { return }
        lose(XMPPProblem.lost(end), isClosed: true, at: now, into: &actions)
    }

    /// Lets the stream do something and carries its orders out.
    mutating func drive(
        at now: Moment, into actions: inout [TransportAction],
        _ step: (inout XMPPStream, inout [XMPPAction]) -> Void
    ) {
        guard let id = connection?.id else { return }
        var orders: [XMPPAction] = []
        let before = connection?.stream.acknowledgements
        connection.withStream { step(&$0, &orders) }
        noteQuestion(before, at: now)
        if connection?.stream.hasSCRAM == true { hasOfferedSCRAM = true }
        // What is sent goes out in the order in which the stream counted it, before anything that follows from the rest.
        for case .send(let bytes) in orders { actions.append(.send(id, bytes)) }
        for order in orders {
            // An earlier order may have ended it.
            guard connection?.id == id else { return }
            carryOut(order, on: id, at: now, into: &actions)
        }
    }

    /// Since when the server owes an answer to the question what it has taken.
    private mutating func noteQuestion(_ before: UInt64?, at now: Moment) {
        guard let stream = connection?.stream else { return }
        if !stream.isAsked {
            connection?.askedAt = nil
        } else if connection?.askedAt == nil || stream.acknowledgements != before {
            connection?.askedAt = now.boot
        }
    }

    private mutating func carryOut(
        _ order: XMPPAction, on id: ConnectionID, at now: Moment, into actions: inout [TransportAction]
    ) {
        switch order {
        case .send: break
        case .startTLS:
            actions.append(.upgrade(id, serverName: settings.serverName, authorityFile: settings.caFile))
        case .compute(let job): compute(job, on: id, into: &actions)
        case .authenticated: break
        case .ready: becameReady(isResumed: false, at: now, into: &actions)
        case .resumed: becameReady(isResumed: true, at: now, into: &actions)
        case .delivered(let ids): for id in ids { accepted(id, at: now, into: &actions) }
        case .pong(let number): ponged(number, at: now, into: &actions)
        case .stanza(let stanza): receivedStanza(stanza, at: now, into: &actions)
        case .failed(let failure): lose(XMPPProblem.of(failure, hiding: settings.password), at: now, into: &actions)
        case .ended: lose(XMPPProblem.endedByServer, at: now, into: &actions)
        }
    }

    private mutating func compute(_ job: XMPPJob, on id: ConnectionID, into actions: inout [TransportAction]) {
        jobs &+= 1
        let name = TransportJobID(jobs)
        self.job = name
        switch job {
        case .random(let count): actions.append(.compute(name, .random(count)))
        case .channelBinding: actions.append(.compute(name, .channelBinding(id)))
        case .scram(let hash, let salt, let rounds, let authMessage):
            let scram = TransportJob.scram(
                hash, password: settings.password, salt: salt, rounds: rounds, authMessage: authMessage)
            actions.append(.compute(name, scram))
        }
    }

    private mutating func becameReady(isResumed: Bool, at now: Moment, into actions: inout [TransportAction]) {
        attempts.becameReady(since: now.boot)
        if settings.usesServiceRecords { proved = [routes[route % routes.count]] }
        if isResumed {
            connection?.replayedAge = sessionHeard.map { now.boot - $0 }
        }
        if !isResumed || connection?.stream.hasDropped == true {
            shownStatus = nil
            isRosterDue = true
        }
        session = nil
        let fields = [LogEntry.Field("server", settings.account.domain)]
        actions.append(.log(LogEntry(.notice, "connected to the XMPP server", fields)))
        told.tell(nil, into: &actions)
        actions.append(.ready)
        showStatus(at: now, into: &actions)
        askWhetherTaken(at: now, into: &actions)
    }

    /// The connection is over, whatever ended it; its session may go on.
    ///
    /// - Parameter isClosed: the connection is gone; otherwise it is closed here, without ending the session
    mutating func lose(
        _ problem: TransportProblem, isClosed: Bool = false, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let connection else { return }
        self.connection = nil
        job = nil
        if !isClosed { actions.append(.close(connection.id)) }
        if attempts.isReady {
            actions.append(.notReady)
            sessionHeard = connection.lastHeard
        }
        let kept = connection.stream.session
        session = kept?.isResumable == true ? kept : nil
        for index in underWay.indices { underWay[index].barrier = nil }
        if session == nil { giveBack(into: &actions) }
        // Somebody answered there who is no XMPP server: the other route may lead to one.
        let isElsewhere = !attempts.isReady && !problem.isRefusal
        if isElsewhere { route = (route + 1) % routes.count }
        if !isElsewhere || route == 0 { located = nil }
        giveUp(problem, at: now, into: &actions)
    }

    mutating func giveBack(into actions: inout [TransportAction]) {
        guard !underWay.isEmpty else { return }
        actions.append(.returned(underWay.map(\.message)))
        underWay = []
    }
}

extension Optional<XMPPConnection> {
    /// Changes the stream in place, if there is one.
    mutating func withStream(_ change: (inout XMPPStream) -> Void) {
        guard var connection = take() else { return }
        change(&connection.stream)
        self = connection
    }
}
