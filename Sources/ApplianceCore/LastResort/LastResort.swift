import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// The last resort for alarms that nobody has confirmed: text messages by the modem, and telephone calls by a provider that
/// the owner names, or by the modem.
///
/// Guarantees: each recipient is sent texts and calls as long as that recipient has not confirmed the alarm, whatever
/// others have confirmed; both are bounded in a day; duress is never in one; a pressed key, and "ok" as the answer to a
/// text, count as "seen" by that number's person, and silence nobody else; nothing else acts by text. An alarm that no
/// service accepts for any person is a fault, once, and begins both. Knows nothing of links, of the modem's steps and of
/// what other channels are.
struct LastResort: Machine, Codable, Equatable, Sendable {
    enum Action: Equatable, Sendable {
        /// Of the provider's connection.
        case line(LineAction)
        /// Somebody pressed a key in a call, or answered a text with "ok": this person has seen the alarms up to the number.
        case seen(SequenceNumber, name: String, PersonID)
    }

    /// A call that tries the setting out.
    struct TestCall: Codable, Equatable, Sendable {
        var id: CallID
        var name: String
    }

    /// Recipients of texts, in the order of the configuration.
    var texts: [Recipient] = []
    var calls: [Recipient] = []
    var nextRecipient: UInt64 = 0
    private var unaccepted = UnacceptedAlarms()
    var provider: CallProvider?
    var caller: ModemCaller?
    var tests: [TestCall] = []
    var nextTest = Self.firstTest
    /// When the provider took a call last.
    var lastCall: WallTime?
    /// Why it did not take the last one.
    var callProblem: String?
    /// The modem has a network, so that a text would leave, or a call.
    private var isModemReady = false
    var openTexts = OpenTexts()
    /// When it was told last that a text was not "ok", and that there was nothing to answer.
    var otherTextTold: BootTime?
    var idleAnswerTold: BootTime?
    /// Texts from numbers that are not ours.
    var strangeTexts = 0
    var actions: [Action] = []

    private enum CodingKeys: String, CodingKey {
        case texts, calls, nextRecipient, unaccepted
        case provider, caller, isModemReady, tests, nextTest, lastCall, callProblem, openTexts,
            otherTextTold, idleAnswerTold, strangeTexts
    }

    /// Calls about alarms have lower numbers.
    static let firstTest: UInt64 = 1 << 62

    // MARK: Life

    mutating func start(_ step: inout Step) {
        follow(.texts, &step)
        startCarrier(step)
        follow(.calls, &step)
        areReady(&step)
    }

    private mutating func startCarrier(_ step: Step) {
        (provider, caller) = (nil, nil)
        guard let calls = step.configuration.calls, step.callSettings != nil else { return }
        if let settings = calls.provider {
            provider = CallProvider(settings: settings)
        } else {
            caller = ModemCaller(speaker: calls.speaker ?? CallerSettings.usualSpeaker)
        }
    }

    /// A provider takes calls at any time, the modem texts and calls while it has a network.
    private mutating func areReady(_ step: inout Step) {
        let (texts, calls) = (isModemReady, provider != nil || isModemReady)
        drive(.texts, &step) { $0.alarm.ready(texts, at: $1, into: &$2) }
        drive(.calls, &step) { $0.alarm.ready(calls, at: $1, into: &$2) }
    }

    mutating func reconfigure(from old: Configuration, _ step: inout Step) {
        follow(.texts, &step)
        let hadModem = old.modem != nil
        if old.calls != step.configuration.calls || old.siteName != step.configuration.siteName
            || hadModem != (step.configuration.modem != nil)
        {
            stop(&step)
            callProblem = nil
            startCarrier(step)
            follow(.calls, &step)
        }
        areReady(&step)
    }

    mutating func stop(_ step: inout Step) {
        driveProvider(&step) { $0.stop(at: $1, into: &$2) }
        driveCaller(&step) { $0.stop(at: $1, into: &$2) }
        actions.append(.line(.ended))
    }

    var nextDeadline: BootTime? {
        let recipients = (texts + calls).compactMap(\.alarm.nextDeadline)
        let others = [unaccepted.nextDeadline, provider?.nextDeadline, caller?.nextDeadline].compactMap { $0 }
        return (recipients + others).min()
    }

    mutating func timerFired(_ step: inout Step) {
        noteUnaccepted(&step)
        driveBoth(&step) { $0.alarm.timerFired(at: $1, into: &$2) }
        driveProvider(&step) { $0.timerFired(at: $1, into: &$2) }
        dropNeedlessCalls(&step)
        driveCaller(&step) { $0.timerFired(at: $1, into: &$2) }
    }

    mutating func take(_ fact: LastResortFact, _ step: inout Step) {
        switch fact {
        case .ready(let isReady):
            isModemReady = isReady
            areReady(&step)
        case .sent(let id): drive(.texts, &step) { $0.alarm.sent(id, at: $1, into: &$2) }
        case .failed(let id, let why): drive(.texts, &step) { $0.alarm.failed(id, why: why, at: $1, into: &$2) }
        case .received(let number, let text): textCame(from: number, text, &step)
        case .call(let id, let fact): driveCaller(&step) { $0.heard(id, fact, at: $1, into: &$2) }
        }
    }

    // MARK: Alarms

    /// What is written now: alarms wait until some channel to a person has taken them.
    mutating func saw(_ writes: StepWrites, _ step: inout Step) {
        for event in writes.events { alarmWaits(event, nil, &step) }
        guard provider != nil || caller != nil else { return }
        // A test for one person calls nobody else.
        let forSome = writes.announcements.filter { $0.audience != .everywhere }.map(\.event)
        for (index, event) in writes.events.enumerated()
        where event.flags.contains(.testAlarm) && !forSome.contains(index) {
            tryCalls(&step)
        }
    }

    /// What becomes of an alarm at the other channels.
    mutating func take(_ fate: AlarmFate, _ step: inout Step) {
        switch fate {
        case .waits(let event, let seq, let person, let isAccepted):
            let (book, isForNobody) = (step.book, isFor(nil, step))
            alarmWaits(event, seq, isAccepted: isAccepted, &step) {
                if let owner = $0.owner(in: book), owner == person { return true }
                return !isAccepted && isForNobody($0)
            }
        case .confirmed(let alarms, let person, let word): confirmed(alarms, by: person, as: word, &step)
        case .taken(let event, let seq, let person, let end):
            guard let id = step.waitingAlarm(event, seq) else { return }
            unaccepted.accepted(id, until: end)
            let isMeant = isFor(person, step)
            driveBoth(&step) { recipient, moment, orders in
                recipient.alarm.unaccepted([id], false, at: moment, into: &orders)
                guard isMeant(recipient) else { return }
                recipient.alarm.taken(id, until: end, at: moment, into: &orders)
            }
        case .cameBack(let event, let seq, let person):
            guard let id = step.waitingAlarm(event, seq) else { return }
            unaccepted.cameBack(id, at: step.now.boot)
            let isMeant = isFor(person, step)
            driveBoth(&step) { recipient, moment, orders in
                guard isMeant(recipient) else { return }
                recipient.alarm.cameBack(id, at: moment, into: &orders)
            }
        }
    }

    /// An alarm of an earlier run that the store still holds counts as waiting from now on.
    ///
    /// - Parameters:
    ///   - seq: of an event of an earlier run
    ///   - isAccepted: some service has accepted it for a person
    private mutating func alarmWaits(
        _ event: Event, _ seq: SequenceNumber?, isAccepted: Bool = false, _ step: inout Step,
        for isMeant: (Recipient) -> Bool = { _ in true }
    ) {
        guard event.priority == .alarm, event.flags.isDisjoint(with: [.maintenance, .testAlarm, .duress]),
            let id = step.waitingAlarm(event, seq)
        else { return }
        if !isAccepted, !texts.isEmpty || !calls.isEmpty || !step.routesToPeople.isEmpty {
            unaccepted.waits(id, event, at: step.now.boot)
        }
        for kind in Kind.allCases where !self[kind].isEmpty {
            let words = step.words(of: event, kind, in: step.houseLanguage)
            let language = step.settings(of: kind)?.language
            let inLanguages = language.map { _ in InLanguages { step.words(of: event, kind, in: $0) } }
            // A person's language may be another one by now; one that is changed while alarms wait counts from the next
            // alarm on.
            renew(kind, &step)
            drive(kind, &step) { recipient, moment, orders in
                guard isMeant(recipient) else { return }
                recipient.alarm.alarmWaits(
                    id, words: words, inLanguages: inLanguages, isDuress: false, since: moment.boot, at: moment,
                    into: &orders)
                if let seq { recipient.alarm.numbered(id, seq) }
            }
        }
    }

    /// The alarm is stored, and phones call it by this number.
    mutating func alarmNumbered(_ event: Event, _ seq: SequenceNumber, _ step: Step) {
        guard event.priority == .alarm, let id = step.waitingAlarm(event, seq) else { return }
        for kind in Kind.allCases {
            for index in self[kind].indices { self[kind][index].alarm.numbered(id, seq) }
        }
        openTexts.numbered(id, seq)
    }

    /// - Parameter person: whose word it is, which ends what goes to that person; nil: somebody at the box, whose word is
    ///   for everybody
    private mutating func confirmed(
        _ alarms: ConfirmedAlarms, by person: PersonID?, as word: AlarmWord, _ step: inout Step
    ) {
        let (book, boot) = (step.book, step.bootMark)
        driveBoth(&step) { recipient, moment, orders in
            guard person == nil || recipient.owner(in: book) == person else { return }
            switch alarms {
            case .mark(let mark):
                guard let id = WaitingAlarmID(mark, ofRun: boot) else { return }
                recipient.alarm.confirmed(id, as: word, at: moment, into: &orders)
            case .numbers(let numbers): recipient.alarm.confirmed(numbers, as: word, at: moment, into: &orders)
            }
        }
    }

    /// An alarm that no service has accepted for too long is a fault, and the last resort begins.
    private mutating func noteUnaccepted(_ step: inout Step) {
        let due = unaccepted.takeDue(at: step.now.boot)
        guard !due.isEmpty else { return }
        for alarm in due { step.record(step.unaccepted(alarm.event)) }
        let ids = due.map(\.id)
        driveBoth(&step) { $0.alarm.unaccepted(ids, true, at: $1, into: &$2) }
    }

    // MARK: The two

    enum Kind: CaseIterable {
        case texts, calls
    }

    subscript(kind: Kind) -> [Recipient] {
        get {
            switch kind {
            case .texts: texts
            case .calls: calls
            }
        }
        set {
            switch kind {
            case .texts: texts = newValue
            case .calls: calls = newValue
            }
        }
    }

    mutating func driveBoth(
        _ step: inout Step, _ act: (inout Recipient, Moment, inout [TextAlarmAction]) -> Void
    ) {
        for kind in Kind.allCases { drive(kind, &step, act) }
    }

    /// Drives the recipients of this kind, one after the other.
    mutating func drive(
        _ kind: Kind, _ step: inout Step, _ act: (inout Recipient, Moment, inout [TextAlarmAction]) -> Void
    ) {
        for index in self[kind].indices {
            var orders: [TextAlarmAction] = []
            act(&self[kind][index], step.now, &orders)
            let recipient = self[kind][index].words
            for order in orders { carryOut(order, kind, to: recipient, &step) }
        }
    }

    private mutating func carryOut(
        _ order: TextAlarmAction, _ kind: Kind, to recipient: String, _ step: inout Step
    ) {
        switch (order, kind) {
        case (.sendText(let message), .texts):
            #if SABOTAGE
                if step.sabotage == .textNeverSent { return }
            #endif
            step.effects.append(.modem(.sendText(message)))
            guard let sent = called(message.id, .texts) else { return }
            openTexts.sent(to: message.number, about: sent.alarms, upTo: sent.numbers.max(), at: step.now.boot)
        case (.sendText(let message), .calls): call(message, &step)
        case (.note(let what, let words), .texts): tellTexts(what, words, to: recipient, &step)
        case (.note(let what, let words), .calls): tellCalls(what, words, to: recipient, &step)
        }
    }

    private func tellTexts(_ what: TextAlarmNote, _ words: String, to recipient: String, _ step: inout Step) {
        switch what {
        case .sent(let ids):
            step.note(.info, .textMessage, "\(Self.count(ids)) went out as a text message to \(recipient).")
        case .failed(let ids):
            step.note(
                .fault, .textMessage,
                "No text message about \(Self.count(ids)) could be sent to \(recipient): \(words).")
        case .heldBack(let ids):
            step.note(
                .fault, .textMessage,
                "Text messages about \(Self.count(ids)) to \(recipient) are held back: \(words).")
        case .unheard(let ids), .givenUp(let ids):
            step.note(.fault, .textMessage, "\(Self.count(ids)) did not reach \(recipient): \(words).")
        }
    }

    static func count(_ ids: [WaitingAlarmID]) -> String { ids.count == 1 ? "1 alarm" : "\(ids.count) alarms" }
}

extension Step {
    /// The fault that no service has accepted this alarm.
    fileprivate func unaccepted(_ alarm: Event) -> Event {
        var event = event(
            .fault, .alarmUnaccepted,
            "No service has accepted an alarm for anybody's phone within \(UnacceptedAlarms.patience.words): "
                + alarm.message)
        (event.partition, event.partitionName) = (alarm.partition, alarm.partitionName)
        (event.zone, event.zoneName) = (alarm.zone, alarm.zoneName)
        return event
    }

    /// nil: an alarm of another run that has no number.
    fileprivate func waitingAlarm(_ event: Event, _ seq: SequenceNumber?) -> WaitingAlarmID? {
        if let id = event.unstored.flatMap({ WaitingAlarmID($0, ofRun: bootMark) }) { return id }
        return seq.map { WaitingAlarmID(1 << 63 | UInt64(clamping: $0.number)) }
    }
}

extension WaitingAlarmID {
    /// nil: of another run.
    fileprivate init?(_ mark: UnstoredMark, ofRun boot: String) {
        guard mark.boot == boot else { return nil }
        self.init(mark.counter)
    }
}
