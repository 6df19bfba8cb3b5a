import AlarmModel

extension ModemSession {
    /// Does all that is due, orders the next step, and tells what changed.
    mutating func advance(at now: Moment, into actions: inout [ModemAction]) {
        let boot = now.boot
        handled = max(handled, boot)
        if let pending, boot >= pending.deadline { failed(pending.task, ModemFailure(.timedOut), at: boot) }
        followProgress(at: boot)
        if let retryAt, boot >= retryAt { self.retryAt = nil }
        // Another data connection is tried before a reset that a call has put off until the same moment.
        if pending == nil, let due = reconnectDue, boot >= due { reconnect(at: boot, into: &actions) }
        if pending == nil, let due = resetDue, boot >= due { reset(at: boot, into: &actions) }
        if pending == nil, retryAt == nil, isServiceThere { nextStep(at: boot, into: &actions) }
        tell(into: &actions)
    }

    mutating func give(
        _ order: ModemOrder, within span: Duration, at now: BootTime, into actions: inout [ModemAction]
    ) {
        if let task = order.task {
            pending = Pending(task: task, deadline: now + span)
            if case .unlock(let pin) = order { pending?.pin = pin }
        }
        actions.append(.order(order))
    }

    private mutating func nextStep(at now: BootTime, into actions: inout [ModemAction]) {
        guard let status else { return give(.find, within: .seconds(30), at: now, into: &actions) }
        if status.lock.holdsBack { return unlock(status, at: now, into: &actions) }
        switch status.phase {
        case .disabled: give(.enable, within: .seconds(90), at: now, into: &actions)
        case .enabled, .searching, .registered, .connected:
            if !isDataWanted {
                if status.bearer != nil { give(.disconnect, within: .seconds(60), at: now, into: &actions) }
            } else if status.bearer != nil {
                // It was configured anew since, perhaps while it was connecting.
                if let dialed, dialed != settings.subscription {
                    give(.disconnect, within: .seconds(60), at: now, into: &actions)
                }
            } else if status.registration.allowsData, !isRoamingInVain {
                dialed = settings.subscription
                give(.connect(settings.subscription), within: .minutes(3), at: now, into: &actions)
            }
        case .unknown, .starting, .locked, .disabling, .enabling, .disconnecting, .connecting, .noSIM, .broken: break
        }
    }

    private mutating func unlock(_ status: ModemStatus, at now: BootTime, into actions: inout [ModemAction]) {
        guard status.lock == .pin, let pin = settings.pin, !isPINRefused else { return }
        if let left = status.triesLeft {
            guard left > 1 else { return }
        } else if let lockedSince, now < lockedSince + Self.countPatience {
            return
        }
        if let before = pinTry {
            // An answer that says neither yes nor no: only an unchanged count proves that the try was not spent.
            guard let left = before.triesLeft, left == status.triesLeft, pinTries < 3 else {
                isPINRefused = true
                failure = nil
                return
            }
        }
        pinTry = PINTry(triesLeft: status.triesLeft)
        pinTries += 1
        give(.unlock(pin: pin), within: .seconds(60), at: now, into: &actions)
    }

    private mutating func reset(at now: BootTime, into actions: inout [ModemAction]) {
        resets.removeAll { $0 + .hours(24) <= now }
        resets.append(now)
        patience = min(patience * 2, Self.longestPatience)
        rung = 0
        stuckSince = now
        retryAt = nil
        give(.reset, within: .seconds(60), at: now, into: &actions)
    }

    /// Ends the data connection that carries nothing; the next step makes another.
    private mutating func reconnect(at now: BootTime, into actions: inout [ModemAction]) {
        wasReconnected = true
        // The new connection gets the whole patience before the modem is reset.
        stuckSince = now
        retryAt = nil
        give(.disconnect, within: .seconds(60), at: now, into: &actions)
    }

    /// Time at which a data connection that carries nothing is made anew; nil while none has to be.
    var reconnectDue: BootTime? {
        guard isDataWanted, !wasReconnected, status?.bearer != nil, let silentSince else { return nil }
        return max(silentSince + Self.silencePatience, callsUntil)
    }

    var isRoamingInVain: Bool { status?.registration == .roaming && !settings.subscription.allowsRoaming }

    // MARK: Progress

    /// How far up the modem is, 1 to 5; 5 is connected.
    private func height(_ status: ModemStatus) -> Int {
        if status.bearer != nil { return 5 }
        if status.registration.allowsTexts { return 4 }
        if status.phase.isEnabled { return 3 }
        return status.lock.holdsBack ? 1 : 2
    }

    mutating func restartProgress() {
        rung = 0
        stuckSince = nil
        goalSince = nil
    }

    private mutating func followProgress(at now: BootTime) {
        guard let status, problem?.needsPerson != true else { return restartProgress() }
        let height = height(status)
        if height >= (isDataWanted ? 5 : 4), silentSince == nil {
            let since = goalSince ?? now
            goalSince = since
            if now >= since + Self.firstPatience { patience = Self.firstPatience }
            if now >= since + Self.goodStand { pause = Self.firstPause }
            rung = 0
            stuckSince = nil
        } else {
            if let since = goalSince, now >= since + Self.firstPatience { patience = Self.firstPatience }
            goalSince = nil
            if stuckSince == nil || height > rung {
                rung = height
                stuckSince = now
            }
        }
    }

    /// When the modem is to be reset if nothing gets better.
    var resetDue: BootTime? {
        guard status != nil, let stuckSince else { return nil }
        let due = max(stuckSince + patience, callsUntil)
        let recent = resets.filter { $0 + .hours(24) > due }
        guard recent.count >= Self.resetsPerDay, let oldest = recent.dropLast(Self.resetsPerDay - 1).last else {
            return due
        }
        return oldest + .hours(24)
    }

    // MARK: What is told

    var graceEnd: BootTime? {
        if status == nil { return absentSince + Self.grace }
        return stuckSince.map { $0 + Self.grace }
    }

    var problem: ModemProblem? {
        let isPatienceOver = graceEnd.map { handled >= $0 } ?? false
        guard let status else {
            guard isPatienceOver else { return nil }
            return isServiceThere ? (failure ?? .noModem) : .noService
        }
        switch status.lock {
        case .pin:
            guard settings.pin != nil else { return .pinMissing }
            if isPINRefused { return .pinRefused(triesLeft: status.triesLeft) }
            if let left = status.triesLeft, left <= 1 { return .lastTry }
            return failure
        case .puk: return .pukNeeded
        case .other: return .modemLocked
        case .unknown, .none: break
        }
        if status.phase == .noSIM { return .noSIM }
        if status.phase == .broken { return .broken }
        if isDataWanted, status.bearer == nil, isRoamingInVain { return .roamingNotAllowed }
        if let failure { return failure }
        switch status.registration {
        case .denied: return .denied
        case .emergencyOnly: return .emergencyOnly
        case .unknown, .idle, .searching: return isPatienceOver && stuckSince != nil ? .noNetwork : nil
        case .home, .roaming, .textsOnly: return nil
        }
    }

    var step: ModemReport.Step {
        guard let status else { return pending?.task == .reset ? .resetting : .absent }
        if pending?.task == .reset { return .resetting }
        if problem?.needsPerson == true { return .waitingForPerson }
        if status.lock.holdsBack { return .unlocking }
        if status.bearer != nil { return isDataWanted ? .connected : .disconnecting }
        guard status.phase.isEnabled else { return .starting }
        guard status.registration.allowsTexts else { return .registering }
        return isDataWanted ? .connecting : .idle
    }

    private mutating func tell(into actions: inout [ModemAction]) {
        if told.bearer != status?.bearer {
            told.bearer = status?.bearer
            actions.append(.bearer(told.bearer))
        }
        // A modem that is gone for its reset, or tries again, is not well yet.
        if let problem, told.problem?.isLike(problem) != true {
            told.problem = problem
            actions.append(.problem(problem))
        } else if problem == nil, told.problem != nil, goalSince != nil {
            told.problem = nil
            actions.append(.problem(nil))
        }
        let isReady = status?.canText ?? false
        if told.textsReady != isReady {
            told.textsReady = isReady
            actions.append(.textsReady(isReady))
        }
        if told.isPINRefused != isPINRefused {
            told.isPINRefused = isPINRefused
            actions.append(.pinRefused(isPINRefused))
        }
    }
}
