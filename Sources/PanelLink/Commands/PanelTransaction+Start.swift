import AlarmModel

extension PanelTransaction {
    /// Why an order can never be carried out, whatever the panel's state; nil when it can.
    static func fault(of order: PanelOrder, settings: PanelSettings) -> Outcome? {
        if let partition = order.command.partition, !(1...8).contains(partition) {
            return .refused(.unknownPartition(partition))
        }
        switch order.command {
        case .bypass(let zone, _):
            return (1...64).contains(zone) ? nil : .refused(.unknownZone(zone))
        case .disarm(let partition), .silence(let partition):
            guard let code = order.code ?? settings.masterCode else { return .refused(.noCode) }
            return TPICommand.disarm(partition: partition, code: code).fault
                .map { .refused(.badRequest($0.description)) }
        case .output(let partition, let output):
            return TPICommand.output(partition: partition, output: output).fault
                .map { .refused(.badRequest($0.description)) }
        case .keys(_, let keys, let allowsInstaller):
            return KeyString.fault(of: keys, allowsInstaller: allowsInstaller)
                .map { .refused(.badRequest($0.description)) }
        case .arm:
            return command(for: order)?.fault.map { .refused(.badRequest($0.description)) }
        case .panic, .chime, .smokeReset, .setClock, .refresh, .timers:
            return nil
        }
    }

    /// Looks at the state and decides on the first command; an ending refuses it, or says that nothing is to be done.
    mutating func begin(_ context: TransactionContext) -> Ending? {
        switch purpose {
        case .statusReport: stage = .ready(.status)
        case .timers: stage = .ready(.timers)
        case .clock: return beginClock(context)
        case .temperatures: stage = .ready(.temperatures)
        case .order(let order): return begin(order, context)
        }
        return nil
    }

    private mutating func begin(_ order: PanelOrder, _ context: TransactionContext) -> Ending? {
        if let partition = order.command.partition, context.status(of: partition) == .notEnabled {
            return .outcome(.refused(.unknownPartition(partition)))
        }
        switch order.command {
        case .arm(let partition, _, let force):
            if order.code != nil, context.isLockedOut { return .outcome(.refused(.lockedOut)) }
            if let reason = Self.armObstacle(partition: partition, force: force, context) {
                return .outcome(.refused(reason))
            }
            stage = .ready(Self.command(for: order) ?? .poll)
        case .disarm, .silence:
            if context.isLockedOut { return .outcome(.refused(.lockedOut)) }
            if case .silence(let partition) = order.command,
                let reason = Self.silenceObstacle(partition: partition, context)
            {
                return .outcome(.refused(reason))
            }
            guard let code = order.code ?? context.settings.masterCode, let partition = order.command.partition else {
                return .outcome(.refused(.noCode))
            }
            stage = .ready(.disarm(partition: partition, code: code))
        case .bypass(let zone, let wanted): return beginBypass(zone: zone, wanted: wanted, context)
        case .panic(let kind): stage = .ready(.panic(kind))
        case .output(let partition, let output): stage = .ready(.output(partition: partition, output: output))
        case .chime(let partition, let wanted):
            if context.state.partition(partition)?.chime.current == wanted { return .outcome(.done) }
            stage = .ready(.keys(partition: partition, keys: Secret("*4#")))
        case .smokeReset(let partition): stage = .ready(.keys(partition: partition, keys: Secret("*72#")))
        case .setClock: return beginClock(context)
        case .keys(let partition, let keys, _):
            keysLeft = KeyString.split(keys)
            guard !keysLeft.isEmpty else { return .outcome(.done) }
            stage = .ready(.keys(partition: partition, keys: keysLeft.removeFirst()))
        case .refresh: stage = .ready(.status)
        case .timers: stage = .ready(.timers)
        }
        return nil
    }

    /// The command that an arm order sends, also after the keypad was woken; nil for other orders.
    static func command(for order: PanelOrder) -> TPICommand? {
        guard case .arm(let partition, let mode, _) = order.command else { return nil }
        switch mode {
        case .away:
            return order.code.map { .armWithCode(partition: partition, code: $0) } ?? .armAway(partition: partition)
        case .stay: return .armStay(partition: partition)
        case .zeroEntry: return .armZeroEntry(partition: partition)
        }
    }

    private static func armObstacle(partition: Int, force: Bool, _ context: TransactionContext) -> Reason? {
        let open = context.openZones(of: partition)
        return switch context.status(of: partition) {
        case .armed, .exitDelay, .entryDelay: .alreadyArmed
        case .alarm: context.state.partition(partition)?.isDisarmedInAlarm ?? false ? nil : .alreadyArmed
        // 653: the panel would arm over the open zones.
        case .notReady, .readyForce: force ? nil : .notReady(openZones: open)
        // For some seconds behind a 655 the panel has not said whether it is ready.
        case .disarmed: force || open.isEmpty ? nil : .notReady(openZones: open)
        case .ready, .notEnabled, nil: nil
        }
    }

    private static func silenceObstacle(partition: Int, _ context: TransactionContext) -> Reason? {
        guard context.status(of: partition) != nil else { return .panelStale }
        guard context.isInAlarm(partition) else {
            return .badRequest("nothing to silence: partition \(partition) is not in alarm")
        }
        // The panel silences and disarms by one command: without a siren it would only disarm.
        let isQuiet = context.state.partition(partition)?.openIncident?.sirenStopped != nil
        return isQuiet ? .badRequest("nothing to silence: the siren has stopped by itself; disarm the partition") : nil
    }

    private mutating func beginClock(_ context: TransactionContext) -> Ending? {
        guard context.now.isWallTrusted else {
            let text = "the box does not know the time for sure yet, so the panel's clock was left alone"
            return .outcome(.refused(.badRequest(text)))
        }
        stage = .ready(.clock(PanelClock(at: context.now.wall, in: context.settings.timeZone)))
        return nil
    }
}
