package import AlarmModel

extension XMPPTransport {
    private enum Due { case unanswered, silent, uncounted, ping, replayed, roster }

    package var nextDeadline: BootTime? {
        var all = deadlines.map(\.at) + [attempts.nextDeadline].compactMap { $0 }
        if connection == nil, let first = underWay.first { all.append(first.sentAt + settings.ackPatience) }
        return all.min()
    }

    /// What is due on the connection, the most pressing first.
    private var deadlines: [(due: Due, at: BootTime)] {
        guard let connection, case .ready(let readyAt) = attempts.phase else { return [] }
        var list: [(due: Due, at: BootTime)] = []
        // A message of before the connection gets its time on this one.
        if let first = underWay.first { list.append((.unanswered, max(first.sentAt, readyAt) + settings.ackPatience)) }
        if connection.replayedAge != nil { list.append((.replayed, readyAt + Self.replaySpan)) }
        if let pingSentAt = connection.pingSentAt {
            list.append((.silent, pingSentAt + settings.pingPatience))
        } else {
            list.append((.ping, connection.lastHeard + settings.idleBeforePing))
        }
        if let askedAt = connection.askedAt { list.append((.uncounted, askedAt + settings.pingPatience)) }
        if isRosterDue, !connection.hasAskedForRoster { list.append((.roster, readyAt + Self.rosterDelay)) }
        return list
    }

    /// For so long after a resumption the server may send what it could not get through before.
    private static var replaySpan: Duration { .seconds(10) }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        if attempts.due(at: now) == .setupStalled {
            lose(XMPPProblem.setupStalled, at: now, into: &actions)
        } else if let due = deadlines.first(where: { $0.at <= now.boot })?.due {
            switch due {
            case .unanswered: lose(XMPPProblem.unanswered, at: now, into: &actions)
            case .uncounted: lose(XMPPProblem.uncounted, at: now, into: &actions)
            case .silent: lose(XMPPProblem.silent, at: now, into: &actions)
            case .ping: ping(at: now, into: &actions)
            case .replayed: connection?.replayedAge = nil
            case .roster: askForRoster(at: now, into: &actions)
            }
        }
        if connection == nil { expire(at: now, into: &actions) }
        switch attempts.due(at: now) {
        case .attempt: connect(at: now, into: &actions)
        case .dialStalled:
            guard lookups.isEmpty else { return dialLocated(at: now, into: &actions) }
            actions.append(.cancelConnect(Self.slot))
            routeFailed(XMPPProblem.dialStalled, at: now, into: &actions)
        case .setupStalled, nil: break
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
        guard let connection, attempts.isReady, connection.pingSentAt == nil else { return }
        self.connection?.pingSentAt = now.boot
        drive(at: now, into: &actions) { stream, orders in stream.ping(into: &orders) }
    }
}
