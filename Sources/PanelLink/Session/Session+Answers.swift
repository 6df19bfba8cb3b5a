import AlarmModel

extension Session {
    /// 500
    mutating func acknowledged(_ command: Int, at now: Moment, into actions: inout [PanelAction]) {
        // The answer to 005 is 505; the acknowledgement may come or not.
        if command == 5 { return }
        guard let flight = queue.flight, flight.command.number == command else {
            counters.unexpectedAck &+= 1
            return
        }
        lateErrors.acknowledged(flight.command, at: now.boot)
        bus.acknowledged(flight.command, at: now.boot)
        _ = queue.answered(at: now.boot)
        latency.note(now.boot - flight.sentAt)
        switch flight.owner {
        case .poll:
            if statusReport?.closingPollIsOut ?? false { reportEnded(at: now, into: &actions) }
        case .transaction(let number):
            guard var transaction = queue.transaction(number) else { return }
            if statusReport?.transaction == number { statusReport?.acknowledged(cap: now.boot + settings.statusCap) }
            let ending = transaction.acknowledged(context(at: now))
            queue.update(transaction)
            apply(ending, to: transaction, at: now, into: &actions)
        }
    }

    /// 501
    mutating func commandRejected(at now: Moment, into actions: inout [PanelAction]) {
        counters.commandErrors &+= 1
        guard let flight = queue.answered(at: now.boot) else { return }
        answerFailed(flight, at: now, into: &actions) { $0.rejected($1) }
    }

    /// 502: belongs to the command in flight, else to the last one that still waits for its confirmation.
    mutating func commandRefused(_ error: Int, at now: Moment, into actions: inout [PanelAction]) {
        counters.systemErrors &+= 1
        guard isLoggedIn else { return }
        let systemError = SystemError(error)
        bus.refused(error: error)
        switch systemError.rule {
        case .ignore: return
        case .keybusDown: keybusLost(at: now, into: &actions)
        case .lockedOut: lockedOutUntil = now.boot + settings.lockoutPause
        case .retryDoubling, .retryOnceForReads, .retryTwiceAfterOneSecond, .report, .installerMode, .notArmed,
            .notReady:
            break
        }
        if systemError.mayHaveLostEvents { wantReport(at: now) }
        if queue.flight != nil, lateErrors.holds(error, at: now.boot) { return }
        if let flight = queue.answered(at: now.boot) {
            answerFailed(flight, at: now, into: &actions) { $0.refused(error: error, $1) }
        } else if var transaction = queue.transactions.last(where: { $0.stage == .confirming && !$0.isRead }) {
            let ending = transaction.refused(error: error, context(at: now))
            queue.update(transaction)
            apply(ending, to: transaction, at: now, into: &actions)
        }
    }

    mutating func answerFailed(
        _ flight: CommandQueue.Flight, at now: Moment, into actions: inout [PanelAction],
        _ tell: (inout PanelTransaction, TransactionContext) -> PanelTransaction.Ending?
    ) {
        switch flight.owner {
        case .poll:
            statusReport?.closingPollIsOut = false
            queue.delayPoll(until: now.boot + .seconds(1))
        case .transaction(let number):
            guard var transaction = queue.transaction(number) else { return }
            let ending = tell(&transaction, context(at: now))
            if case .ready = transaction.stage, ending == nil { counters.retries &+= 1 }
            queue.update(transaction)
            apply(ending, to: transaction, at: now, into: &actions)
        }
    }

    private mutating func keybusLost(at now: Moment, into actions: inout [PanelAction]) {
        guard state.system[.keybus] != .known(.trouble) else { return }
        reducer.setKeybus(.trouble)
        gaps.keybusLost(state, at: now)
        bus.busLost(at: now.boot)
        let message =
            "The EnvisaLink module cannot reach the panel (keybus down); check its wiring and the panel's power"
        actions.append(.event(writer(at: now).event(.keybusLost, .fault, message)))
        wantReport(at: now)
    }
}
