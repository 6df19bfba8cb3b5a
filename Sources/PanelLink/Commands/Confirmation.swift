import AlarmModel

/// What a line of the panel means for an order that waits for one (docs/envisalink.md 5).
enum Confirmation: Equatable, Sendable {
    case done
    case failed(Reason)
    /// 616, 663 or 664: compare with what was wanted.
    case compare

    /// nil when the line says nothing about this command.
    init?(of message: DSCMessage, for command: PanelCommand) {
        let found: Confirmation?
        switch command {
        case .arm(let partition, _, _): found = Self.arm(message, partition)
        case .disarm(let partition), .silence(let partition): found = Self.disarm(message, partition)
        case .bypass:
            switch message {
            case .bypassed: found = .compare
            case .invalidCode: found = .failed(.wrongCode)
            case .keypadLockout: found = .failed(.lockedOut)
            default: found = nil
            }
        case .panic(let kind): found = Self.panic(message, kind)
        case .output(let partition, let output):
            found =
                message == .outputPressed(partition: partition, output: output)
                    || message == .outputInProgress(partition: partition) ? .done : Self.refusal(message, partition)
        case .chime(let partition, _):
            if case .chime(partition, _) = message { found = .compare } else { found = nil }
        case .smokeReset(let partition): found = Self.smokeReset(message, partition)
        case .timers:
            if case .zoneTimers = message { found = .done } else { found = nil }
        case .setClock, .keys, .refresh: found = nil
        }
        guard let found else { return nil }
        self = found
    }

    private static func arm(_ message: DSCMessage, _ partition: Int) -> Confirmation? {
        if message == .partition(partition, .exitDelay) { return .done }
        if case .partition(partition, .armed) = message { return .done }
        if message == .failedToArm(partition: partition) { return .failed(.panelRefused(error: 659)) }
        if message == .failureToArm(partition: partition) { return .failed(.panelRefused(error: 672)) }
        return refusal(message, partition)
    }

    private static func disarm(_ message: DSCMessage, _ partition: Int) -> Confirmation? {
        let endings: [DSCMessage.PartitionLine] = [.disarmed, .ready, .notReady, .readyForce]
        if endings.contains(where: { message == .partition(partition, $0) }) { return .done }
        return refusal(message, partition)
    }

    private static func refusal(_ message: DSCMessage, _ partition: Int) -> Confirmation? {
        if message == .invalidCode(partition: partition) { return .failed(.wrongCode) }
        if message == .keypadLockout(partition: partition) { return .failed(.lockedOut) }
        if message == .functionNotAvailable(partition: partition) {
            return .failed(.notSupported("this function of the panel"))
        }
        return nil
    }

    private static func panic(_ message: DSCMessage, _ kind: PanelCommand.Panic) -> Confirmation? {
        let key: DSCMessage.KeyAlarm
        switch kind {
        case .fire: key = .fire
        case .ambulance: key = .auxiliary
        case .police: key = .panic
        }
        if message == .keyAlarm(key, active: true) { return .done }
        if case .partition(_, .alarm) = message { return .done }
        return nil
    }

    /// The panel sends no line of its own for *72: a used output or a detector that changes shows that it worked.
    private static func smokeReset(_ message: DSCMessage, _ partition: Int) -> Confirmation? {
        if message == .outputInProgress(partition: partition) { return .done }
        if case .outputPressed(partition, _) = message { return .done }
        if case .trouble(.fireTrouble, _) = message { return .done }
        if case .smoke(active: false) = message { return .done }
        return refusal(message, partition)
    }
}

extension PanelTransaction {
    /// Whether this line would confirm, refuse or compare; the order that caused an event is found by it.
    func confirmation(of message: DSCMessage) -> Confirmation? {
        guard hasBeenSent, parting == nil, let order else {
            if hasBeenSent, purpose == .timers, case .zoneTimers = message { return .done }
            return nil
        }
        let found = Confirmation(of: message, for: order.command)
        guard case .bypass = order.command, let found else { return found }
        // A list ends the typing; what somebody else lists meanwhile does not. A code is wrong only once it was sent.
        switch (found, bypassEntry) {
        case (.compare, .plain), (.compare, .typed), (.failed, .answered), (.failed, .typed): return found
        case (.compare, _), (.failed, _), (.done, _): return nil
        }
    }

    /// A line of the panel, after the state took it up.
    mutating func lineArrived(_ message: DSCMessage, _ context: TransactionContext) -> Ending? {
        switch confirmation(of: message) {
        case nil: return nil
        case .done: return .outcome(.done)
        case .failed(let reason):
            guard case .panelRefused = reason, let partition = order?.command.partition else {
                return .outcome(.failed(reason))
            }
            let open = context.openZones(of: partition)
            return .outcome(.failed(open.isEmpty ? reason : .notReady(openZones: open)))
        case .compare:
            switch order?.command {
            case .bypass(let zone, let wanted): return continueBypass(zone: zone, wanted: wanted, context)
            case .chime(let partition, let wanted):
                if context.state.partition(partition)?.chime.current == wanted { return .outcome(.done) }
                togglesLeft -= 1
                guard togglesLeft > 0 else {
                    let text = "the panel did not switch the chime of partition \(partition); look at the keypad"
                    return .outcome(.failed(.badRequest(text)))
                }
                confirmBy = nil
                stage = .ready(.keys(partition: partition, keys: Secret("*4#")))
                return nil
            case .arm, .disarm, .silence, .panic, .output, .smokeReset, .setClock, .keys, .refresh, .timers, nil:
                return nil
            }
        }
    }
}
