package import AlarmModel

extension ModemSession {
    /// Something was heard of the modem. Texts and calls are not this machine's.
    package mutating func heard(_ fact: ModemFact, at now: Moment, into actions: inout [ModemAction]) {
        switch fact {
        case .service(let isThere):
            if isThere, !isServiceThere { retryAt = nil }
            isServiceThere = isThere
            if !isThere { take(nil, at: now.boot) }
        case .modem(let status):
            isServiceThere = true
            take(status, at: now.boot)
        case .done(let task): done(task, at: now.boot)
        case .failed(let task, let failure): failed(task, failure, at: now.boot)
        case .textSent, .textFailed, .textReceived, .call: return
        }
        advance(at: now, into: &actions)
    }

    private mutating func take(_ new: ModemStatus?, at now: BootTime) {
        let old = status
        status = new
        if new == nil, old != nil {
            absentSince = now
            // Whatever it was told, it has forgotten; a PIN that it was told may still have cost a try.
            pending = nil
            retryAt = nil
            failure = nil
            restartProgress()
        }
        if new != nil, old == nil {
            retryAt = nil
            restartProgress()
        }
        if new?.lock == .pin { lockedSince = lockedSince ?? now } else { lockedSince = nil }
        if new?.bearer != nil {
            bearerSince = bearerSince ?? now
            failure = nil
        } else if let since = bearerSince {
            bearerSince = nil
            if new != nil, isDataWanted { dropped(after: now - since, at: now) }
        }
        if let new, Self.isOpen(new) {
            pinTry = nil
            pinTries = 0
        }
    }

    /// The SIM is open: the PIN that it was told last was right, whatever becomes of the modem before its radio is on.
    private static func isOpen(_ status: ModemStatus) -> Bool {
        switch status.phase {
        case .enabled, .searching, .registered, .disconnecting, .connecting, .connected: !status.lock.holdsBack
        case .disabled, .disabling, .enabling: status.lock == ModemLock.none
        case .unknown, .starting, .locked, .noSIM, .broken: false
        }
    }

    private mutating func dropped(after stand: Duration, at now: BootTime) {
        guard stand < Self.goodStand else {
            pause = Self.firstPause
            return
        }
        backOff(at: now)
    }

    mutating func backOff(at now: BootTime) {
        retryAt = now + pause
        pause = min(pause * 2, Self.longestPause)
    }

    private mutating func done(_ task: ModemTask, at now: BootTime) {
        guard pending?.task == task else { return }
        pending = nil
        switch task {
        case .find:
            failure = nil
            if status == nil { retryAt = now + Self.searchPause }
        case .unlock:
            failure = nil
            retryAt = now + .seconds(15)
        case .enable, .connect, .disconnect: failure = nil
        case .reset:
            failure = nil
            // It goes away in a moment; what it is told until then would be lost.
            retryAt = now + .seconds(10)
        }
        // The status follows in a moment; until then nothing new is ordered on what is known to be old.
        if retryAt == nil { retryAt = now + .seconds(2) }
    }

    /// That no data connection came about is no trouble while none is wanted.
    mutating func forgetFailedConnect() {
        if case .failed(.connect, _)? = failure { failure = nil }
    }

    mutating func failed(_ task: ModemTask, _ why: ModemFailure, at now: BootTime) {
        guard let pending, pending.task == task else { return }
        self.pending = nil
        failure = why.kind == .notAllowed ? .notAllowed : .failed(task, why)
        switch task {
        case .find:
            // The modem that is not found says it all.
            if failure != .notAllowed { failure = nil }
            retryAt = now + Self.searchPause
        case .unlock:
            switch why.kind {
            case .wrongPIN where pending.pin != settings.pin:
                // It was corrected meanwhile; how many tries are left is told in a moment.
                failure = nil
                retryAt = now + .seconds(15)
            case .wrongPIN:
                isPINRefused = true
                failure = nil
            case .noModem, .notAllowed:
                // The PIN never got as far as the SIM.
                pinTry = nil
                retryAt = now + Self.longestPause
            case .timedOut, .other: retryAt = now + .seconds(30)
            }
        case .connect:
            if !isDataWanted { forgetFailedConnect() }
            backOff(at: now)
        case .enable, .disconnect: backOff(at: now)
        case .reset: retryAt = now + .seconds(10)
        }
    }
}
