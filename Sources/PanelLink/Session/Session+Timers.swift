package import AlarmModel

extension Session {
    /// When `timerFired` wants to be called next; nil while there is nothing to wait for.
    package var nextDeadline: BootTime? {
        var times: [BootTime?] = [
            phase.deadline, noise.deadline, unreachedAt, losses.nextDeadline, gaps.nextDeadline,
        ]
        times += queue.transactions.map { $0.canExpire ? $0.order?.deadline : nil }
        if isLoggedIn {
            times += [queue.flight?.answerBy, statusReport?.capAt, troublesEndAt]
            times += [troubles.nextDeadline, lateErrors.nextDeadline]
            times += queue.transactions.map(\.confirmBy)
            times += queue.candidates(gate, settings: settings).map(\.at)
        }
        if case .up = phase {
            times += [
                bus.nextDeadline, delays.nextDeadline, clockDueAt, statusReport == nil ? reportDueAt : nil,
            ]
        }
        return times.compactMap { $0 }.min()
    }

    /// A deadline passed; also harmless at any other time.
    package mutating func timerFired(at now: Moment, into actions: inout [PanelAction]) {
        if let deadline = phase.deadline, deadline <= now.boot { phaseExpired(at: now, into: &actions) }
        tellUnreached(at: now, into: &actions)
        for transaction in queue.transactions where transaction.canExpire {
            guard let order = transaction.order, order.deadline <= now.boot else { continue }
            apply(.outcome(.expired), to: transaction, at: now, into: &actions)
        }
        let light = gaps.timerFired(state, lastKey: reducer.lastKey?.time, at: now)
        found(light, at: now, into: &actions)
        if isLoggedIn { answersExpired(at: now, into: &actions) }
        if isLoggedIn { confirmationsExpired(at: now, into: &actions) }
        if isLoggedIn { choresFallDue(at: now, into: &actions) }
        sumUpNoise(at: now, into: &actions)
        watchLosses(at: now, into: &actions)
        tellLosses(at: now, into: &actions)
        pump(at: now, into: &actions)
    }

    private mutating func phaseExpired(at now: Moment, into actions: inout [PanelAction]) {
        switch phase {
        case .waiting: connect(at: now, into: &actions)
        case .greeted: sendPassword(at: now, into: &actions)
        case .connecting, .greeting, .authenticating: loginExpired(at: now, into: &actions)
        case .idle, .resynchronising, .up, .stopped: break
        }
    }

    /// docs/ARCHITECTURE.md 8: a missed answer polls again at once, the second miss closes.
    private mutating func answersExpired(at now: Moment, into actions: inout [PanelAction]) {
        guard let flight = queue.flight, flight.answerBy <= now.boot else { return }
        counters.missedAnswers &+= 1
        _ = queue.answerMissed()
        guard queue.misses < 2 else {
            lose(.silent, closing: true, at: now, into: &actions)
            return
        }
        guard case .transaction(let number) = flight.owner, var transaction = queue.transaction(number) else { return }
        let ending = transaction.answerMissed()
        queue.update(transaction)
        apply(ending, to: transaction, at: now, into: &actions)
    }

    private mutating func confirmationsExpired(at now: Moment, into actions: inout [PanelAction]) {
        for number in queue.transactions.map(\.number) {
            guard var transaction = queue.transaction(number), let time = transaction.confirmBy, time <= now.boot else {
                continue
            }
            let ending = transaction.confirmExpired(context(at: now))
            queue.update(transaction)
            apply(ending, to: transaction, at: now, into: &actions)
            guard isLoggedIn else { return }
        }
        if let capAt = statusReport?.capAt, capAt <= now.boot { reportEnded(at: now, into: &actions) }
    }

    private mutating func choresFallDue(at now: Moment, into actions: inout [PanelAction]) {
        watchesFallDue(at: now, into: &actions)
        if let time = troublesEndAt, time <= now.boot {
            troublesEndAt = reducer.troubleLEDIsOff ? nil : now.boot + Self.troubleSilence
            if troublesEndAt == nil {
                let ended = reducer.endSilentTroubles()
                if !ended.isEmpty { actions.append(.event(writer(at: now).troublesEnded(ended))) }
            }
        }
        guard case .up = phase else { return }
        if let time = clockDueAt, time <= now.boot { scheduleClock(at: now) }
        if let time = reportDueAt, time <= now.boot, statusReport == nil {
            reportDueAt = nil
            lastWantedReportAt = now.boot
            if !queue.has(.statusReport) { _ = queue.add(.statusReport) }
        }
    }

    /// Sets the panel's clock now if ours may be believed, and again in a day, or when summer time begins or ends.
    mutating func scheduleClock(at now: Moment) {
        guard settings.setsClock else {
            clockDueAt = nil
            return
        }
        let change = settings.timeZone.nextChange(after: now.wall, within: Self.clockInterval)
        let next = change.map { $0 - now.wall + .seconds(1) } ?? Self.clockInterval
        clockDueAt = now.boot + (now.isWallTrusted ? next : .minutes(10))
        if now.isWallTrusted { setClock() }
    }
}
