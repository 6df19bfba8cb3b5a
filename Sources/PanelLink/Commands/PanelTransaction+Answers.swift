import AlarmModel

extension PanelTransaction {
    /// 500 for the command in flight.
    mutating func acknowledged(_ context: TransactionContext) -> Ending? {
        // The key that wakes a keypad is not the order yet.
        if wake != .waking { isTaken = true }
        guard case .inFlight(let command) = stage else { return nil }
        stage = .confirming
        if let parting { return .outcome(parting) }
        if wake == .waking {
            wake = .used
            guard let order, let again = Self.command(for: order) else { return .outcome(.notConfirmed) }
            stage = .ready(again)
            notBefore = context.now.boot + .seconds(1)
            return nil
        }
        if let code = codeToSend {
            codeToSend = nil
            stage = .ready(.sendCode(code))
            confirmBy = nil
            return nil
        }
        switch order?.command {
        case .keys(let partition, _, _):
            guard case .keys = command, !keysLeft.isEmpty else { return .outcome(.done) }
            stage = .ready(.keys(partition: partition, keys: keysLeft.removeFirst()))
        case .setClock: return .outcome(.done)
        case .bypass(let zone, _): bypassAcknowledged(command, zone: zone, context)
        case .arm, .disarm, .silence, .panic, .output, .chime, .smokeReset, .refresh, .timers: break
        case nil:
            if purpose == .clock || purpose == .temperatures { return .outcome(.done) }
        }
        return nil
    }

    /// No answer came to the command in flight. What changes something is not sent again: it may have happened.
    mutating func answerMissed() -> Ending? {
        guard case .inFlight(let command) = stage else { return nil }
        if let parting { return .outcome(parting) }
        if isRead || purpose == .clock {
            guard retriesLeft > 0 else { return .outcome(.notConfirmed) }
            retriesLeft -= 1
            stage = .ready(command)
            confirmBy = nil
            return nil
        }
        guard confirmBy != nil else { return .outcome(.notConfirmed) }
        stage = .confirming
        return nil
    }

    /// No line confirmed it in time.
    mutating func confirmExpired(_ context: TransactionContext) -> Ending? {
        confirmBy = nil
        switch order?.command {
        case .disarm, .silence: return .rebuild(.notConfirmed)
        case .bypass(let zone, _):
            if bypassEntry == .opening {
                typeWithoutCode(zone: zone, context)
                return nil
            }
            if bypass == .toggling, stage == .confirming {
                listBypassAgain(zone: zone, context)
                return nil
            }
            if togglesLeft == 2 {
                return .outcome(
                    .failed(.badRequest("the panel did not list its bypassed zones; nothing was changed")))
            }
            return .outcome(.notConfirmed)
        case .arm, .panic, .output, .chime, .smokeReset, .setClock, .keys, .refresh, .timers, nil:
            return .outcome(.notConfirmed)
        }
    }

    /// 900, 921 or 922 came while this transaction is the one that may have been asked.
    ///
    /// - Returns: an ending when the code cannot be given
    mutating func codeRequested(_ kind: DSCMessage.CodeKind, _ context: TransactionContext) -> Ending? {
        // 921 and 922 answer *5 and *8 of somebody at a keypad: no command of ours is asked for these codes.
        guard kind == .user else { return nil }
        // The key that wakes a blanked keypad can raise 900 on an armed panel: the code is not spent on that.
        guard wake != .waking, parting == nil, !codeWasSent, let order else { return nil }
        switch stage {
        case .waiting, .ready: return nil
        case .inFlight, .confirming: break
        }
        switch order.command {
        case .bypass(let zone, _):
            return codeRequestedForBypass(zone: zone, context)
        case .arm: guard context.settings.codeOnRequest == .always else { return .outcome(.failed(.codeWithheld)) }
        case .output: guard context.settings.codeOnRequest != .never else { return .outcome(.failed(.codeWithheld)) }
        case .disarm, .silence, .panic, .chime, .smokeReset, .setClock, .keys, .refresh, .timers: return nil
        }
        if context.isLockedOut { return .outcome(.failed(.lockedOut)) }
        guard let code = order.code ?? context.settings.masterCode else { return .outcome(.failed(.noCode)) }
        guard TPICommand.sendCode(code).fault == nil else { return .outcome(.failed(.wrongCode)) }
        codeWasSent = true
        confirmBy = nil
        if case .inFlight = stage {
            codeToSend = code
        } else {
            stage = .ready(.sendCode(code))
        }
        return nil
    }
}
