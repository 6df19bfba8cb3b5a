package import AlarmModel

extension CCSLink {
    /// When `timerFired` wants to be called; it may be called at any time.
    package var nextDeadline: BootTime? {
        guard isRunning else { return nil }
        var first: BootTime?
        switch dial {
        case .none: break
        case .dialing(let since): first = since + settings.dialPatience
        case .waiting(let until, _): first = until
        }
        for connection in connections {
            for (_, time) in connection.deadlines(settings) { first = first.map { min($0, time) } ?? time }
        }
        return first
    }

    package mutating func timerFired(at now: Moment, into actions: inout [CCSAction]) {
        guard isRunning else { return }
        for id in connections.map(\.id) {
            guard let index = index(of: id),
                let (due, _) = connections[index].deadlines(settings).first(where: { $0.at <= now.boot })
            else { continue }
            switch due {
            case .drained: lose(id, .draining, at: now, into: &actions)
            case .setupStalled: lose(id, .setupStalled, at: now, into: &actions)
            case .unanswered: lose(id, .unanswered, at: now, into: &actions)
            case .silent: lose(id, .silent, at: now, into: &actions)
            case .ping: ping(id, at: now, into: &actions)
            }
        }
        switch dial {
        case .none: break
        case .dialing(let since):
            guard since + settings.dialPatience <= now.boot else { break }
            actions.append(.cancelConnect)
            isReachable = false
            set(.dialStalled, at: now, into: &actions)
            retry(after: .dialStalled, at: now)
        case .waiting(let until, _):
            if until <= now.boot { connect(at: now, into: &actions) }
        }
        settle(at: now)
    }

    mutating func ping(_ id: ConnectionID, at now: Moment, into actions: inout [CCSAction]) {
        guard let index = index(of: id), connections[index].readyAt != nil, connections[index].pingSentAt == nil
        else { return }
        connections[index].pingSentAt = now.boot
        drive(id, at: now, into: &actions) { stream, orders in stream.ping(into: &orders) }
    }
}
