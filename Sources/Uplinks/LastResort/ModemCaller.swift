package import AlarmModel

/// Calls people by the modem, one after the other: it rings, and whoever takes the call hears what happened until a key is
/// pressed; tones where the modem lets nobody speak.
///
/// Guarantees: one call at a time, each within a minute of ringing and 40 s of words or tones; only a key in this very call counts;
/// a modem that says nothing ends a call all the same. Knows nothing of alarms.
package struct ModemCaller: Codable, Equatable, Sendable {
    /// So long it may ring; a mailbox mostly takes the call before.
    package static let ringPatience = Duration.seconds(60)
    /// So long whoever has taken it hears words, or tones.
    package static let talkSpan = Duration.seconds(40)
    package static let tonePause = Duration.seconds(2)
    /// Between two calls: the modem hangs up, and what became of the first is known before the next.
    package static let callPause = Duration.seconds(5)
    /// From a call to the next.
    static let longest = ringPatience + talkSpan + callPause
    /// No telephone has this key, so no mailbox takes it for an order.
    private static let tone = "D"

    private struct Call: Codable, Equatable, Sendable {
        var id: CallID
        var number: String
        var words: SpokenWords
    }

    private struct Current: Codable, Equatable, Sendable {
        var id: CallID
        var until: BootTime
        var words: SpokenWords
        var isTaken = false
        /// nil: nobody has taken it, or words are spoken.
        var nextTone: BootTime?
        /// Why whoever has taken it heard nothing.
        var silence: ModemFailure?
    }

    /// The socket of the process that speaks.
    private let speaker: String
    private var waiting: [Call] = []
    private var current: Current?
    private var pausedUntil = BootTime.zero

    package init(speaker: String) { self.speaker = speaker }

    /// Those that have not begun, in their order.
    package var waitingCalls: [CallID] { waiting.map(\.id) }

    package var nextDeadline: BootTime? {
        if let current { return [current.until, current.nextTone].compactMap { $0 }.min() }
        return waiting.isEmpty ? nil : pausedUntil
    }

    package mutating func call(
        _ id: CallID, _ number: String, _ words: SpokenWords, at now: Moment, into actions: inout [ModemCallerAction]
    ) {
        waiting.append(Call(id: id, number: number, words: words))
        advance(at: now.boot, into: &actions)
    }

    /// It is not made any more, where it has not begun.
    package mutating func drop(_ id: CallID) { waiting.removeAll { $0.id == id } }

    /// Hangs up; none of the calls is made any more.
    package mutating func stop(at now: Moment, into actions: inout [ModemCallerAction]) {
        let left = waiting
        waiting = []
        if current != nil { end(.unanswered, hangsUp: true, at: now.boot, into: &actions) }
        for call in left { actions.append(.ended(call.id, .unanswered)) }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [ModemCallerAction]) {
        advance(at: now.boot, into: &actions)
    }

    /// What the modem tells of a call; what is over already, and of another run, is passed over.
    package mutating func heard(
        _ id: CallID, _ fact: VoiceCallFact, at now: Moment, into actions: inout [ModemCallerAction]
    ) {
        guard current?.id == id else { return }
        switch fact {
        case .answered:
            guard let call = current, !call.isTaken else { return }
            current?.isTaken = true
            current?.until = now.boot + Self.talkSpan
            actions.append(.order(.speak(id, call.words, socket: speaker)))
        case .unspoken:
            guard let call = current, call.isTaken, call.nextTone == nil else { return }
            current?.nextTone = now.boot
            advance(at: now.boot, into: &actions)
        case .keyPressed: end(.pressed, hangsUp: true, at: now.boot, into: &actions)
        case .toneFailed(let why): current?.silence = why
        case .ended: end(unanswered, hangsUp: false, at: now.boot, into: &actions)
        case .failed(let why): end(.refused(why), hangsUp: true, at: now.boot, into: &actions)
        }
    }

    private mutating func advance(at now: BootTime, into actions: inout [ModemCallerAction]) {
        if let current, current.until <= now { end(unanswered, hangsUp: true, at: now, into: &actions) }
        if let due = current?.nextTone, due <= now, let id = current?.id {
            current?.nextTone = now + Self.tonePause
            actions.append(.order(.sendTone(id, Self.tone)))
        }
        guard current == nil, pausedUntil <= now, !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        current = Current(id: next.id, until: now + Self.ringPatience, words: next.words)
        actions.append(.order(.call(next.id, number: next.number)))
    }

    private var unanswered: ModemCallEnd { current?.silence.map { .silent($0) } ?? .unanswered }

    private mutating func end(
        _ end: ModemCallEnd, hangsUp: Bool, at now: BootTime, into actions: inout [ModemCallerAction]
    ) {
        guard let id = current?.id else { return }
        current = nil
        pausedUntil = now + Self.callPause
        if hangsUp { actions.append(.order(.hangUp(id))) }
        actions.append(.ended(id, end))
    }
}

/// What `ModemCaller` orders or tells.
package enum ModemCallerAction: Equatable, Sendable {
    case order(ModemOrder)
    case ended(CallID, ModemCallEnd)
}

/// What became of a call by the modem.
package enum ModemCallEnd: Equatable, Sendable {
    case pressed
    /// It rang, perhaps, and nobody pressed a key that the modem could hear.
    case unanswered
    /// The same, and whoever took it heard nothing: the modem could neither speak nor send a tone.
    case silent(ModemFailure)
    /// The modem did not make it.
    case refused(ModemFailure)
}
