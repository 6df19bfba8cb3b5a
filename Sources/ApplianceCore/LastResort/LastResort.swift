import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// The last resort for alarms that nobody has confirmed: text messages by the modem, and telephone calls by a provider that
/// the owner names, or by the modem.
///
/// Guarantees: neither text nor call leaves while a person has confirmed the alarm, or has time to; both are bounded in a
/// day; duress is never in one; a pressed key, and "ok" as the answer to a text, count as "seen" by that number's
/// person, and silence nobody else; nothing else acts by text. Knows nothing of links, of the modem's steps and of what
/// other channels are.
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

    var texts: TextAlarm?
    var calls: TextAlarm?
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
        case texts, calls, provider, caller, isModemReady, tests, nextTest, lastCall, callProblem, openTexts,
            otherTextTold, idleAnswerTold, strangeTexts
    }

    /// Calls about alarms are numbered from 1.
    static let firstTest: UInt64 = 1 << 62

    // MARK: Life

    mutating func start(_ step: inout Step) {
        texts = step.textSettings.map { TextAlarm(settings: $0, at: step.now) }
        startCarrier(step)
        calls = step.callSettings.map { TextAlarm(settings: $0, at: step.now) }
        callsReady(&step)
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

    /// A provider takes calls at any time, the modem while it has a network.
    private mutating func callsReady(_ step: inout Step) {
        let isReady = provider != nil || isModemReady
        drive(.calls, &step) { $0.ready(isReady, at: $1, into: &$2) }
    }

    mutating func reconfigure(from old: Configuration, _ step: inout Step) {
        if let settings = step.textSettings, texts != nil {
            drive(.texts, &step) { $0.change(settings, at: $1, into: &$2) }
        } else {
            texts = step.textSettings.map { TextAlarm(settings: $0, at: step.now) }
        }
        let hadModem = old.modem != nil
        guard
            old.calls != step.configuration.calls || old.siteName != step.configuration.siteName
                || hadModem != (step.configuration.modem != nil)
        else { return }
        stop(&step)
        callProblem = nil
        let waiting = calls
        startCarrier(step)
        calls = step.callSettings.map { waiting ?? TextAlarm(settings: $0, at: step.now) }
        if let settings = step.callSettings { drive(.calls, &step) { $0.change(settings, at: $1, into: &$2) } }
        callsReady(&step)
    }

    mutating func stop(_ step: inout Step) {
        driveProvider(&step) { $0.stop(at: $1, into: &$2) }
        driveCaller(&step) { $0.stop(at: $1, into: &$2) }
        actions.append(.line(.ended))
    }

    var nextDeadline: BootTime? {
        [texts?.nextDeadline, calls?.nextDeadline, provider?.nextDeadline, caller?.nextDeadline].compactMap { $0 }.min()
    }

    mutating func timerFired(_ step: inout Step) {
        for kind in Kind.allCases { drive(kind, &step) { $0.timerFired(at: $1, into: &$2) } }
        driveProvider(&step) { $0.timerFired(at: $1, into: &$2) }
        dropNeedlessCalls(&step)
        driveCaller(&step) { $0.timerFired(at: $1, into: &$2) }
    }

    mutating func take(_ fact: LastResortFact, _ step: inout Step) {
        switch fact {
        case .ready(let isReady):
            isModemReady = isReady
            drive(.texts, &step) { $0.ready(isReady, at: $1, into: &$2) }
            if caller != nil { callsReady(&step) }
        case .sent(let id): drive(.texts, &step) { $0.sent(id, at: $1, into: &$2) }
        case .failed(let id, let why): drive(.texts, &step) { $0.failed(id, why: why, at: $1, into: &$2) }
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
        case .waits(let event, let seq): alarmWaits(event, seq, &step)
        case .confirmed(let alarms): confirmed(alarms, &step)
        case .taken(let event, let seq, let end):
            guard let id = step.waitingAlarm(event, seq) else { return }
            driveBoth(&step) { $0.taken(id, until: end, at: $1, into: &$2) }
        case .cameBack(let event, let seq):
            guard let id = step.waitingAlarm(event, seq) else { return }
            driveBoth(&step) { $0.cameBack(id, at: $1, into: &$2) }
        }
    }

    /// One of an earlier run that the store still holds for everybody counts as waiting from now on.
    ///
    /// - Parameter seq: of an event of an earlier run
    private mutating func alarmWaits(_ event: Event, _ seq: SequenceNumber?, _ step: inout Step) {
        guard event.priority == .alarm, event.flags.isDisjoint(with: [.maintenance, .testAlarm]),
            let id = step.waitingAlarm(event, seq)
        else { return }
        let isDuress = event.flags.contains(.duress)
        for kind in Kind.allCases where self[kind] != nil {
            guard let settings = step.settings(of: kind) else { continue }
            let words = step.words(of: event, kind, in: step.houseLanguage)
            let inLanguages = settings.language.map { _ in InLanguages { step.words(of: event, kind, in: $0) } }
            drive(kind, &step) {
                // A person's language may be another one by now; one that is changed while alarms wait counts from the next
                // alarm on.
                $0.change(settings, at: $1, into: &$2)
                $0.alarmWaits(
                    id, words: words, inLanguages: inLanguages, isDuress: isDuress, since: $1.boot, at: $1, into: &$2)
                if let seq { $0.numbered(id, seq) }
            }
        }
    }

    /// The alarm is stored, and phones call it by this number.
    mutating func alarmNumbered(_ event: Event, _ seq: SequenceNumber, _ step: Step) {
        guard event.priority == .alarm, let id = step.waitingAlarm(event, seq) else { return }
        texts?.numbered(id, seq)
        openTexts.numbered(id, seq)
        calls?.numbered(id, seq)
    }

    /// A phone has it, or a person has seen it.
    private mutating func confirmed(_ alarms: ConfirmedAlarms, _ step: inout Step) {
        switch alarms {
        case .mark(let mark):
            guard let id = step.waitingAlarm(mark) else { return }
            driveBoth(&step) { $0.delivered(id, at: $1, into: &$2) }
        case .numbers(let numbers): driveBoth(&step) { $0.confirmed(numbers, at: $1, into: &$2) }
        }
    }

    // MARK: The two

    enum Kind: CaseIterable {
        case texts, calls
    }

    subscript(kind: Kind) -> TextAlarm? {
        switch kind {
        case .texts: texts
        case .calls: calls
        }
    }

    private mutating func driveBoth(
        _ step: inout Step, _ act: (inout TextAlarm, Moment, inout [TextAlarmAction]) -> Void
    ) {
        for kind in Kind.allCases { drive(kind, &step, act) }
    }

    mutating func drive(
        _ kind: Kind, _ step: inout Step, _ act: (inout TextAlarm, Moment, inout [TextAlarmAction]) -> Void
    ) {
        var orders: [TextAlarmAction] = []
        switch kind {
        case .texts: texts.mutate { act(&$0, step.now, &orders) }
        case .calls: calls.mutate { act(&$0, step.now, &orders) }
        }
        for order in orders {
            switch (order, kind) {
            case (.sendText(let message), .texts):
                #if SABOTAGE
                    if step.sabotage == .textNeverSent { continue }
                #endif
                step.effects.append(.modem(.sendText(message)))
                guard let sent = texts?.called(message.id) else { continue }
                openTexts.sent(
                    to: message.number, about: sent.alarms, upTo: sent.numbers.max(), at: step.now.boot)
            case (.sendText(let message), .calls): call(message, &step)
            case (.note(let what, let words), .texts): tellTexts(what, words, &step)
            case (.note(let what, let words), .calls): tellCalls(what, words, &step)
            }
        }
    }

    private func tellTexts(_ what: TextAlarmNote, _ words: String, _ step: inout Step) {
        switch what {
        case .sent(let ids): step.note(.info, .textMessage, "\(Self.count(ids)) went out as a text message: \(words).")
        case .failed(let ids):
            step.note(.fault, .textMessage, "No text message about \(Self.count(ids)) could be sent: \(words).")
        case .heldBack(let ids):
            step.note(.fault, .textMessage, "Text messages about \(Self.count(ids)) are held back: \(words).")
        case .unheard(let ids), .givenUp(let ids):
            step.note(.fault, .textMessage, "Nobody could be told of \(Self.count(ids)): \(words).")
        }
    }

    static func count(_ ids: [WaitingAlarmID]) -> String { ids.count == 1 ? "1 alarm" : "\(ids.count) alarms" }
}

extension Step {
    /// nil: an alarm of another run that has no number.
    fileprivate func waitingAlarm(_ event: Event, _ seq: SequenceNumber?) -> WaitingAlarmID? {
        if let id = event.unstored.flatMap({ waitingAlarm($0) }) { return id }
        return seq.map { WaitingAlarmID(1 << 63 | UInt64(clamping: $0.number)) }
    }

    /// nil: of another run.
    fileprivate func waitingAlarm(_ mark: UnstoredMark) -> WaitingAlarmID? {
        mark.boot == bootMark ? WaitingAlarmID(mark.counter) : nil
    }
}
