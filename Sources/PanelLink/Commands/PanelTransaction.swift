import AlarmModel

/// One thing to do at the panel, by as many commands as it takes: an order of a person or a chore of the session.
///
/// It decides what is sent next and when it is over; the session sends, keeps the one command in flight and tells it
/// what came back.
struct PanelTransaction: Codable, Equatable, Sendable {
    enum Purpose: Codable, Equatable, Sendable {
        case order(PanelOrder)
        /// 001 after login and after lines were lost.
        case statusReport
        /// 008 when no 615 came by itself.
        case timers
        /// 010 after login and once a day.
        case clock
        /// 057 after login.
        case temperatures
    }

    enum Stage: Codable, Equatable, Sendable {
        /// Nothing decided yet.
        case waiting
        /// To be sent next.
        case ready(TPICommand)
        case inFlight(TPICommand)
        /// Acknowledged; a line has to confirm it.
        case confirming
    }

    /// How a transaction ends.
    enum Ending: Equatable, Sendable {
        case outcome(Outcome)
        /// The panel did not confirm what must not be lost: the link is not to be trusted.
        case rebuild(Outcome)
    }

    enum Bypass: String, Codable, Equatable, Sendable { case listing, toggling, relisting }
    enum Wake: String, Codable, Equatable, Sendable { case unused, waking, used }

    let number: UInt64
    let purpose: Purpose
    var stage = Stage.waiting
    /// Not to be sent before.
    var notBefore: BootTime?
    /// Something of it left the box.
    var hasBeenSent = false
    var confirmBy: BootTime?
    /// The module took a command of it.
    var isTaken = false
    /// A disarm of the partition was ordered while a command of this arm order was on the wire: no further one leaves.
    var isOvertaken = false

    var keysLeft: [Secret] = []
    var codeWasSent = false
    /// The panel asked for the code before it acknowledged the command.
    var codeToSend: Secret?
    var wake = Wake.unused
    var bypass = Bypass.listing
    var bypassEntry = BypassEntry.plain
    /// What is to be typed behind `*1` and the code.
    var bypassKeys = Secret("#")
    var togglesLeft = 2
    /// The outcome once the key that leaves the menu is out.
    var parting: Outcome?
    var overrunDelay = Duration.milliseconds(200)
    var overrunsLeft = 8
    var busyRetriesLeft = 2
    var retriesLeft = 1
    /// Further tries of a disarm that the panel answers with "not armed" while its state says armed or arming.
    var notArmedRetriesLeft = 8

    init(number: UInt64, purpose: Purpose) {
        self.number = number
        self.purpose = purpose
    }

    var order: PanelOrder? {
        switch purpose {
        case .order(let order): order
        case .statusReport, .timers, .clock, .temperatures: nil
        }
    }

    /// Disarm and panic go before everything.
    var isUrgent: Bool {
        switch order?.command {
        case .disarm, .silence, .panic: true
        case .arm, .bypass, .output, .chime, .smokeReset, .setClock, .keys, .refresh, .timers, nil: false
        }
    }

    /// May leave while the status report is still running: it needs no knowledge of the state.
    var needsNoState: Bool {
        switch order?.command {
        case .disarm, .panic, nil: true
        case .silence, .arm, .bypass, .output, .chime, .smokeReset, .setClock, .keys, .refresh, .timers: false
        }
    }

    /// Whether it types at a virtual keypad or may be asked for a code: only one of these at a time, because neither
    /// 900 nor 616 says whom it answers.
    var isInteractive: Bool {
        switch order?.command {
        case .arm, .output, .bypass, .chime, .smokeReset, .keys: true
        case .disarm, .silence, .panic, .setClock, .refresh, .timers, nil: false
        }
    }

    /// In the middle of a key string: nothing but the poll may come between.
    var isTyping: Bool {
        if case .keys = order?.command { return hasBeenSent }
        return false
    }

    /// Lower goes first.
    var rank: Int {
        if case .ready(.sendCode) = stage { return 1 }
        if isUrgent { return 2 }
        if hasBeenSent { return 3 }
        switch purpose {
        case .statusReport, .clock: return 4
        case .timers, .temperatures: return 7
        case .order(let order):
            switch order.command {
            case .disarm, .silence, .panic: return 2
            case .arm: return 5
            case .keys, .bypass, .output, .chime, .smokeReset: return 6
            case .setClock, .refresh, .timers: return 7
            }
        }
    }

    var isWaiting: Bool { stage == .waiting }

    /// Nothing of it has come about: not sent, or refused by the module and to be sent again. Its deadline still holds.
    var canExpire: Bool {
        switch stage {
        case .waiting: true
        case .ready: !isTaken && parting == nil
        case .inFlight, .confirming: false
        }
    }

    var isReport: Bool {
        switch purpose {
        case .statusReport: return true
        case .order(let order): return order.command == .refresh
        case .timers, .clock, .temperatures: return false
        }
    }

    /// Changes nothing at the panel, so it may be sent again.
    var isRead: Bool {
        switch purpose {
        case .statusReport, .timers, .temperatures: return true
        case .clock: return false
        case .order(let order): return order.command == .refresh || order.command == .timers
        }
    }

    /// The command left the box.
    mutating func sent(_ command: TPICommand, context: TransactionContext) {
        stage = .inFlight(command)
        hasBeenSent = true
        notBefore = nil
        confirmBy = isConfirmedByLine(command) ? context.now.boot + context.settings.confirmDeadline : nil
    }

    /// Whether a state line confirms this command, so that it may end as not confirmed.
    private func isConfirmedByLine(_ command: TPICommand) -> Bool {
        if wake == .waking || parting != nil { return false }
        switch command {
        case .armAway, .armStay, .armZeroEntry, .armWithCode, .disarm, .panic, .output, .sendCode, .timers: return true
        case .keys:
            switch order?.command {
            case .bypass, .chime, .smokeReset: return true
            case .keys, .arm, .disarm, .panic, .output, .silence, .setClock, .refresh, .timers, nil: return false
            }
        case .poll, .status, .login, .clock, .temperatures: return false
        }
    }

    /// A disarm of the partition that this order arms was taken: the arm must not follow it.
    ///
    /// - Returns: an ending, or nil while the module has a command of it to answer or the panel to confirm it
    mutating func overtaken() -> Ending? {
        switch stage {
        case .waiting, .ready: return overtakenEnding
        case .inFlight, .confirming:
            isOvertaken = true
            return nil
        }
    }

    var overtakenEnding: Ending {
        .outcome(hasBeenSent ? .failed(.conditionChanged) : .refused(.conditionChanged))
    }

    /// Takes a transaction of which nothing left the box back to its beginning; the state it decided on is gone.
    mutating func restart() {
        stage = .waiting
        notBefore = nil
    }
}
