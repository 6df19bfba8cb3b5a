package import AlarmModel

extension Session {
    /// The connection to the module stands.
    package mutating func connected(at now: Moment, into actions: inout [PanelAction]) {
        guard case .connecting = phase else { return }
        counters.connects += 1
        reader = LineReader()
        hasReceivedLine = false
        actions.append(.trace(TraceLine(.remark, "connected")))
        enter(.greeting(deadline: now.boot + settings.loginDeadline), at: now)
    }

    /// The connection did not come about.
    package mutating func connectFailed(
        _ failure: DialFailure, at now: Moment, into actions: inout [PanelAction]
    ) {
        guard case .connecting = phase else { return }
        counters.connectFailures += 1
        let problem: LinkProblem
        switch failure {
        case .unresolved(let why): problem = .unresolved(why)
        case .unreachable(let end):
            switch end {
            case .refused, .reset, .finished: problem = .slotTaken
            case .timedOut: problem = .connectTimedOut
            case .unreachable, .local, .tls, .failed: problem = .unreachable(end)
            }
        }
        lose(problem, closing: false, at: now, into: &actions)
    }

    /// The connection ended.
    package mutating func closed(_ end: ConnectionEnd, at now: Moment, into actions: inout [PanelAction]) {
        switch phase {
        case .idle, .waiting, .stopped: return
        case .connecting, .greeting, .greeted:
            lose(hasReceivedLine ? .closedAtLogin(end) : .slotTaken, closing: false, at: now, into: &actions)
        case .authenticating:
            lose(.closedAtLogin(end), closing: false, at: now, into: &actions)
        case .resynchronising, .up:
            lose(.closed(end), closing: false, at: now, into: &actions)
        }
    }

    /// 505.
    mutating func login(_ reply: DSCMessage.LoginReply, at now: Moment, into actions: inout [PanelAction]) {
        switch (phase, reply) {
        case (.greeting, .passwordWanted):
            enter(.greeted(loginAt: now.boot + settings.settleDelay), at: now)
        case (.greeting, .accepted), (.greeted, .accepted), (.authenticating, .accepted):
            loggedIn(at: now, into: &actions)
        case (.greeting, .wrongPassword), (.greeted, .wrongPassword), (.authenticating, .wrongPassword):
            lose(.wrongPassword(length: passwordLength), closing: true, at: now, into: &actions)
        case (.authenticating, .timedOut):
            lose(.mutePassword(length: passwordLength), closing: true, at: now, into: &actions)
        case (.greeting, .timedOut), (.greeted, .timedOut):
            lose(.loginTimedOut, closing: true, at: now, into: &actions)
        case (.greeted, .passwordWanted), (.authenticating, .passwordWanted): break
        case (.resynchronising, .accepted), (.up, .accepted): counters.unexpectedAck += 1
        case (.resynchronising, _), (.up, _): lose(.restarted, closing: true, at: now, into: &actions)
        case (.idle, _), (.waiting, _), (.connecting, _), (.stopped, _): break
        }
    }

    /// The password leaves; the reply to it, or the deadline, ends this phase.
    mutating func sendPassword(at now: Moment, into actions: inout [PanelAction]) {
        transmit(.login(settings.password), into: &actions)
        enter(.authenticating(deadline: now.boot + settings.loginDeadline), at: now)
    }

    /// Nothing, or nothing that helps, came in time.
    mutating func loginExpired(at now: Moment, into actions: inout [PanelAction]) {
        switch phase {
        case .connecting:
            counters.connectFailures &+= 1
            lose(.connectTimedOut, closing: true, at: now, into: &actions)
        case .greeting, .greeted: lose(.noGreeting, closing: true, at: now, into: &actions)
        case .authenticating: lose(.mutePassword(length: passwordLength), closing: true, at: now, into: &actions)
        case .idle, .waiting, .resynchronising, .up, .stopped: break
        }
    }

    /// `Login:` has no checksum, and often no line end.
    func looksLikeOtherFirmware(_ text: String?) -> Bool {
        guard case .greeting = phase, let text else { return false }
        return text.hasPrefix("Login")
    }

    private mutating func loggedIn(at now: Moment, into actions: inout [PanelAction]) {
        counters.sessions += 1
        reconnect.loggedIn()
        problem = nil
        announcedRefusal = nil
        bypassNeedsCode = false
        loggedInAt = now.boot
        latency = Latency()
        evidence.sessionBegan()
        queue.sessionBegan(at: now.boot)
        reducer.setLink(.resynchronising)
        troublesEndAt = now.boot + Self.troubleSilence
        reportDueAt = nil
        enter(.resynchronising, at: now)
        if settings.setsClock { scheduleClock(at: now) }
        _ = queue.add(.statusReport)
        actions.append(.log(LogEntry(.notice, "logged in to the panel module")))
    }

    private var passwordLength: Int { settings.password.revealed.count }
}
