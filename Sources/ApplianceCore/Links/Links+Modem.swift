import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// The modem, and text messages as the last resort.
extension Links {
    mutating func startModem(refusedPIN: UInt64?, _ step: inout Step) {
        if let settings = step.configuration.modem {
            let isRefused = refusedPIN != nil && settings.pin.map { Self.mark(of: $0) } == refusedPIN
            modem = ModemSession(settings: settings, isPINRefused: isRefused, at: step.now)
            #if SABOTAGE
                if step.sabotage == .refusedPINTriedAgain {
                    modem = ModemSession(settings: settings, isPINRefused: false, at: step.now)
                }
            #endif
            driveModem(&step) { $0.start(at: $1, into: &$2) }
        }
        if let settings = step.textSettings { texts = TextAlarm(settings: settings, at: step.now) }
    }

    mutating func reconfigureModem(refusedPIN: UInt64?, _ step: inout Step) {
        switch (step.configuration.modem, modem) {
        case (nil, nil): break
        case (nil, .some):
            driveModem(&step) { $0.setWanted(false, at: $1, into: &$2) }
            actions.append(.modemRemoved)
        case (.some, nil): startModem(refusedPIN: refusedPIN, &step)
        case (.some(let settings), .some):
            driveModem(&step) { $0.change(settings, at: $1, into: &$2) }
        }
        if let settings = step.textSettings, texts != nil {
            driveTexts(&step) { $0.change(settings, at: $1, into: &$2) }
        } else {
            texts = step.textSettings.map { TextAlarm(settings: $0, at: step.now) }
            // The modem told so when nobody asked.
            let isReady = modem?.status?.canText ?? false
            driveTexts(&step) { $0.modemReady(isReady, at: $1, into: &$2) }
        }
    }

    static func refusedPIN(_ modem: ModemSession) -> UInt64? {
        guard modem.isPINRefused, let pin = modem.settings.pin else { return nil }
        return mark(of: pin)
    }

    /// Short and without a key (FNV-1a): to know a PIN again, not to hide it.
    private static func mark(of pin: Secret) -> UInt64 {
        pin.revealed.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    mutating func driveModem(
        _ step: inout Step, _ act: (inout ModemSession, Moment, inout [ModemAction]) -> Void
    ) {
        guard modem != nil else { return }
        var orders: [ModemAction] = []
        modem.mutate { act(&$0, step.now, &orders) }
        for order in orders { actions.append(.modem(order)) }
    }

    mutating func perform(_ action: ModemAction, _ step: inout Step) {
        switch action {
        case .order(let order):
            #if SABOTAGE
                if step.sabotage == .stuckModemNeverReset, order.task == .reset { return }
            #endif
            step.effects.append(.modem(order))
        case .bearer(let bearer):
            let names = step.configuration.uplinks?.links.filter { $0.kind == .modem && $0.interface == nil }.map(
                \.name)
            for name in names ?? [] {
                driveLinks(&step) {
                    $0.modemInterface(name, bearer?.interface, at: $1, into: &$2)
                }
            }
        case .problem(let problem?):
            step.note(.fault, .modem, "The modem does not work: \(problem). What to do: \(problem.remedy).")
        case .problem(nil): step.note(.recovery, .modem, "The modem works again.")
        case .textsReady(let isReady):
            driveTexts(&step) { $0.modemReady(isReady, at: $1, into: &$2) }
        case .pinRefused: step.writes.writesState = true
        }
    }

    mutating func modemTold(_ fact: ModemFact, _ step: inout Step) {
        switch fact {
        case .textSent(let id): driveTexts(&step) { $0.sent(id, at: $1, into: &$2) }
        case .textFailed(let id, let why):
            driveTexts(&step) { $0.failed(id, why: why, at: $1, into: &$2) }
        case .service, .modem, .done, .failed:
            driveModem(&step) { $0.heard(fact, at: $1, into: &$2) }
        }
    }

    // MARK: Texts

    mutating func driveTexts(
        _ step: inout Step, _ act: (inout TextAlarm, Moment, inout [TextAlarmAction]) -> Void
    ) {
        guard texts != nil else { return }
        var orders: [TextAlarmAction] = []
        texts.mutate { act(&$0, step.now, &orders) }
        for order in orders { actions.append(.text(order)) }
    }

    mutating func perform(_ action: TextAlarmAction, _ step: inout Step) {
        switch action {
        case .sendText(let message):
            #if SABOTAGE
                if step.sabotage == .textNeverSent { return }
            #endif
            step.effects.append(.modem(.sendText(message)))
        case .note(let what, let words): tell(what, words, &step)
        }
    }

    private mutating func tell(_ what: TextAlarmNote, _ words: String, _ step: inout Step) {
        func alarms(_ ids: [WaitingAlarmID]) -> String { ids.count == 1 ? "1 alarm" : "\(ids.count) alarms" }
        switch what {
        case .sent(let ids):
            step.note(.info, .textMessage, "\(alarms(ids)) went out as a text message: \(words).")
        case .failed(let ids):
            step.note(.fault, .textMessage, "No text message about \(alarms(ids)) could be sent: \(words).")
        case .heldBack(let ids):
            step.note(.fault, .textMessage, "Text messages about \(alarms(ids)) are held back: \(words).")
        case .givenUp(let ids):
            step.note(.fault, .textMessage, "Nobody could be told of \(alarms(ids)): \(words).")
        }
    }

    /// An alarm waits until some channel to a person has taken it.
    ///
    /// One of an earlier run that the store still holds for everybody counts as waiting from now on.
    /// - Parameter seq: of an event of an earlier run
    mutating func alarmWaits(_ event: Event, _ seq: SequenceNumber?, _ step: inout Step) {
        guard event.priority == .alarm, event.flags.isDisjoint(with: [.maintenance, .testAlarm]),
            let id = step.waitingAlarm(event, seq)
        else { return }
        let words = step.textWords(of: event)
        let isDuress = event.flags.contains(.duress)
        driveTexts(&step) {
            $0.alarmWaits(id, words: words, isDuress: isDuress, since: $1.boot, at: $1, into: &$2)
            if let seq { $0.numbered(id, seq) }
        }
    }

    /// The alarm is stored, and phones call it by this number.
    mutating func alarmNumbered(_ event: Event, _ seq: SequenceNumber, _ step: Step) {
        guard event.priority == .alarm, let id = step.waitingAlarm(event, seq) else { return }
        texts?.numbered(id, seq)
    }

    /// A phone has it, or a person has seen it: no text is needed.
    mutating func confirmed(_ alarms: ConfirmedAlarms, _ step: inout Step) {
        switch alarms {
        case .mark(let mark):
            guard let id = step.waitingAlarm(mark) else { return }
            driveTexts(&step) { $0.delivered(id, at: $1, into: &$2) }
        case .numbers(let numbers): driveTexts(&step) { $0.confirmed(numbers, at: $1, into: &$2) }
        }
    }

    /// A service has it, and may send it back until then.
    mutating func alarmTaken(_ event: Event, _ seq: SequenceNumber?, until end: BootTime?, _ step: inout Step) {
        guard let id = step.waitingAlarm(event, seq) else { return }
        driveTexts(&step) { $0.taken(id, until: end, at: $1, into: &$2) }
    }

    mutating func alarmCameBack(_ event: Event, _ seq: SequenceNumber?, _ step: inout Step) {
        guard let id = step.waitingAlarm(event, seq) else { return }
        driveTexts(&step) { $0.cameBack(id, at: $1, into: &$2) }
    }
}

extension Optional {
    /// Changes the value in its place, where there is one.
    mutating func mutate(_ change: (inout Wrapped) -> Void) {
        guard var value = self else { return }
        self = nil
        change(&value)
        self = value
    }
}

extension Step {
    /// Without a modem of ours there is nothing that could send a text.
    fileprivate var textSettings: TextAlarmSettings? {
        guard configuration.modem != nil, var settings = configuration.texts else { return nil }
        settings.title = configuration.siteName
        return settings
    }

    /// nil: an alarm of another run that has no number.
    fileprivate func waitingAlarm(_ event: Event, _ seq: SequenceNumber?) -> WaitingAlarmID? {
        if let id = event.unstored.flatMap({ waitingAlarm($0) }) { return id }
        return seq.map { WaitingAlarmID(1 << 63 | UInt64(clamping: $0.number)) }
    }

    /// nil: of another run.
    fileprivate func waitingAlarm(_ mark: UnstoredMark) -> WaitingAlarmID? {
        mark.boot == bootMark ? WaitingAlarmID(mark.counter) : nil
    }

    /// What happened and when.
    fileprivate func textWords(of event: Event) -> String {
        guard event.isTimeTrusted else { return event.message }
        return "\(event.message) (\(configuration.panel.timeZone.civilTime(at: event.time).time))"
    }
}
