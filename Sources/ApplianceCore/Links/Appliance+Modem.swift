import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// The modem, and text messages as the last resort.
extension Appliance {
    mutating func startModem(refusedPIN: UInt64?, at now: Moment, into effects: inout [Effect]) {
        if let settings = configuration.modem {
            let isRefused = refusedPIN != nil && settings.pin.map { Self.mark(of: $0) } == refusedPIN
            modem = ModemSession(settings: settings, isPINRefused: isRefused, at: now)
            #if SABOTAGE
                if sabotage == .refusedPINTriedAgain {
                    modem = ModemSession(settings: settings, isPINRefused: false, at: now)
                }
            #endif
            driveModem(at: now, into: &effects) { $0.start(at: now, into: &$1) }
        }
        if let settings = textSettings { texts = TextAlarm(settings: settings, at: now) }
    }

    mutating func reconfigureModem(at now: Moment, into effects: inout [Effect]) {
        switch (configuration.modem, modem) {
        case (nil, nil): break
        case (nil, .some):
            driveModem(at: now, into: &effects) { $0.setWanted(false, at: now, into: &$1) }
            modem = nil
        case (.some, nil): startModem(refusedPIN: storedSnapshot?.refusedPIN, at: now, into: &effects)
        case (.some(let settings), .some):
            driveModem(at: now, into: &effects) { $0.change(settings, at: now, into: &$1) }
        }
        if let settings = textSettings, texts != nil {
            driveTexts(at: now, into: &effects) { $0.change(settings, at: now, into: &$1) }
        } else {
            texts = textSettings.map { TextAlarm(settings: $0, at: now) }
            // The modem told so when nobody asked.
            let isReady = modem?.status?.canText ?? false
            driveTexts(at: now, into: &effects) { $0.modemReady(isReady, at: now, into: &$1) }
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
        at now: Moment, into effects: inout [Effect], _ act: (inout ModemSession, inout [ModemAction]) -> Void
    ) {
        guard var modem else { return }
        var actions: [ModemAction] = []
        act(&modem, &actions)
        self.modem = modem
        for action in actions { perform(action, at: now, into: &effects) }
    }

    private mutating func perform(_ action: ModemAction, at now: Moment, into effects: inout [Effect]) {
        switch action {
        case .order(let order):
            #if SABOTAGE
                if sabotage == .stuckModemNeverReset, order.task == .reset { return }
            #endif
            effects.append(.modem(order))
        case .bearer(let bearer):
            let names = configuration.uplinks?.links.filter { $0.kind == .modem && $0.interface == nil }.map(\.name)
            for name in names ?? [] {
                driveLinks(at: now, into: &effects) {
                    $0.modemInterface(name, bearer?.interface, at: now, into: &$1)
                }
            }
        case .problem(let problem?):
            note(.fault, .modem, "The modem does not work: \(problem). What to do: \(problem.remedy).", at: now)
        case .problem(nil): note(.recovery, .modem, "The modem works again.", at: now)
        case .textsReady(let isReady):
            driveTexts(at: now, into: &effects) { $0.modemReady(isReady, at: now, into: &$1) }
        case .pinRefused: step.writesState = true
        }
    }

    mutating func modemTold(_ fact: ModemFact, at now: Moment, into effects: inout [Effect]) {
        switch fact {
        case .textSent(let id): driveTexts(at: now, into: &effects) { $0.sent(id, at: now, into: &$1) }
        case .textFailed(let id, let why):
            driveTexts(at: now, into: &effects) { $0.failed(id, why: why, at: now, into: &$1) }
        case .service, .modem, .done, .failed:
            driveModem(at: now, into: &effects) { $0.heard(fact, at: now, into: &$1) }
        }
    }

    // MARK: Texts

    mutating func driveTexts(
        at now: Moment, into effects: inout [Effect], _ act: (inout TextAlarm, inout [TextAlarmAction]) -> Void
    ) {
        guard var texts else { return }
        var actions: [TextAlarmAction] = []
        act(&texts, &actions)
        self.texts = texts
        for action in actions {
            switch action {
            case .sendText(let message):
                #if SABOTAGE
                    if sabotage == .textNeverSent { continue }
                #endif
                effects.append(.modem(.sendText(message)))
            case .note(let what, let words): note(what, words, at: now)
            }
        }
    }

    private mutating func note(_ what: TextAlarmNote, _ words: String, at now: Moment) {
        func alarms(_ ids: [WaitingAlarmID]) -> String { ids.count == 1 ? "1 alarm" : "\(ids.count) alarms" }
        switch what {
        case .sent(let ids):
            note(.info, .textMessage, "\(alarms(ids)) went out as a text message: \(words).", at: now)
        case .failed(let ids):
            note(.fault, .textMessage, "No text message about \(alarms(ids)) could be sent: \(words).", at: now)
        case .heldBack(let ids):
            note(.fault, .textMessage, "Text messages about \(alarms(ids)) are held back: \(words).", at: now)
        case .givenUp(let ids):
            note(.fault, .textMessage, "Nobody could be told of \(alarms(ids)): \(words).", at: now)
        }
    }

    /// An alarm waits until some way to a person has taken it.
    ///
    /// One of an earlier run that the store still holds for everybody counts as waiting from now on.
    /// - Parameter seq: of an event of an earlier run
    mutating func awaitDelivery(
        of event: Event, seq: SequenceNumber? = nil, at now: Moment, into effects: inout [Effect]
    ) {
        guard texts != nil, event.priority == .alarm, !event.flags.contains(.maintenance),
            let id = waitingAlarm(event, seq)
        else { return }
        let words = textWords(of: event)
        let isDuress = event.flags.contains(.duress)
        driveTexts(at: now, into: &effects) {
            $0.alarmWaits(id, words: words, isDuress: isDuress, since: now.boot, at: now, into: &$1)
        }
    }

    /// A way has this message; if it leads to a person, no text is needed.
    mutating func textSpared(_ message: MessageID, at now: Moment, into effects: inout [Effect]) {
        #if SABOTAGE
            if sabotage == .textThoughDelivered { return }
        #endif
        guard let (id, _) = textable(message) else { return }
        driveTexts(at: now, into: &effects) { $0.delivered(id, at: now, into: &$1) }
    }

    /// A way's service has taken this message, and may send it back on ways that do.
    mutating func textAccepted(_ message: MessageID, at now: Moment, into effects: inout [Effect]) {
        guard let (id, item) = textable(message), item.way.mayBounce, !item.isSeen else {
            return textSpared(message, at: now, into: &effects)
        }
        // A repeated word of the service changes nothing.
        guard !item.mayComeBack else { return }
        let end = now.boot + hall.outbox.policy.bounceSpan
        driveTexts(at: now, into: &effects) { $0.taken(id, until: end, at: now, into: &$1) }
    }

    /// Before the outbox hears of it: a service refuses this message, perhaps one that it had taken.
    mutating func textRefused(_ message: MessageID, at now: Moment, into effects: inout [Effect]) {
        guard let (id, item) = textable(message), item.mayComeBack else { return }
        driveTexts(at: now, into: &effects) { $0.cameBack(id, at: now, into: &$1) }
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
