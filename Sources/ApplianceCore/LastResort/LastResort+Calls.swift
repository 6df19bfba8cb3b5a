import AlarmModel
package import PhoneLink
import PhoneProtocol
package import Uplinks

/// Telephone calls: who is called, what is said, and what a pressed key means.
extension LastResort {
    mutating func take(_ fact: LineFact, _ step: inout Step) {
        driveProvider(&step) { provider, now, actions in
            switch fact {
            case .connected(let connection, let slot):
                provider.connected(connection, slot: slot, at: now, into: &actions)
            case .failed(let failure, let slot): provider.connectFailed(failure, slot: slot, at: now, into: &actions)
            case .secured: break
            case .received(let connection, let bytes):
                provider.received(connection, bytes, at: now, into: &actions)
            case .closed(let connection, let end): provider.closed(connection, end, at: now, into: &actions)
            }
        }
    }

    mutating func networkChanged(_ step: inout Step) {
        driveProvider(&step) { $0.networkChanged(at: $1, into: &$2) }
    }

    mutating func call(_ message: TextMessage, _ step: inout Step) {
        let id = CallID(message.id.number)
        let words = SpokenWords(message.text, in: called(message.id, .calls)?.language ?? step.houseLanguage)
        call(id, message.number, words, &step)
    }

    /// Each number is called once, whoever has heard of the test otherwise.
    mutating func tryCalls(_ step: inout Step) {
        guard let settings = step.configuration.calls else { return }
        for person in settings.people {
            let id = CallID(nextTest)
            nextTest += 1
            tests.append(TestCall(id: id, name: person.name))
            call(id, person.number, step.speechOfTest(to: person), &step)
        }
    }

    /// By the one of the two that there is.
    private mutating func call(_ id: CallID, _ number: String, _ words: SpokenWords, _ step: inout Step) {
        driveCaller(&step) { $0.call(id, number, words, at: $1, into: &$2) }
        driveProvider(&step) { $0.call(id, number, words.text, in: words.language, at: $1, into: &$2) }
    }

    mutating func driveProvider(
        _ step: inout Step, _ act: (inout CallProvider, Moment, inout [CallAction]) -> Void
    ) {
        var orders: [CallAction] = []
        provider.mutate { act(&$0, step.now, &orders) }
        for order in orders {
            switch order {
            case .transport(let action): actions.append(.line(.transport(action)))
            case .ended(let id, let end): ended(id, end, &step)
            }
        }
    }

    mutating func driveCaller(
        _ step: inout Step, _ act: (inout ModemCaller, Moment, inout [ModemCallerAction]) -> Void
    ) {
        var orders: [ModemCallerAction] = []
        caller.mutate { act(&$0, step.now, &orders) }
        for order in orders {
            switch order {
            case .order(let order):
                #if SABOTAGE
                    if step.sabotage == .callNeverHungUp, case .hangUp = order { continue }
                #endif
                // The network may carry no data while it carries a call, and comes back a moment behind it.
                if case .call = order { step.modemCallsUntil = step.now.boot + Self.dataPatience }
                step.effects.append(.modem(order))
            case .ended(let id, let end): ended(id, CallEnd(end), &step)
            }
        }
    }

    private static let dataPatience = ModemCaller.ringPatience + ModemCaller.talkSpan + .seconds(60)

    /// Somebody may have seen the alarms while the modem called others.
    mutating func dropNeedlessCalls(_ step: inout Step) {
        for id in caller?.waitingCalls ?? [] where id.number < Self.firstTest {
            let text = TextID(id.number)
            guard called(text, .calls)?.isWanted == false else { continue }
            caller?.drop(id)
            drive(.calls, &step) {
                $0.alarm.failed(text, why: "the alarm was confirmed before", mayBeThere: false, at: $1, into: &$2)
            }
        }
    }

    private mutating func ended(_ id: CallID, _ end: CallEnd, _ step: inout Step) {
        switch end {
        case .pressed, .taken, .unanswered: (lastCall, callProblem) = (step.now.wall, nil)
        case .nameless(let words): (lastCall, callProblem) = (step.now.wall, words)
        case .refused(let words): callProblem = words
        }
        if let index = tests.firstIndex(where: { $0.id == id }) {
            return tellTest(tests.remove(at: index).name, end, &step)
        }
        let text = TextID(id.number)
        let why: (String, mayBeThere: Bool)
        switch end {
        case .pressed:
            pressed(text, &step)
            return drive(.calls, &step) { $0.alarm.sent(text, at: $1, into: &$2) }
        case .taken: return drive(.calls, &step) { $0.alarm.sent(text, at: $1, into: &$2) }
        case .unanswered: why = ("nobody pressed a key", true)
        case .nameless(let words): why = (words, true)
        case .refused(let words): why = (words, false)
        }
        drive(.calls, &step) { $0.alarm.failed(text, why: why.0, mayBeThere: why.mayBeThere, at: $1, into: &$2) }
    }

    private mutating func pressed(_ text: TextID, _ step: inout Step) {
        guard let called = called(text, .calls),
            let person = step.configuration.calls?.people.first(where: { $0.number == called.number })
        else { return }
        #if SABOTAGE
            if step.sabotage == .keyIsNoWord { return }
        #endif
        let words = "\(person.name) pressed a key in the call about \(Self.count(called.alarms))."
        heard(called.alarms, upTo: called.numbers.max(), at: person.number, by: person.name, .call, words, &step)
    }

    func tellCalls(_ what: TextAlarmNote, _ words: String, to recipient: String, _ step: inout Step) {
        switch what {
        case .sent(let ids):
            let hasKeys = step.configuration.calls?.hasKeys ?? false
            step.note(
                .info, .call,
                hasKeys
                    ? "A call to \(recipient) about \(Self.count(ids)) was heard: somebody pressed a key."
                    : "The provider of calls was asked to call \(recipient) about \(Self.count(ids)); whether anybody heard it is not known."
            )
        case .unheard(let ids):
            step.note(.fault, .call, "Calls to \(recipient) about \(Self.count(ids)) reached nobody: \(words).")
        case .failed(let ids):
            step.note(.fault, .call, "No call to \(recipient) about \(Self.count(ids)) could be made: \(words).")
        case .heldBack(let ids):
            step.note(.fault, .call, "Calls to \(recipient) about \(Self.count(ids)) are held back: \(words).")
        case .givenUp(let ids):
            step.note(.fault, .call, "\(recipient) could not be called about \(Self.count(ids)): \(words).")
        }
    }

    private func tellTest(_ name: String, _ end: CallEnd, _ step: inout Step) {
        switch end {
        case .pressed: step.note(.info, .call, "The test call to \(name) works: a key was pressed.")
        case .taken:
            step.note(
                .info, .call, "The provider took the test call to \(name); whether it rang is not known here.")
        case .unanswered:
            step.note(
                .info, .call,
                "The test call to \(name) was made and nobody pressed a key. "
                    + (caller == nil
                        ? "If a key was pressed, check 'key' in 'calls'."
                        : "If a key was pressed, this modem hears none: nobody can confirm an alarm by its calls."))
        case .nameless(let words), .refused(let words):
            step.note(.fault, .call, "The test call to \(name) failed: \(words).")
        }
    }
}

extension CallEnd {
    init(_ end: ModemCallEnd) {
        self =
            switch end {
            case .pressed: .pressed
            case .unanswered: .unanswered
            case .silent(let why):
                .nameless(
                    "whoever took the call heard nothing, for the modem lets nobody speak and sent no tone: \(why)")
            case .refused(let why): .refused("the modem made no call: \(why)")
            }
    }
}

/// Who is called, and by whom.
package struct CallerSettings: Codable, Equatable, Sendable {
    /// nil: the box's own modem calls.
    package var provider: CallSettings?
    package var people: [PersonNumber]
    /// An alarm that nobody has confirmed for so long is worth a call.
    package var patience: Duration
    package var unless: TextAlarmSettings.Unless
    /// The socket of the process that speaks in the modem's calls; nil: the usual one.
    package var speaker: String?

    static let usualSpeaker = "/run/howalarming-speech/socket"

    /// A pressed key may be heard of. Whether the modem hears one is not known before it does.
    package var hasKeys: Bool { provider == nil || provider?.status != nil }

    package init(
        provider: CallSettings?, people: [PersonNumber], patience: Duration = .minutes(3),
        unless: TextAlarmSettings.Unless = .seen
    ) {
        self.provider = provider
        self.people = people
        self.patience = patience
        self.unless = unless
    }
}
