import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// The modem, and text messages as the last resort.
extension Appliance {
    mutating func startModem(refusedPIN: UInt64?, _ step: inout Step) {
        if let settings = configuration.modem {
            let isRefused = refusedPIN != nil && settings.pin.map { Self.mark(of: $0) } == refusedPIN
            modem = ModemSession(settings: settings, isPINRefused: isRefused, at: step.now)
            #if SABOTAGE
                if sabotage == .refusedPINTriedAgain {
                    modem = ModemSession(settings: settings, isPINRefused: false, at: step.now)
                }
            #endif
            driveModem(&step) { $0.start(at: $1, into: &$2) }
        }
        if let settings = textSettings { texts = TextAlarm(settings: settings, at: step.now) }
    }

    mutating func reconfigureModem(_ step: inout Step) {
        switch (configuration.modem, modem) {
        case (nil, nil): break
        case (nil, .some):
            driveModem(&step) { $0.setWanted(false, at: $1, into: &$2) }
            modem = nil
        case (.some, nil): startModem(refusedPIN: storedSnapshot?.refusedPIN, &step)
        case (.some(let settings), .some):
            driveModem(&step) { $0.change(settings, at: $1, into: &$2) }
        }
        if let settings = textSettings, texts != nil {
            driveTexts(&step) { $0.change(settings, at: $1, into: &$2) }
        } else {
            texts = textSettings.map { TextAlarm(settings: $0, at: step.now) }
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

    /// Without a modem of ours there is nothing that could send a text.
    private var textSettings: TextAlarmSettings? {
        guard configuration.modem != nil, var settings = configuration.texts else { return nil }
        settings.title = configuration.siteName
        return settings
    }

    mutating func driveModem(
        _ step: inout Step, _ act: (inout ModemSession, Moment, inout [ModemAction]) -> Void
    ) {
        guard var modem else { return }
        var actions: [ModemAction] = []
        act(&modem, step.now, &actions)
        self.modem = modem
        for action in actions { perform(action, &step) }
    }

    private mutating func perform(_ action: ModemAction, _ step: inout Step) {
        switch action {
        case .order(let order):
            #if SABOTAGE
                if sabotage == .stuckModemNeverReset, order.task == .reset { return }
            #endif
            step.effects.append(.modem(order))
        case .bearer(let bearer):
            let names = configuration.uplinks?.links.filter { $0.kind == .modem && $0.interface == nil }.map(\.name)
            for name in names ?? [] {
                driveLinks(&step) {
                    $0.modemInterface(name, bearer?.interface, at: $1, into: &$2)
                }
            }
        case .problem(let problem?):
            note(.fault, .modem, "The modem does not work: \(problem). What to do: \(problem.remedy).", &step)
        case .problem(nil): note(.recovery, .modem, "The modem works again.", &step)
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
        guard var texts else { return }
        var actions: [TextAlarmAction] = []
        act(&texts, step.now, &actions)
        self.texts = texts
        for action in actions {
            switch action {
            case .sendText(let message):
                #if SABOTAGE
                    if sabotage == .textNeverSent { continue }
                #endif
                step.effects.append(.modem(.sendText(message)))
            case .note(let what, let words): note(what, words, &step)
            }
        }
    }

    private mutating func note(_ what: TextAlarmNote, _ words: String, _ step: inout Step) {
        func alarms(_ ids: [WaitingAlarmID]) -> String { ids.count == 1 ? "1 alarm" : "\(ids.count) alarms" }
        switch what {
        case .sent(let ids):
            note(.info, .textMessage, "\(alarms(ids)) went out as a text message: \(words).", &step)
        case .failed(let ids):
            note(.fault, .textMessage, "No text message about \(alarms(ids)) could be sent: \(words).", &step)
        case .heldBack(let ids):
            note(.fault, .textMessage, "Text messages about \(alarms(ids)) are held back: \(words).", &step)
        case .givenUp(let ids):
            note(.fault, .textMessage, "Nobody could be told of \(alarms(ids)): \(words).", &step)
        }
    }

    /// An alarm waits until some way to a person has taken it.
    ///
    /// One of an earlier run that the store still holds for everybody counts as waiting from now on.
    /// - Parameter seq: of an event of an earlier run
    mutating func awaitDelivery(
        of event: Event, seq: SequenceNumber? = nil, _ step: inout Step
    ) {
        guard texts != nil, event.priority == .alarm, !event.flags.contains(.maintenance),
            let id = waitingAlarm(event, seq)
        else { return }
        let words = textWords(of: event)
        let isDuress = event.flags.contains(.duress)
        driveTexts(&step) {
            $0.alarmWaits(id, words: words, isDuress: isDuress, since: $1.boot, at: $1, into: &$2)
        }
    }

    /// A way has this message; if it leads to a person, no text is needed.
    mutating func textSpared(_ message: MessageID, _ step: inout Step) {
        #if SABOTAGE
            if sabotage == .textThoughDelivered { return }
        #endif
        guard let (id, _) = textable(message) else { return }
        driveTexts(&step) { $0.delivered(id, at: $1, into: &$2) }
    }

    /// A way's service has taken this message, and may send it back on ways that do.
    mutating func textAccepted(_ message: MessageID, _ step: inout Step) {
        guard let (id, item) = textable(message), item.way.mayBounce, !item.isSeen else {
            return textSpared(message, &step)
        }
        // A repeated word of the service changes nothing.
        guard !item.mayComeBack else { return }
        let end = step.now.boot + hall.outbox.policy.bounceSpan
        driveTexts(&step) { $0.taken(id, until: end, at: $1, into: &$2) }
    }

    /// Before the outbox hears of it: a service refuses this message, perhaps one that it had taken.
    mutating func textRefused(_ message: MessageID, _ step: inout Step) {
        guard let (id, item) = textable(message), item.mayComeBack else { return }
        driveTexts(&step) { $0.cameBack(id, at: $1, into: &$2) }
    }

    /// An alarm to a person that a text message may stand in for.
    private func textable(_ message: MessageID) -> (WaitingAlarmID, OutboxItem)? {
        guard texts != nil, let item = hall.outbox.item(message), item.priority == .alarm,
            let id = waitingAlarm(item.event, item.seq), leadsToPerson(item.address)
        else { return nil }
        return (id, item)
    }

    func leadsToPerson(_ address: AddressID) -> Bool {
        switch receiver(at: address) {
        case .phone, .legacy, .contact: true
        case .house(let house):
            switch house.kind {
            case .mail: true
            case .url, .program, .tube, .broker: false
            }
        case nil: false
        }
    }

    private func waitingAlarm(_ event: Event, _ seq: SequenceNumber?) -> WaitingAlarmID? {
        if let mark = event.unstored, mark.boot == bootMark { return WaitingAlarmID(mark.counter) }
        return seq.map { WaitingAlarmID(1 << 63 | UInt64(clamping: $0.number)) }
    }

    /// What happened and when.
    private func textWords(of event: Event) -> String {
        guard event.isTimeTrusted else { return event.message }
        return "\(event.message) (\(configuration.panel.timeZone.civilTime(at: event.time).time))"
    }
}
