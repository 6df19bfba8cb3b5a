import AlarmModel
import Testing
import Uplinks

@Suite("Calls by the modem, one after the other")
struct ModemCallerTests {
    private struct Line {
        var caller = ModemCaller(speaker: "/s")
        var seconds = 0
        var actions: [ModemCallerAction] = []

        var now: Moment { ModemBench.moment(seconds) }

        init(_ numbers: String...) {
            for (index, number) in numbers.enumerated() {
                caller.call(
                    CallID(UInt64(index + 1)), number, SpokenWords("Fire \(index + 1)", in: .german), at: now,
                    into: &actions)
            }
        }

        mutating func take() -> [ModemCallerAction] {
            defer { actions = [] }
            return actions
        }

        mutating func hear(_ id: UInt64, _ fact: VoiceCallFact) -> [ModemCallerAction] {
            caller.heard(CallID(id), fact, at: now, into: &actions)
            return take()
        }

        /// With the timer at each of its deadlines.
        mutating func pass(_ span: Int) -> [ModemCallerAction] {
            let end = seconds + span
            while let due = caller.nextDeadline, due <= ModemBench.moment(end).boot {
                seconds = max(seconds, Int(due.nanoseconds / 1_000_000_000))
                caller.timerFired(at: now, into: &actions)
            }
            seconds = end
            return take()
        }
    }

    private static let first = CallID(1)

    @Test("it rings for a minute; then the modem hangs up and the next is called five seconds later")
    func itRingsForAMinute() {
        var line = Line("+1", "+2")
        #expect(line.take() == [.order(.call(Self.first, number: "+1"))])
        #expect(line.pass(59) == [])
        #expect(line.pass(1) == [.order(.hangUp(Self.first)), .ended(Self.first, .unanswered)])
        #expect(line.pass(4) == [])
        #expect(line.pass(1) == [.order(.call(CallID(2), number: "+2"))])
    }

    private static let spoken = ModemCallerAction.order(
        .speak(first, SpokenWords("Fire 1", in: .german), socket: "/s"))

    @Test("whoever takes the call is spoken to for 40 s")
    func whoeverTakesTheCallIsSpokenTo() {
        var line = Line("+1")
        _ = line.pass(20)
        #expect(line.hear(1, .unspoken(ModemFailure(.other))) == [], "nobody has taken it")
        #expect(line.hear(1, .answered) == [Self.spoken])
        #expect(line.hear(1, .answered) == [], "told twice, it begins once")
        #expect(line.pass(39) == [])
        #expect(line.pass(1) == [.order(.hangUp(Self.first)), .ended(Self.first, .unanswered)])
    }

    @Test("where nothing speaks they hear a tone every two seconds, as long")
    func whereNothingSpeaksTheyHearTones() {
        var line = Line("+1")
        _ = line.pass(20)
        #expect(line.hear(1, .answered) == [Self.spoken])
        #expect(line.hear(1, .unspoken(ModemFailure(.other))) == [.order(.sendTone(Self.first, "D"))])
        #expect(line.hear(1, .unspoken(ModemFailure(.other))) == [], "told twice, they begin once")
        let heard = line.pass(40)
        #expect(heard.count { $0 == .order(.sendTone(Self.first, "D")) } == 19)
        #expect(heard.suffix(2) == [.order(.hangUp(Self.first)), .ended(Self.first, .unanswered)])
        #expect(line.caller.nextDeadline == nil)
    }

    @Test("a key ends it, also where the modem never says that somebody has taken the call")
    func aKeyEndsIt() {
        var line = Line("+1")
        _ = line.pass(20)
        #expect(line.hear(2, .keyPressed) == [], "of another call")
        #expect(line.hear(1, .keyPressed) == [.order(.hangUp(Self.first)), .ended(Self.first, .pressed)])
        #expect(line.hear(1, .keyPressed) == [])
    }

    @Test("who hangs up, and a modem that sends no tone, are told as what they are")
    func whoHangsUpIsTold() {
        var line = Line("+1", "+2", "+3")
        #expect(line.hear(1, .ended) == [.order(.call(Self.first, number: "+1")), .ended(Self.first, .unanswered)])
        _ = line.pass(5)
        _ = line.hear(2, .answered)
        _ = line.hear(2, .unspoken(ModemFailure(.other)))
        let why = ModemFailure(.other, "not supported")
        #expect(line.hear(2, .toneFailed(why)) == [])
        #expect(line.hear(2, .ended) == [.ended(CallID(2), .silent(why))])
        _ = line.pass(5)
        #expect(line.hear(3, .failed(why)) == [.order(.hangUp(CallID(3))), .ended(CallID(3), .refused(why))])
    }

    @Test("a call that was dropped before it began is never made; the end of all tells each")
    func aCallThatWasDroppedIsNeverMade() {
        var line = Line("+1", "+2", "+3")
        line.caller.drop(CallID(2))
        _ = line.hear(1, .ended)
        #expect(line.pass(5) == [.order(.call(CallID(3), number: "+3"))])
        line = Line("+1", "+2")
        _ = line.take()
        line.caller.stop(at: line.now, into: &line.actions)
        #expect(
            line.take() == [
                .order(.hangUp(Self.first)), .ended(Self.first, .unanswered), .ended(CallID(2), .unanswered),
            ])
        #expect(line.pass(100) == [])
    }
}
