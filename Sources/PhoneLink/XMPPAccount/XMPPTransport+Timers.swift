package import AlarmModel

extension XMPPTransport {
    private enum Due { case setupStalled, unanswered, silent, ping, replayed, roster }

    package var nextDeadline: BootTime? {
        guard isRunning else { return nil }
        var all = deadlines.map(\.at)
        switch dial {
        case .none: break
        case .locating(let since): all.append(since + settings.lookupPatience)
        case .dialing(let since): all.append(since + settings.dialPatience)
        case .waiting(let until, _): all.append(until)
        }
        if connection == nil, let first = underWay.first { all.append(first.sentAt + settings.ackPatience) }
        return all.min()
    }

    /// What is due on the connection, the most pressing first.
    private var deadlines: [(due: Due, at: BootTime)] {
        guard let connection else { return [] }
        guard let readyAt = connection.readyAt else {
            return [(.setupStalled, connection.connectedAt + settings.setupDeadline)]
        }
        var list: [(due: Due, at: BootTime)] = []
        // A message of before the connection gets its time on this one.
        if let first = underWay.first { list.append((.unanswered, max(first.sentAt, readyAt) + settings.ackPatience)) }
        if connection.replayedAge != nil { list.append((.replayed, readyAt + Self.replaySpan)) }
        if let pingSentAt = connection.pingSentAt {
            list.append((.silent, pingSentAt + settings.pingPatience))
        } else {
            list.append((.ping, connection.lastHeard + settings.idleBeforePing))
        }
        if isRosterDue, !connection.hasAskedForRoster { list.append((.roster, readyAt + Self.rosterDelay)) }
        return list
    }

    /// For so long after a resumption the server may send what it could not get through before.
    private static var replaySpan: Duration { .seconds(10) }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        guard isRunning else { return }
        if let due = deadlines.first(where: { $0.at <= now.boot })?.due {
            switch due {
            case .setupStalled: lose(.setupStalled, at: now, into: &actions)
            case .unanswered: lose(.unanswered, at: now, into: &actions)
            case .silent: lose(.silent, at: now, into: &actions)
            case .ping: ping(at: now, into: &actions)
            case .replayed: connection?.replayedAge = nil
            case .roster: askForRoster(at: now, into: &actions)
            }
        }
        if connection == nil { expire(at: now, into: &actions) }
        switch dial {
        case .none: break
        case .locating(let since):
            if since + settings.lookupPatience <= now.boot { dialLocated(at: now, into: &actions) }
        case .dialing(let since):
            guard since + settings.dialPatience <= now.boot else { break }
            actions.append(.cancelConnect(Self.slot))
            routeFailed(.dialStalled, at: now, into: &actions)
        case .waiting(let until, _):
            if until <= now.boot { connect(at: now, into: &actions) }
        }
    }

    /// What waits too long for its session to be resumed is given back.
    private mutating func expire(at now: Moment, into actions: inout [TransportAction]) {
        let expired = underWay.filter { $0.sentAt + settings.ackPatience <= now.boot }.map(\.message)
        guard !expired.isEmpty else { return }
        underWay.removeAll { $0.sentAt + settings.ackPatience <= now.boot }
        for message in expired { session?.forget(message.text) }
        actions.append(.returned(expired))
    }

    mutating func ping(at now: Moment, into actions: inout [TransportAction]) {
        guard let connection, connection.isReady, connection.pingSentAt == nil else { return }
        self.connection?.pingSentAt = now.boot
        drive(at: now, into: &actions) { stream, orders in stream.ping(into: &orders) }
    }
}
