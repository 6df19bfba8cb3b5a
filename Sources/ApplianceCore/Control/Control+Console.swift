import AlarmModel

/// The serial console: who may change something from there.
extension Control {
    // MARK: Requests

    mutating func requested(
        _ request: ConsoleRequest, by id: ConnectionID, at index: Int, _ step: inout Step
    ) {
        switch request {
        case .begin:
            step.clients[index].isConsole = true
            answer(.state, id, &step)
        case .state: answer(.state, id, &step)
        case .lock:
            step.clients[index].unlockedUntil = nil
            answer(.locked, id, &step)
        case .unlock(let pin):
            guard consoleLock.isReadable else { return answer(.unknownPIN, id, &step) }
            guard consoleLock.pin != nil else { return answer(.noPIN, id, &step) }
            begin(pin, new: nil, by: id, at: index, &step)
        case .setPIN(let old, let new):
            guard consoleLock.isReadable else { return answer(.unknownPIN, id, &step) }
            guard ConsolePIN.isAcceptable(new) else {
                let length = ConsolePIN.length
                return step.reply(
                    .error("a PIN has \(length.lowerBound) to \(length.upperBound) digits; nothing was changed"),
                    to: id)
            }
            guard step.isStoreGood else {
                return step.reply(.error("storage failed; the PIN was not changed"), to: id)
            }
            if consoleLock.pin != nil {
                guard let old else { return answer(.oldPINNeeded, id, &step) }
                return begin(old, new: new, by: id, at: index, &step)
            }
            guard consoleLock.work == nil else { return busy(id, &step) }
            step.clients[index].role = .waiting
            consoleLock.makingBegan(by: id)
            step.effects.append(.derive(consoleLock.derivation(), .make(new)))
        }
    }

    private mutating func begin(
        _ pin: Secret, new: Secret?, by id: ConnectionID, at index: Int, _ step: inout Step
    ) {
        guard consoleLock.wait(at: step.now.boot) == nil else { return answer(.mustWait, id, &step) }
        guard consoleLock.work == nil else { return busy(id, &step) }
        step.clients[index].role = .waiting
        consoleLock.tryBegan(by: id, new: new)
        step.writes.writesState = true
        step.wait(.checkPIN(id, pin, new: new))
    }

    private mutating func busy(_ id: ConnectionID, _ step: inout Step) {
        step.reply(.error("another PIN is being checked; try again"), to: id)
    }

    private mutating func answer(
        _ answer: ConsoleReport.Answer, _ id: ConnectionID, _ step: inout Step
    ) {
        step.reply(.console(consoleReport(answer, for: id, step)), to: id)
    }

    func consoleReport(_ answer: ConsoleReport.Answer, for id: ConnectionID, _ step: Step) -> ConsoleReport {
        let now = step.now
        let until = step.clients.first { $0.id == id }?.unlockedUntil
        return ConsoleReport(
            answer: answer, isPINSet: consoleLock.pin != nil, isUnlocked: until.map { $0 > now.boot } ?? false,
            triesLeft: consoleLock.triesLeft, wait: consoleLock.wait(at: now.boot))
    }

    // MARK: The worker's part

    /// The try is counted on the disk, or the disk takes nothing: then it counts in memory.
    mutating func checkPIN(
        _ pin: Secret, new: Secret?, for client: ConnectionID, _ step: inout Step
    ) {
        guard let kept = consoleLock.pin else {
            consoleLock.tryFailed()
            return step.finishRequest(
                of: client, with: .console(consoleReport(.noPIN, for: client, step)))
        }
        step.effects.append(.derive(consoleLock.derivation(), .check(pin, against: kept)))
    }

    mutating func derived(_ id: DeriveID, _ answer: PINAnswer, _ step: inout Step) {
        guard let work = consoleLock.derived(id) else { return }
        switch (work.purpose, answer) {
        case (.check(let new), .matches(let isRight)):
            checked(isRight, new: new, for: work.client, &step)
        case (.make, .made(let pin)):
            let isFirst = consoleLock.pin == nil
            consoleLock.set(pin)
            unlock(work.client, &step)
            step.announce(
                .info, .consolePIN,
                isFirst ? "The PIN of the serial console was set." : "The PIN of the serial console was changed.")
            step.wait(.replyConsole(work.client, .pinSet))
        case (.check, .made), (.make, .matches), (.make, .failed), (.check, .failed):
            if case .check = work.purpose { consoleLock.tryFailed() }
            let why = if case .failed(let text) = answer { text } else { "the worker answered something else" }
            step.finishRequest(of: work.client, with: .error("the PIN cannot be checked: \(why)"))
        }
    }

    private mutating func checked(
        _ isRight: Bool, new: Secret?, for client: ConnectionID, _ step: inout Step
    ) {
        step.writes.writesState = true
        let verdict = consoleLock.tryChecked(isRight: isRight, at: step.now)
        #if SABOTAGE
            if step.sabotage == .wrongPINNotCounted { consoleLock.forgetTries() }
        #endif
        switch verdict {
        case .right(let untold):
            if untold > 0 { tellWrongTries(untold, "Then the right one was.", &step) }
            if let new {
                consoleLock.makingBegan(by: client)
                return step.effects.append(.derive(consoleLock.derivation(), .make(new)))
            }
            unlock(client, &step)
            step.wait(.replyConsole(client, .unlocked))
        case .wrong: step.wait(.replyConsole(client, .wrongPIN))
        case .lockedOut(let tries, let wait):
            step.announce(
                .fault, .consoleLocked,
                "\(tries) wrong PINs in a row at the serial console: it takes none for \(wait.words).")
            step.wait(.replyConsole(client, .wrongPIN))
        }
    }

    private mutating func unlock(_ client: ConnectionID, _ step: inout Step) {
        guard let index = step.clients.firstIndex(where: { $0.id == client }) else { return }
        step.clients[index].unlockedUntil = step.now.boot + ConsoleLock.idleLimit
    }

    private mutating func tellWrongTries(_ count: Int, _ then: String, _ step: inout Step) {
        let words = count == 1 ? "A wrong PIN was" : "\(count) wrong PINs were"
        step.announce(.fault, .consoleDenied, "\(words) typed at the serial console. \(then)")
    }

    mutating func consoleDue(_ step: inout Step) {
        let count = consoleLock.takeUntold(at: step.now.boot)
        if count > 0 { tellWrongTries(count, "The right one was not.", &step) }
    }

    /// What the shell found on the card becomes an event.
    mutating func found(_ finding: StartFinding, _ step: inout Step) {
        guard finding == .consolePINReset else { return step.note(finding) }
        consoleLock.reset()
        step.announce(
            .fault, .consolePIN,
            "The PIN of the serial console was reset by a file on the card: whoever comes to the console first sets a "
                + "new one.")
    }

    // MARK: What a console may do

    /// Why a console may not ask for this now; nil when it may. Whoever is no console may.
    mutating func consoleRefusal(
        of request: ControlRequest, at index: Int, steersPairing: Bool, _ step: inout Step
    ) -> String? {
        // A pairing takes longer than a console stays open; it was unlocked when it began.
        guard step.clients[index].isConsole, request.changesSomething, !steersPairing
        else { return nil }
        guard let until = step.clients[index].unlockedUntil, until > step.now.boot else {
            step.clients[index].unlockedUntil = nil
            return "the console is locked: give its PIN first"
        }
        step.clients[index].unlockedUntil = step.now.boot + ConsoleLock.idleLimit
        return nil
    }
}

extension ControlRequest {
    /// Whether it is more than looking. To show a pairing code is more.
    var changesSomething: Bool {
        switch self {
        case .status, .events, .panel, .trace, .console: false
        case .command, .reboot, .update, .updates, .forgetPictures, .stick: true
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
                .lift, .test, .testAlarm, .approve, .disapprove, .seen:
                true
            }
        }
    }
}
