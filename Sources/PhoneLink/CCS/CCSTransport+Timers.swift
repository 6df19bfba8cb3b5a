package import AlarmModel

extension CCSTransport {
    /// When `timerFired` wants to be called; it may be called at any time.
    package var nextDeadline: BootTime? {
        let times = connections.flatMap { $0.deadlines(settings).map(\.at) } + [attempts.nextDeadline].compactMap { $0 }
        return times.min()
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        for id in connections.map(\.id) {
            guard let index = index(of: id),
                let (due, _) = connections[index].deadlines(settings).first(where: { $0.at <= now.boot })
            else { continue }
            switch due {
            case .drained: lose(id, CCSProblem.draining, at: now, into: &actions)
            case .setupStalled: lose(id, CCSProblem.setupStalled, at: now, into: &actions)
            case .unanswered: lose(id, CCSProblem.unanswered, at: now, into: &actions)
            case .silent: lose(id, CCSProblem.silent, at: now, into: &actions)
            case .ping: ping(id, at: now, into: &actions)
            }
        }
        switch attempts.due(at: now) {
        case .attempt: connect(at: now, into: &actions)
        case .dialStalled:
            actions.append(.cancelConnect(Self.slot))
            fail(CCSProblem.dialStalled, at: now, into: &actions)
        case .setupStalled, nil: break
        }
    }

    mutating func ping(_ id: ConnectionID, at now: Moment, into actions: inout [TransportAction]) {
        guard let index = index(of: id), connections[index].readyAt != nil, connections[index].pingSentAt == nil
        else { return }
        connections[index].pingSentAt = now.boot
        drive(id, at: now, into: &actions) { stream, orders in stream.ping(into: &orders) }
    }
}
