import AlarmModel

extension Session {
    mutating func connect(at now: Moment, into actions: inout [PanelAction]) {
        hasReceivedLine = false
        attemptAt = now.boot
        let limit = losses.isHoldingOff(.module) ? LossWatch.attemptPace - LossWatch.shortestPause : Self.connectLimit
        enter(.connecting(giveUpAt: now.boot + limit), at: now)
        actions.append(.connect)
    }

    /// There is no session any more, or none came about; the next attempt is scheduled.
    ///
    /// - Parameter closing: whether the connection still stands and has to be closed by us
    mutating func lose(
        _ why: LinkProblem, closing: Bool, at now: Moment, into actions: inout [PanelAction]
    ) {
        if closing { actions.append(.close) }
        let wasLoggedIn = isLoggedIn
        actions.append(.trace(TraceLine(.remark, why.sentence)))
        actions.append(.log(LogEntry(.warning, "no session with the panel", [LogEntry.Field("reason", why.sentence)])))
        leaveSession(at: now, into: &actions)
        problem = why
        announce(why, wasLoggedIn: wasLoggedIn, at: now, into: &actions)
        watchLosses(at: now, into: &actions)
        let delay = reconnect.delay(
            isRefusal: why.isRefusal, isSlotTaken: why.isSlotTaken,
            longest: longestPause(afterSession: wasLoggedIn, at: now), settings: settings, jitter: &jitter)
        enter(.waiting(until: now.boot + delay), at: now)
    }

    /// Everything known becomes stale; orders that left the box end as not confirmed.
    mutating func leaveSession(at now: Moment, into actions: inout [PanelAction]) {
        if isLoggedIn {
            let lastSign = lastLineAt ?? now.boot
            let known = state.zones.filter { $0.open.current != nil }.map(\.number)
            evidence.sessionEnded(known: known, at: lastSign)
            let heardUntil = now.wall + .milliseconds(-(now.boot - lastSign).milliseconds)
            sessionLostForWatches(
                Moment(boot: lastSign, wall: heardUntil, isWallTrusted: now.isWallTrusted), into: &actions)
            alarmsSeen.sessionLost(state, heardUntil: lastSign)
            #if SABOTAGE
                let ages = sabotage != .keepsStateWhenLinkIsLost
            #else
                let ages = true
            #endif
            if ages { reducer.age(until: heardUntil) }
            if let loggedInAt { reconnect.sessionEnded(after: now.boot - loggedInAt) }
        }
        reducer.setLink(.down)
        for transaction in queue.linkLost() { conclude(transaction, .notConfirmed, at: now, into: &actions) }
        statusReport = nil
        loggedInAt = nil
        troublesEndAt = nil
        reportDueAt = nil
        clockDueAt = nil
        reader = LineReader()
    }

    private mutating func announce(
        _ why: LinkProblem, wasLoggedIn: Bool, at now: Moment, into actions: inout [PanelAction]
    ) {
        let writer = writer(at: now)
        if wasLoggedIn {
            guard !isLossAnnounced else { return }
            isLossAnnounced = true
            let message = "Session with the panel lost: \(why.sentence). Until it is back all state is out of date."
            actions.append(.event(writer.event(.panelOffline, .fault, message)))
            return
        }
        if why.isRefusal {
            guard announcedRefusal != why else { return }
            announcedRefusal = why
            isLossAnnounced = true
            actions.append(.event(writer.event(.panelRefused, .fault, "No session with the panel: \(why.sentence).")))
            return
        }
    }

    /// No session since the start: a house that nobody watches.
    mutating func tellUnreached(at now: Moment, into actions: inout [PanelAction]) {
        guard let time = unreachedAt, time <= now.boot else { return }
        unreachedAt = nil
        guard !isLossAnnounced else { return }
        isLossAnnounced = true
        let why = problem?.sentence ?? "the module has not answered yet"
        let message =
            "No session with the panel for \(Self.hope.milliseconds / 1000) s since the start, so nothing watches the "
            + "house: \(why). Look at the module's power and network; it may need a power cycle. We keep trying."
        actions.append(.event(writer(at: now).event(.panelOffline, .fault, message)))
    }

    /// The state is known again.
    mutating func cameUp(at now: Moment, into actions: inout [PanelAction]) {
        enter(.up, at: now)
        reducer.setLink(.up)
        let message = isLossAnnounced ? "Session with the panel is back" : "Session with the panel is up"
        actions.append(.event(writer(at: now).event(.panelOnline, isLossAnnounced ? .recovery : .info, message)))
        isLossAnnounced = false
        unreachedAt = nil
        for chore in settings.chores(hasTimers: evidence.hasTimers) { _ = queue.add(chore) }
    }
}
