package import AlarmModel

extension Session {
    /// Takes an order; its `outcome` follows, at once or later, exactly once.
    package mutating func submit(_ order: PanelOrder, at now: Moment, into actions: inout [PanelAction]) {
        if case .stopped = phase {
            actions.append(.outcome(order.id, .refused(.stopping)))
        } else if order.deadline <= now.boot {
            actions.append(.outcome(order.id, .expired))
        } else if let fault = PanelTransaction.fault(of: order, settings: settings) {
            actions.append(.outcome(order.id, fault))
        } else if let refusal = immediateEnding(order, at: now) {
            actions.append(.outcome(order.id, refusal))
        } else if queue.waitingOrders >= CommandQueue.capacity {
            actions.append(.outcome(order.id, .refused(.queueFull)))
        } else {
            overtakeArms(by: order, at: now, into: &actions)
            _ = queue.add(.order(order))
        }
        pump(at: now, into: &actions)
    }

    /// A disarm leaves before an arm that was ordered earlier; the house must not end armed behind whoever disarmed.
    private mutating func overtakeArms(by order: PanelOrder, at now: Moment, into actions: inout [PanelAction]) {
        switch order.command {
        case .disarm(let partition), .silence(let partition):
            for number in queue.transactions.map(\.number) {
                guard var transaction = queue.transaction(number),
                    case .arm(partition, _, _) = transaction.order?.command
                else { continue }
                let ending = transaction.overtaken()
                queue.update(transaction)
                apply(ending, to: transaction, at: now, into: &actions)
            }
        case .arm, .bypass, .panic, .output, .chime, .smokeReset, .setClock, .keys, .refresh, .timers: break
        }
    }

    /// What the state alone decides, while it is current; a person need not wait for that.
    private func immediateEnding(_ order: PanelOrder, at now: Moment) -> Outcome? {
        guard case .up = phase else { return nil }
        var trial = PanelTransaction(number: 0, purpose: .order(order))
        switch trial.begin(context(at: now)) {
        case .outcome(let outcome), .rebuild(let outcome): return outcome
        case nil: return nil
        }
    }

    /// Sends what may be sent.
    mutating func pump(at now: Moment, into actions: inout [PanelAction]) {
        while isLoggedIn, let owner = queue.next(gate, settings: settings, at: now.boot) {
            switch owner {
            case .poll:
                if gate.wantsClosingPoll { statusReport?.closingPollIsOut = true }
                launch(.poll, by: .poll, at: now, into: &actions)
            case .transaction(let number): advance(number, at: now, into: &actions)
            }
        }
    }

    var gate: CommandQueue.Gate {
        var gate = CommandQueue.Gate()
        if case .resynchronising = phase { gate.isResynchronising = true }
        gate.isReportRunning = statusReport != nil
        gate.wantsClosingPoll = statusReport?.wantsClosingPoll ?? false
        return gate
    }

    private mutating func advance(_ number: UInt64, at now: Moment, into actions: inout [PanelAction]) {
        guard var transaction = queue.transaction(number) else { return }
        if transaction.isOvertaken {
            apply(transaction.overtakenEnding, to: transaction, at: now, into: &actions)
            return
        }
        let context = context(at: now)
        guard case .ready(let command) = transaction.stage else {
            let ending = transaction.begin(context)
            precondition(ending != nil || !transaction.isWaiting, "a transaction that began has a command to send")
            queue.update(transaction)
            apply(ending, to: transaction, at: now, into: &actions)
            return
        }
        transaction.sent(command, context: context)
        queue.update(transaction)
        if case .order(let order) = transaction.purpose, PanelTransaction.command(for: order) == command {
            intend(order)
        }
        if command == .status { statusReport = StatusReport(transaction: number) }
        launch(command, by: .transaction(number), at: now, into: &actions)
    }

    /// 656 carries no mode: what we asked for stands until 652 settles it.
    private mutating func intend(_ order: PanelOrder) {
        guard case .arm(let partition, let mode, _) = order.command else { return }
        switch mode {
        case .away: reducer.setIntent(.away, partition: partition)
        case .stay: reducer.setIntent(.stay, partition: partition)
        case .zeroEntry: reducer.setIntent(nil, partition: partition)
        }
    }

    private mutating func launch(
        _ command: TPICommand, by owner: CommandQueue.Owner, at now: Moment, into actions: inout [PanelAction]
    ) {
        queue.sent(command, by: owner, at: now.boot, answerWithin: settings.answerDeadline)
        transmit(command, into: &actions)
    }

    /// The only place where a secret leaves, as bytes for the wire.
    mutating func transmit(_ command: TPICommand, into actions: inout [PanelAction]) {
        let bytes = command.bytes
        counters.linesSent &+= 1
        counters.bytesSent &+= UInt64(bytes.count)
        actions.append(.send(bytes))
        if isTraced { actions.append(.trace(TraceLine(.toPanel, command.redacted))) }
    }

    mutating func apply(
        _ ending: PanelTransaction.Ending?, to transaction: PanelTransaction, at now: Moment,
        into actions: inout [PanelAction]
    ) {
        switch ending {
        case nil: break
        case .outcome(let outcome):
            conclude(transaction, outcome, at: now, into: &actions)
            // A report that the module refuses is over too; what was not told stays stale.
            if transaction.isReport, statusReport?.transaction == transaction.number {
                reportEnded(at: now, into: &actions)
            }
            // What it would have told may differ from what counts as known.
            if transaction.purpose == .statusReport, outcome != .done { wantReport(at: now) }
        case .rebuild(let outcome):
            conclude(transaction, outcome, at: now, into: &actions)
            lose(.unconfirmed, closing: true, at: now, into: &actions)
        }
    }

    mutating func conclude(
        _ transaction: PanelTransaction, _ outcome: Outcome, at now: Moment, into actions: inout [PanelAction]
    ) {
        queue.end(transaction, outcome, at: now.boot)
        guard let order = transaction.order else { return }
        if case .arm(let number, _, _) = order.command, outcome != .done { reducer.setIntent(nil, partition: number) }
        actions.append(.outcome(order.id, outcome))
    }
}
