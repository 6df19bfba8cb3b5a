import AlarmModel

/// The serial console: who may change something from there.
extension Appliance {
    // MARK: Requests

    mutating func requested(
        _ request: ConsoleRequest, by id: ConnectionID, at index: Int, _ now: Moment, into effects: inout [Effect]
    ) {
        switch request {
        case .begin:
            clients[index].isConsole = true
            answer(.state, id, at: now, into: &effects)
        case .state: answer(.state, id, at: now, into: &effects)
        case .lock:
            clients[index].unlockedUntil = nil
            answer(.locked, id, at: now, into: &effects)
        case .unlock(let pin):
            guard consoleLock.isReadable else { return answer(.unknownPIN, id, at: now, into: &effects) }
            guard consoleLock.pin != nil else { return answer(.noPIN, id, at: now, into: &effects) }
            begin(pin, new: nil, by: id, at: index, now, into: &effects)
        case .setPIN(let old, let new):
            guard consoleLock.isReadable else { return answer(.unknownPIN, id, at: now, into: &effects) }
            guard ConsolePIN.isAcceptable(new) else {
                let length = ConsolePIN.length
                return reply(
                    .error("a PIN has \(length.lowerBound) to \(length.upperBound) digits; nothing was changed"),
                    to: id, into: &effects)
            }
            guard journal.isGood else {
                return reply(.error("storage failed; the PIN was not changed"), to: id, into: &effects)
            }
            if consoleLock.pin != nil {
                guard let old else { return answer(.oldPINNeeded, id, at: now, into: &effects) }
                return begin(old, new: new, by: id, at: index, now, into: &effects)
            }
            guard consoleLock.work == nil else { return busy(id, into: &effects) }
            clients[index].role = .waiting
            consoleLock.makingBegan(by: id)
            effects.append(.derive(consoleLock.derivation(), .make(new)))
        }
    }

    private mutating func begin(
        _ pin: Secret, new: Secret?, by id: ConnectionID, at index: Int, _ now: Moment, into effects: inout [Effect]
    ) {
        guard consoleLock.wait(at: now.boot) == nil else { return answer(.mustWait, id, at: now, into: &effects) }
        guard consoleLock.work == nil else { return busy(id, into: &effects) }
        clients[index].role = .waiting
        consoleLock.tryBegan(by: id, new: new)
        step.writesState = true
        step.continuations.append(.checkPIN(id, pin, new: new))
    }

    private mutating func busy(_ id: ConnectionID, into effects: inout [Effect]) {
        reply(.error("another PIN is being checked; try again"), to: id, into: &effects)
    }

    private mutating func answer(
        _ answer: ConsoleReport.Answer, _ id: ConnectionID, at now: Moment, into effects: inout [Effect]
    ) {
        reply(.console(consoleReport(answer, for: id, at: now)), to: id, into: &effects)
    }

    func consoleReport(_ answer: ConsoleReport.Answer, for id: ConnectionID, at now: Moment) -> ConsoleReport {
        let until = clients.first { $0.id == id }?.unlockedUntil
        return ConsoleReport(
            answer: answer, isPINSet: consoleLock.pin != nil, isUnlocked: until.map { $0 > now.boot } ?? false,
            triesLeft: consoleLock.triesLeft, wait: consoleLock.wait(at: now.boot))
    }

    // MARK: The worker's part

    /// The try is counted on the disk, or the disk takes nothing: then it counts in memory.
    mutating func checkPIN(
        _ pin: Secret, new: Secret?, for client: ConnectionID, at now: Moment, into effects: inout [Effect]
    ) {
        guard let kept = consoleLock.pin else {
            consoleLock.tryFailed()
            return finishRequest(
                of: client, with: .console(consoleReport(.noPIN, for: client, at: now)), into: &effects)
        }
        effects.append(.derive(consoleLock.derivation(), .check(pin, against: kept)))
    }

    mutating func derived(_ id: DeriveID, _ answer: PINAnswer, at now: Moment, into effects: inout [Effect]) {
        guard let work = consoleLock.derived(id) else { return }
        switch (work.purpose, answer) {
        case (.check(let new), .matches(let isRight)):
            checked(isRight, new: new, for: work.client, at: now, into: &effects)
        case (.make, .made(let pin)):
            let isFirst = consoleLock.pin == nil
            consoleLock.set(pin)
            unlock(work.client, at: now)
            announce(
                .info, .consolePIN,
                isFirst ? "The PIN of the serial console was set." : "The PIN of the serial console was changed.",
                at: now)
            step.continuations.append(.replyConsole(work.client, .pinSet))
        case (.check, .made), (.make, .matches), (.make, .failed), (.check, .failed):
            if case .check = work.purpose { consoleLock.tryFailed() }
            let why = if case .failed(let text) = answer { text } else { "the worker answered something else" }
            finishRequest(of: work.client, with: .error("the PIN cannot be checked: \(why)"), into: &effects)
        }
    }

    private mutating func checked(
        _ isRight: Bool, new: Secret?, for client: ConnectionID, at now: Moment, into effects: inout [Effect]
    ) {
        step.writesState = true
        let verdict = consoleLock.tryChecked(isRight: isRight, at: now)
        #if SABOTAGE
            if sabotage == .wrongPINNotCounted { consoleLock.forgetTries() }
        #endif
        switch verdict {
        case .right(let untold):
            if untold > 0 { tellWrongTries(untold, "Then the right one was.", at: now) }
            if let new {
                consoleLock.makingBegan(by: client)
                return effects.append(.derive(consoleLock.derivation(), .make(new)))
            }
            unlock(client, at: now)
            step.continuations.append(.replyConsole(client, .unlocked))
        case .wrong: step.continuations.append(.replyConsole(client, .wrongPIN))
        case .lockedOut(let tries, let wait):
            let minutes = wait.components.seconds / 60
            announce(
                .fault, .consoleLocked,
                "\(tries) wrong PINs in a row at the serial console: it takes none for "
                    + "\(minutes) \(minutes == 1 ? "minute" : "minutes").", at: now)
            step.continuations.append(.replyConsole(client, .wrongPIN))
        }
    }

    private mutating func unlock(_ client: ConnectionID, at now: Moment) {
        guard let index = clients.firstIndex(where: { $0.id == client }) else { return }
        clients[index].unlockedUntil = now.boot + ConsoleLock.idleLimit
    }

    private mutating func tellWrongTries(_ count: Int, _ then: String, at now: Moment) {
        let words = count == 1 ? "A wrong PIN was" : "\(count) wrong PINs were"
        announce(.fault, .consoleDenied, "\(words) typed at the serial console. \(then)", at: now)
    }

    mutating func consoleDue(at now: Moment) {
        let count = consoleLock.takeUntold(at: now.boot)
        if count > 0 { tellWrongTries(count, "The right one was not.", at: now) }
    }

    mutating func resetConsolePIN(at now: Moment) {
        consoleLock.reset()
        announce(
            .fault, .consolePIN,
            "The PIN of the serial console was reset by a file on the card: whoever comes to the console first sets a "
                + "new one.", at: now)
    }

    // MARK: What a console may do

    /// Why a console may not ask for this now; nil when it may. Whoever is no console may.
    mutating func consoleRefusal(of request: ControlRequest, at index: Int, _ now: Moment) -> String? {
        // A pairing takes longer than a console stays open; it was unlocked when it began.
        guard clients[index].isConsole, request.changesSomething, !steersOwnPairing(request, by: clients[index].id)
        else { return nil }
        guard let until = clients[index].unlockedUntil, until > now.boot else {
            clients[index].unlockedUntil = nil
            return "the console is locked: give its PIN first"
        }
        clients[index].unlockedUntil = now.boot + ConsoleLock.idleLimit
        return nil
    }

    /// The digits of a pairing come over the connection that hears of it.
    func steersOwnPairing(_ request: ControlRequest, by id: ConnectionID) -> Bool {
        guard case .phones(let request) = request,
            [hall.pairing?.client, hall.contactPairing?.client, hall.enrolment?.client].contains(id)
        else { return false }
        switch request {
        case .confirm, .cancelPairing: return true
        case .list, .pair, .pairContact, .codes, .codesOff, .allow, .rename, .role, .revoke, .lift, .test, .approve,
            .disapprove, .dead, .seen:
            return false
        }
    }
}

extension ControlRequest {
    /// Whether it is more than looking. To show a pairing code is more.
    var changesSomething: Bool {
        switch self {
        case .status, .events, .panel, .trace, .console: false
        case .command, .reboot, .update: true
        // Probes cost something on a metered link.
        case .links(let isTest): isTest
        case .maintenance(let on): on != nil
        case .people(let request):
            switch request {
            case .list: false
            case .add, .rename, .remove, .set: true
            }
        case .phones(let request):
            switch request {
            case .list, .dead: false
            case .pair, .pairContact, .codes, .codesOff, .allow, .confirm, .cancelPairing, .rename, .role, .revoke,
                .lift, .test, .approve, .disapprove, .seen:
                true
            }
        }
    }
}
