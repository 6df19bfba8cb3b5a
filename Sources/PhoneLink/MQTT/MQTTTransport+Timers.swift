package import AlarmModel

extension MQTTTransport {
    package var nextDeadline: BootTime? {
        guard attempts.isReady else { return attempts.nextDeadline }
        return [aliveDeadline, answerDeadline, recallUntil, announceAt, heldUntil].compactMap { $0 }.min()
    }

    private var heldUntil: BootTime? { heldKeys.map(\.until).min() }

    /// For a sign of life, or to ask for one.
    private var aliveDeadline: BootTime {
        if let pingSentAt { return pingSentAt + settings.pingPatience }
        return min(lastHeard + settings.idleBeforePing, lastSent + min(keepAlive, settings.idleBeforePing))
    }

    private var answerDeadline: BootTime? {
        let first = [underWay.first?.since, publishing.first?.since].compactMap { $0 }.min()
        return first.map { $0 + settings.answerPatience }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        switch attempts.due(at: now) {
        case .attempt: connect(at: now, into: &actions)
        case .dialStalled:
            actions.append(.cancelConnect(Self.slot))
            giveUp(
                TransportProblem(
                    .noAnswer,
                    "the MQTT broker \(settings.host):\(settings.port) does not answer; check host and port"),
                at: now, into: &actions)
        case .setupStalled:
            lose(
                TransportProblem(
                    .setupStalled,
                    "the MQTT broker does not answer our login; check that host and port are a broker's"),
                at: now, into: &actions)
        case nil: if attempts.isReady { check(at: now, into: &actions) }
        }
    }

    private mutating func check(at now: Moment, into actions: inout [TransportAction]) {
        if let answerDeadline, answerDeadline <= now.boot {
            let text = "the MQTT broker does not acknowledge what it gets; it is tried again"
            owesAnswers = true
            return lose(TransportProblem(.unanswered(), text), at: now, into: &actions)
        }
        if aliveDeadline <= now.boot {
            guard pingSentAt == nil else {
                let text = "the MQTT broker gives no sign of life; the connection is made again"
                return lose(TransportProblem(.silent, text, isPassing: true), at: now, into: &actions)
            }
            ping(at: now, into: &actions)
        }
        if let until = recallUntil, until <= now.boot { endRecall(at: now, into: &actions) }
        if let heldUntil, heldUntil <= now.boot { releaseKeys(at: now, into: &actions) }
        if let at = announceAt, at <= now.boot {
            announceAt = nil
            announceAgain()
            pump(at: now, into: &actions)
        }
    }
}
