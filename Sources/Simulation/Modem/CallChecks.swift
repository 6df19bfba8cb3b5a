import AlarmModel
import ApplianceCore
import Uplinks

/// What the world remembers of the modem's calls, to hold the promise about them against.
///
/// Guarantees: no call is passed over that goes to a stranger, beside another one or too soon behind it, that rings or
/// talks on for longer than people listen, or in which somebody speaks who was not asked; and no pressed key that comes to
/// nothing. Knows nothing of why there is a call.
struct CallChecks: Sendable {
    private struct Call: Sendable {
        var id: CallID
        var since: BootTime
        var takenAt: BootTime?
        var isSpoken = false
        var toneAt: BootTime?
    }

    private var current: Call?
    private var endedAt: BootTime?
    /// A key was pressed in the call, and no event says so.
    private var pressedAt: BootTime?
    /// Calls over all runs.
    private(set) var count = 0

    private static let slack = Duration.seconds(1)

    mutating func restarted() { (current, endedAt, pressedAt) = (nil, nil, nil) }

    // MARK: What the daemon hears and writes

    mutating func heard(_ id: CallID, _ fact: VoiceCallFact, at now: BootTime) {
        guard let call = current, call.id == id else { return }
        switch fact {
        case .answered: current?.takenAt = call.takenAt ?? now
        case .keyPressed: pressedAt = pressedAt ?? now
        case .ended: end(at: now)
        // Hung up by the core.
        case .failed, .unspoken, .toneFailed: break
        }
    }

    mutating func ordered(_ batch: Batch) {
        let isTold = batch.events.contains { event in
            event.code == EventCode.call.rawValue
                && (event.message.contains(" pressed a key in the call ") || event.message.contains("key was pressed"))
        }
        if isTold { pressedAt = nil }
    }

    private mutating func end(at now: BootTime) { (current, endedAt) = (nil, now) }

    // MARK: What it orders

    mutating func check(
        _ order: ModemOrder, by settings: CallerSettings?, from here: Standpoint
    ) throws(Violation) {
        switch order {
        case .call(let id, let number): try begins(id, to: number, by: settings, from: here)
        case .speak(let id, let words, _):
            guard let call = current, call.id == id, call.takenAt != nil, !call.isSpoken else {
                throw here.broken(.callsKeepTheLine, "words for call \(id.number), and it is not the time for them")
            }
            current?.isSpoken = true
            try ModemChecks.checkSecrets(in: words.text, from: here)
        case .sendTone(let id, _):
            guard let call = current, call.id == id, call.isSpoken else {
                throw here.broken(.callsKeepTheLine, "a tone for call \(id.number), to which nobody listens")
            }
            if let last = call.toneAt, here.now - last < ModemCaller.tonePause - Self.slack {
                throw here.broken(.callsKeepTheLine, "a tone \(here.now - last) after the last")
            }
            current?.toneAt = here.now
        case .hangUp(let id):
            guard current?.id == id else {
                throw here.broken(.callsKeepTheLine, "call \(id.number) is hung up and is not under way")
            }
            end(at: here.now)
        case .find, .unlock, .enable, .connect, .disconnect, .reset, .sendText: break
        }
    }

    private mutating func begins(
        _ id: CallID, to number: String, by settings: CallerSettings?, from here: Standpoint
    ) throws(Violation) {
        guard let settings, settings.provider == nil, settings.people.contains(where: { $0.number == number }) else {
            throw here.broken(.callsKeepTheLine, "'\(number)' is called, and nobody has said so")
        }
        if let current { throw here.broken(.callsKeepTheLine, "a call beside call \(current.id.number)") }
        if let endedAt, here.now - endedAt < ModemCaller.callPause {
            throw here.broken(.callsKeepTheLine, "a call \(here.now - endedAt) after the last")
        }
        current = Call(id: id, since: here.now)
        count += 1
    }

    // MARK: Every few seconds

    func look(_ store: SimulatedStore, from here: Standpoint) throws(Violation) {
        if let call = current {
            let end = call.takenAt.map { $0 + ModemCaller.talkSpan } ?? (call.since + ModemCaller.ringPatience)
            guard here.now - end <= Self.slack else {
                throw here.broken(.callsKeepTheLine, "call \(call.id.number) goes on for \(here.now - call.since)")
            }
        }
        // While the store takes nothing, the event waits in the core.
        guard let pressedAt, store.isSound(at: here.now) else { return }
        if here.now - max(pressedAt, store.goodSince) > .seconds(20) {
            throw here.broken(.keysAreHeard, "a key was pressed \(here.now - pressedAt) ago, and nothing says so")
        }
    }
}
