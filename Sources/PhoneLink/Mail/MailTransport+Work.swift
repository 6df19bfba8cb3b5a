package import AlarmModel

extension MailTransport {
    mutating func connect(at now: Moment, into actions: inout [TransportAction]) {
        attempts.dial(at: now)
        let security: DialTarget.Security =
            switch settings.security {
            case .tls: .tls(authorityFile: settings.caFile)
            case .startTLS, .plain: .plain
            }
        actions.append(
            .connect(DialSlot(0), DialTarget(host: settings.host, port: settings.port, security: security)))
    }

    /// Sends the next message, alarms first, or makes the connection for it.
    mutating func work(at now: Moment, into actions: inout [TransportAction]) {
        guard let current = connection else {
            if attempts.phase == .idle, !queue.isEmpty { connect(at: now, into: &actions) }
            return
        }
        guard current.session.isIdle, current.sending == nil,
            let next = queue.first(where: \.isAlarm) ?? queue.first
        else { return }
        connection?.sending = next.message.id
        drive(current.id, at: now, into: &actions) { $0.send(next.message, into: &$1) }
    }

    /// Lets the session do something and carries its orders out.
    mutating func drive(
        _ id: ConnectionID, at now: Moment, into actions: inout [TransportAction],
        _ step: (inout SMTPSession, inout [SMTPAction]) -> Void
    ) {
        guard connection?.id == id else { return }
        var orders: [SMTPAction] = []
        if var session = connection?.session {
            step(&session, &orders)
            connection?.session = session
        }
        for order in orders {
            guard connection?.id == id else { return }
            carryOut(order, id, at: now, into: &actions)
        }
    }

    private mutating func carryOut(
        _ order: SMTPAction, _ id: ConnectionID, at now: Moment, into actions: inout [TransportAction]
    ) {
        switch order {
        case .send(let bytes):
            connection?.since = now.boot
            actions.append(.send(id, bytes))
        case .upgrade:
            actions.append(.upgrade(id, serverName: settings.host, authorityFile: settings.caFile))
        case .ready:
            connection?.since = now.boot
            closeOverdue(into: &actions)
            becameGood(at: now, into: &actions)
            work(at: now, into: &actions)
        case .delivered:
            guard let message = answered() else { return }
            lateVerdicts = 0
            lastAccepted = now.wall
            dealtWith(into: &actions)
            actions.append(.accepted(message, canonical: nil))
        case .refused(let refusal):
            // What it has against the account it may not have said this time.
            if told.current?.isRefusal != true { dealtWith(into: &actions) }
            if let message = answered() { actions.append(.refused(message, refusal)) }
        case .failed(let failure):
            actions.append(.close(id))
            let isOfMessage = connection?.sending != nil
            let wasIdle = !isOfMessage && isGood && queue.isEmpty
            connection = nil
            // An idle connection that the server ends says nothing about the next one.
            if wasIdle, case .closing = failure { return attempts.rest() }
            giveUp(failure.problem, isOfMessage: isOfMessage, at: now, into: &actions)
        }
    }

    /// The message under way has its answer.
    private mutating func answered() -> MessageID? {
        guard let id = connection?.sending, let index = queue.firstIndex(where: { $0.message.id == id }) else {
            return nil
        }
        connection?.sending = nil
        queue.remove(at: index)
        return id
    }

    /// The server has taken a message, or said what it has against that one.
    private mutating func dealtWith(into actions: inout [TransportAction]) {
        isOfMessage = false
        attempts.succeeded()
        told.tell(nil, into: &actions)
    }

    private mutating func becameGood(at now: Moment, into actions: inout [TransportAction]) {
        nextCheck = now.boot + settings.checkInterval
        if !isOfMessage { told.tell(nil, into: &actions) }
        guard !isGood else { return }
        isGood = true
        actions.append(
            .log(LogEntry(.notice, "the mail server takes our messages", [LogEntry.Field("host", settings.host)])))
        actions.append(.ready)
    }

    /// Makes the overdue connection the one in use when it speaks: what is tried beside it is given up.
    mutating func overdueSpoke(_ id: ConnectionID, at now: Moment, into actions: inout [TransportAction]) {
        guard let speaking = overdue, speaking.id == id else { return }
        overdue = nil
        if attempts.isDialing { actions.append(.cancelConnect(DialSlot(0))) }
        if let newer = connection { actions.append(.close(newer.id)) }
        attempts.dial(at: now)
        _ = attempts.connected(at: now)
        connection = speaking
        connection?.since = now.boot
    }

    mutating func closeOverdue(into actions: inout [TransportAction]) {
        if let overdue { actions.append(.close(overdue.id)) }
        overdue = nil
    }

    /// Says goodbye where that is possible, and closes.
    mutating func hangUp(into actions: inout [TransportAction]) {
        guard var current = connection else { return }
        var orders: [SMTPAction] = []
        current.session.quit(into: &orders)
        for case .send(let bytes) in orders { actions.append(.send(current.id, bytes)) }
        actions.append(.close(current.id))
        connection = nil
        attempts.rest()
    }

    /// Everything that waits is given back, and no more is taken until the next good login.
    mutating func unready(into actions: inout [TransportAction]) {
        if isGood { actions.append(.notReady) }
        isGood = false
        if !queue.isEmpty { actions.append(.returned(queue.map(\.message.id))) }
        queue = []
    }

    mutating func giveUp(
        _ problem: TransportProblem, isOfMessage: Bool = false, at now: Moment, into actions: inout [TransportAction]
    ) {
        self.isOfMessage = isOfMessage && !problem.isPassing
        unready(into: &actions)
        told.tell(problem, into: &actions)
        attempts.fail(isRefusal: problem.isRefusal, at: now, &jitter)
    }

    // MARK: Time

    package var nextDeadline: BootTime? {
        [ownDeadline, overdue.map { $0.since + MailSettings.setupMaximum }].compactMap { $0 }.min()
    }

    private var ownDeadline: BootTime? {
        if let time = attempts.nextDeadline { return time }
        guard let current = connection else { return isGood ? nextCheck : nil }
        return current.since + patience(with: current)
    }

    private func patience(with current: Connection) -> Duration {
        let session = current.session
        if !session.isSetUp { return settings.setupDeadline }
        if session.isIdle { return settings.idleBeforeClose }
        guard session.isAwaitingVerdict else { return settings.answerPatience }
        return doubled(settings.answerPatience, lateVerdicts, limit: settings.dataMaximum)
    }

    private func doubled(_ span: Duration, _ times: Int, limit: Duration) -> Duration {
        var result = span
        for _ in 0..<times where result < limit { result = result * 2 }
        return min(result, max(limit, span))
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        if let overdue, now.boot >= overdue.since + MailSettings.setupMaximum { closeOverdue(into: &actions) }
        guard let deadline = ownDeadline, deadline <= now.boot else { return }
        if attempts.isDialing {
            actions.append(.cancelConnect(DialSlot(0)))
            return giveUp(MailProblem.dialStalled, at: now, into: &actions)
        }
        guard let current = connection else { return connect(at: now, into: &actions) }
        if current.session.isIdle {
            // It stood, and there was nothing more to do.
            attempts.succeeded()
            return hangUp(into: &actions)
        }
        if current.session.isAwaitingVerdict { lateVerdicts = min(lateVerdicts + 1, 10) }
        if !current.session.isSetUp, overdue == nil {
            overdue = current
        } else {
            actions.append(.close(current.id))
        }
        connection = nil
        giveUp(
            current.session.isSetUp ? MailProblem.unanswered : MailProblem.setupStalled,
            isOfMessage: current.sending != nil, at: now, into: &actions)
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) { attempts.setUrgent(isUrgent, at: now) }

    /// A connection without work may be dead on the new network; it costs nothing to make another.
    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        if attempts.waitsForNetwork { return connect(at: now, into: &actions) }
        if connection?.session.isIdle == true { hangUp(into: &actions) }
    }
}
