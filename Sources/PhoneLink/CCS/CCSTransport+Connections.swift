import AlarmModel

extension CCSTransport {
    mutating func connect(at now: Moment, into actions: inout [TransportAction]) {
        attempts.dial(at: now)
        let security = DialTarget.Security.tls(authorityFile: settings.caFile)
        actions.append(.connect(Self.slot, DialTarget(host: settings.host, port: settings.port, security: security)))
    }

    /// The attempt or the connection is over for this reason; another one follows.
    mutating func fail(_ problem: TransportProblem, at now: Moment, into actions: inout [TransportAction]) {
        told.tell(problem, into: &actions)
        attempts.fail(isRefusal: problem.isRefusal, at: now, &jitter)
    }

    /// Lets the stream of a connection do something and carries its orders out.
    mutating func drive(
        _ id: ConnectionID, at now: Moment, into actions: inout [TransportAction],
        _ step: (inout XMPPStream, inout [XMPPAction]) -> Void
    ) {
        guard let index = index(of: id) else { return }
        var orders: [XMPPAction] = []
        step(&connections[index].stream, &orders)
        for order in orders {
            // An earlier order may have ended it.
            guard self.index(of: id) != nil else { return }
            carryOut(order, on: id, at: now, into: &actions)
        }
    }

    private mutating func carryOut(
        _ order: XMPPAction, on id: ConnectionID, at now: Moment, into actions: inout [TransportAction]
    ) {
        switch order {
        case .send(let bytes): actions.append(.send(id, bytes))
        // A stream with the default options orders none of these but a pong, and any byte has proved life already.
        case .authenticated, .startTLS, .compute, .resumed, .delivered, .pong: break
        case .ready: becameReady(id, at: now, into: &actions)
        case .stanza(let stanza): receivedStanza(stanza, on: id, at: now, into: &actions)
        case .failed(let failure):
            lose(id, CCSProblem.of(failure, hiding: settings.apiKey), at: now, into: &actions)
        case .ended: lose(id, CCSProblem.endedByServer, at: now, into: &actions)
        }
    }

    private mutating func becameReady(_ id: ConnectionID, at now: Moment, into actions: inout [TransportAction]) {
        guard let index = index(of: id) else { return }
        connections[index].readyAt = now.boot
        guard connections[index].isReady else { return }
        attempts.becameReady(since: now.boot)
        actions.append(
            .log(LogEntry(.notice, "connected to the push server", [LogEntry.Field("host", settings.host)])))
        told.tell(nil, into: &actions)
        actions.append(.ready)
    }

    /// A connection is over, whatever ended it: what was under way on it is given back, and if it was the one for
    /// messages, another is made.
    ///
    /// - Parameter isClosed: the connection is gone; otherwise it is closed here
    mutating func lose(
        _ id: ConnectionID, _ problem: TransportProblem, isClosed: Bool = false, at now: Moment,
        into actions: inout [TransportAction]
    ) {
        guard let index = index(of: id) else { return }
        var connection = connections.remove(at: index)
        if !isClosed {
            var orders: [XMPPAction] = []
            connection.stream.end(into: &orders)
            for case .send(let bytes) in orders { actions.append(.send(id, bytes)) }
            actions.append(.close(id))
        }
        if !connection.isDraining {
            if connection.isReady { actions.append(.notReady) }
            fail(problem, at: now, into: &actions)
        }
        giveBack(connection, into: &actions)
    }

    private mutating func giveBack(_ connection: CCSConnection, into actions: inout [TransportAction]) {
        guard !connection.underWay.isEmpty else { return }
        actions.append(.returned(connection.underWay.map(\.message)))
    }

    /// The server wants this connection to end: another one is made at once and this one is read until it is closed.
    mutating func drain(_ id: ConnectionID, at now: Moment, into actions: inout [TransportAction]) {
        guard let index = index(of: id), !connections[index].isDraining else { return }
        attempts.noteSteady(at: now)
        let wasReady = connections[index].isReady
        connections[index].drainingSince = now.boot
        if wasReady { actions.append(.notReady) }
        actions.append(.log(LogEntry(.info, "the push server asked for a new connection")))
        // A server that drains every new connection gets the back-off instead.
        let isFirst = lastDrain.map { now.boot - $0 >= settings.steadyAfter } ?? true
        lastDrain = now.boot
        if isFirst { connect(at: now, into: &actions) } else { attempts.fail(at: now, &jitter) }
        let draining = connections.filter(\.isDraining)
        if draining.count > 2 { lose(draining[0].id, CCSProblem.draining, at: now, into: &actions) }
    }

    /// Ends all connections and attempts, the oldest connection first.
    mutating func dropAll(into actions: inout [TransportAction]) {
        if attempts.isDialing { actions.append(.cancelConnect(Self.slot)) }
        let wasReady = connections.contains(where: \.isReady)
        if wasReady { actions.append(.notReady) }
        for var connection in connections {
            var orders: [XMPPAction] = []
            connection.stream.end(into: &orders)
            for case .send(let bytes) in orders { actions.append(.send(connection.id, bytes)) }
            actions.append(.close(connection.id))
            giveBack(connection, into: &actions)
        }
        connections = []
        attempts.stop()
        lastDrain = nil
        told.tell(nil, into: &actions)
    }
}
