import AlarmModel

extension PanelTransaction {
    /// 502 for this transaction's command (docs/envisalink.md 1.4).
    ///
    /// - Returns: an ending, or nil when it goes on or tries again
    mutating func refused(error: Int, _ context: TransactionContext) -> Ending? {
        let command: TPICommand?
        switch stage {
        case .inFlight(let sent): command = sent
        case .confirming, .ready, .waiting: command = nil
        }
        if let parting { return .outcome(parting) }
        switch SystemError(error).rule {
        case .ignore: return nil
        case .retryDoubling:
            guard let command, overrunsLeft > 0 else { return report(error) }
            overrunsLeft -= 1
            retry(command, after: overrunDelay, context)
            overrunDelay = min(overrunDelay * 2, .seconds(5))
            return nil
        case .retryOnceForReads:
            guard let command, isRead, retriesLeft > 0 else { return report(error) }
            retriesLeft -= 1
            retry(command, after: .seconds(1), context)
            return nil
        case .retryTwiceAfterOneSecond:
            guard let command, busyRetriesLeft > 0 else { return .outcome(.failed(.partitionBusy)) }
            busyRetriesLeft -= 1
            retry(command, after: .seconds(1), context)
            return nil
        case .keybusDown: return .outcome(.failed(.keybusDown))
        case .lockedOut: return .outcome(.failed(.lockedOut))
        case .installerMode: return .outcome(.failed(.installerMode))
        case .notArmed: return notArmed(command, context)
        case .notReady: return notReady(context)
        case .report: return report(error)
        }
    }

    /// 023 to a disarm. "Already so" only if nothing says otherwise: an arm command that has left may take effect behind the
    /// answer, and an alarm of a partition that is not armed goes on.
    private mutating func notArmed(_ command: TPICommand?, _ context: TransactionContext) -> Ending? {
        switch order?.command {
        case .disarm(let partition), .silence(let partition):
            // A status from before a lost session says armed until the report that is under way tells otherwise, but it does
            // not say disarmed: somebody may have armed meanwhile.
            let isKnown = context.status(of: partition) != nil
            let last = context.state.partition(partition)?.status.last
            let isArming = context.armsUnderWay.contains(partition) || last?.isArmedOrArming ?? false
            let mayArm = isArming || !isKnown || context.armsUnconfirmed.contains(partition)
            if mayArm, notArmedRetriesLeft > 0, let again = command ?? disarmCommand(context) {
                notArmedRetriesLeft -= 1
                retry(again, after: .seconds(1), context)
                return nil
            }
            if isArming || context.isInAlarm(partition) { return .outcome(.failed(.panelRefused(error: 23))) }
            return .outcome(isKnown ? .done : .notConfirmed)
        case .arm, .bypass, .panic, .output, .chime, .smokeReset, .setClock, .keys, .refresh, .timers, nil:
            return report(23)
        }
    }

    private func disarmCommand(_ context: TransactionContext) -> TPICommand? {
        guard let order, let partition = order.command.partition, let code = order.code ?? context.settings.masterCode
        else { return nil }
        return .disarm(partition: partition, code: code)
    }

    private mutating func report(_ error: Int) -> Ending? {
        switch error {
        case 21:
            return .outcome(.failed(order?.command.partition.map { .unknownPartition($0) } ?? .panelRefused(error: 21)))
        case 22: return .outcome(.failed(.notSupported(order?.command.summary ?? "this command")))
        case 26 where codeWasSent && confirmBy != nil:
            // The panel did not wait for the code any more; until the deadline a state line may still confirm the
            // command.
            if case .inFlight = stage { stage = .confirming }
            return nil
        default: return .outcome(.failed(.panelRefused(error: error)))
        }
    }

    /// 501: the module rejected the line, which was right when it left; a disturbed byte is worth one more try.
    mutating func rejected(_ context: TransactionContext) -> Ending? {
        if let parting { return .outcome(parting) }
        guard case .inFlight(let command) = stage, retriesLeft > 0 else {
            return .outcome(.failed(.panelRefused(error: 501)))
        }
        retriesLeft -= 1
        retry(command, after: .milliseconds(200), context)
        return nil
    }

    private mutating func retry(_ command: TPICommand, after delay: Duration, _ context: TransactionContext) {
        stage = .ready(command)
        notBefore = context.now.boot + delay
        confirmBy = nil
    }

    /// 024: zones open, exit delay, already armed, or a blanked keypad (docs/envisalink.md 5.9).
    private mutating func notReady(_ context: TransactionContext) -> Ending? {
        guard let order, Self.command(for: order) != nil, let partition = order.command.partition else {
            return .outcome(.failed(.panelRefused(error: 24)))
        }
        let status = context.status(of: partition)
        let isBlanked = partition == 1 && context.state.system.leds.current == 0
        if wake == .unused, isBlanked || Self.contradicts024(status) {
            wake = .waking
            confirmBy = nil
            stage = .ready(.keys(partition: partition, keys: Secret("#")))
            return nil
        }
        switch status {
        case .exitDelay, .armed, .entryDelay: return .outcome(.failed(.alreadyArmed))
        case .alarm(let mode) where mode != nil: return .outcome(.failed(.alreadyArmed))
        case .alarm, .disarmed, .ready, .readyForce, .notReady, .notEnabled, nil:
            return .outcome(.failed(.notReady(openZones: context.openZones(of: partition))))
        }
    }

    private static func contradicts024(_ status: PartitionStatus?) -> Bool {
        switch status {
        case .ready, .readyForce: true
        case .disarmed, .notReady, .exitDelay, .armed, .entryDelay, .alarm, .notEnabled, nil: false
        }
    }
}

extension PartitionStatus {
    var isArmedOrArming: Bool {
        switch self {
        case .exitDelay, .armed, .entryDelay: true
        case .alarm(let mode): mode != nil
        case .disarmed, .ready, .readyForce, .notReady, .notEnabled: false
        }
    }
}
