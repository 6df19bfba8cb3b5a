import AlarmModel
import PhoneLink
import Testing

/// A reconnector with a clock and its owner's generator.
private struct Try {
    var attempts: Reconnector
    var jitter = Jitter(seed: 7)
    var now = Moment(boot: .zero + .seconds(1000), wall: WallTime(milliseconds: 0), isWallTrusted: false)

    init(
        dialPatience: Duration? = .seconds(90), setupPatience: Duration? = .seconds(15),
        steadyAfter: Duration? = .seconds(60)
    ) {
        attempts = Reconnector(
            pace: ReconnectPace(), dialPatience: dialPatience, setupPatience: setupPatience, steadyAfter: steadyAfter)
    }

    /// - Returns: the wait that follows
    @discardableResult mutating func fail(isRefusal: Bool = false, atLeast least: Duration = .zero) -> Duration {
        attempts.fail(isRefusal: isRefusal, atLeast: least, at: now, &jitter)
        return (attempts.nextDeadline ?? now.boot) - now.boot
    }

    mutating func pass(_ span: Duration) { now.boot = now.boot + span }

    mutating func connects() -> Bool { attempts.connected(at: now) }

    /// Ready for so long, and then lost.
    mutating func lost(after span: Duration) -> Duration {
        attempts.dial(at: now)
        _ = attempts.connected(at: now)
        attempts.becameReady(since: now.boot)
        pass(span)
        return fail()
    }
}

@Suite("Attempts to connect")
struct ReconnectorTests {
    @Test("each step shows, and has its own deadline")
    func eachStepShowsAndHasItsOwnDeadline() {
        var rig = Try()
        #expect(rig.attempts.shown == .stopped && !rig.attempts.isRunning && rig.attempts.nextDeadline == nil)
        rig.attempts.rest()
        #expect(rig.attempts.shown == .waiting && rig.attempts.isRunning && rig.attempts.nextDeadline == nil)
        rig.attempts.dial(at: rig.now)
        #expect(rig.attempts.shown == .connecting && rig.attempts.nextDeadline == rig.now.boot + .seconds(90))
        rig.pass(.seconds(90) - .nanoseconds(1))
        #expect(rig.attempts.due(at: rig.now) == nil)
        rig.pass(.nanoseconds(1))
        #expect(rig.attempts.due(at: rig.now) == .dialStalled)
        let isInTime = rig.connects()
        #expect(isInTime && rig.attempts.shown == .loggingIn && rig.attempts.due(at: rig.now) == nil)
        rig.pass(.seconds(15))
        #expect(rig.attempts.due(at: rig.now) == .setupStalled)
        rig.attempts.becameReady(since: rig.now.boot)
        #expect(rig.attempts.shown == .ready && rig.attempts.isReady && rig.attempts.nextDeadline == nil)
        rig.pass(rig.fail())
        #expect(rig.attempts.shown == .waiting && rig.attempts.due(at: rig.now) == .attempt)
        rig.attempts.stop()
        #expect(rig.attempts.phase == .stopped && rig.attempts.due(at: rig.now) == nil)
    }

    @Test("a step without a patience has no deadline")
    func aStepWithoutAPatienceHasNoDeadline() {
        var rig = Try(dialPatience: nil, setupPatience: nil)
        rig.attempts.dial(at: rig.now)
        #expect(rig.attempts.nextDeadline == nil)
        let isInTime = rig.connects()
        #expect(isInTime && rig.attempts.nextDeadline == nil)
        rig.pass(.hours(100))
        #expect(rig.attempts.due(at: rig.now) == nil)
    }

    @Test("a connection that nobody waits for any more comes too late")
    func aConnectionThatNobodyWaitsForAnyMoreComesTooLate() {
        var rig = Try()
        let isTooEarly = !rig.connects()
        rig.attempts.dial(at: rig.now)
        rig.fail()
        let isTooLate = !rig.connects()
        #expect(isTooEarly && isTooLate && rig.attempts.isWaiting)
    }

    @Test("waits grow from one second to a minute with full jitter, one draw each, and a success ends that")
    func waitsGrowFromOneSecondToAMinuteWithFullJitter() {
        var rig = Try()
        var jitter = rig.jitter
        for attempt in 0..<100 {
            let limit = Duration.seconds(min(60, 1 << min(attempt, 10)))
            let (wait, expected) = (rig.fail(), jitter.duration(in: .zero..<limit))
            #expect(wait == expected)
        }
        rig.attempts.succeeded()
        let (wait, expected) = (rig.fail(), jitter.duration(in: .zero..<(.seconds(1))))
        #expect(wait == expected && rig.jitter == jitter)
    }

    @Test("refusals wait from five minutes to an hour, without a draw and without changing the other count")
    func refusalsWaitFromFiveMinutesToAnHour() {
        var rig = Try()
        let jitter = rig.jitter
        let minutes = (0..<6).map { _ in rig.fail(isRefusal: true) }
        #expect(minutes == [5, 10, 20, 40, 60, 60].map { .minutes($0) } && rig.jitter == jitter)
        let other = rig.fail()
        #expect(other < .seconds(1))
    }

    @Test("the owner can ask for a longer wait, or for one that counts for nothing")
    func theOwnerCanAskForALongerWait() {
        var rig = Try()
        let waits = [rig.fail(atLeast: .seconds(30)), rig.fail(isRefusal: true, atLeast: .seconds(30))]
        #expect(waits == [.seconds(30), .minutes(5)])
        let jitter = rig.jitter
        for _ in 0..<20 { rig.attempts.wait(.seconds(3), isRefusal: false, at: rig.now) }
        #expect(rig.attempts.nextDeadline == rig.now.boot + .seconds(3) && rig.jitter == jitter)
        let second = rig.fail()
        #expect(second < .seconds(2))
    }

    @Test("what was ready for a minute begins anew; what was not, or may not count as steady, does not")
    func whatWasReadyForAMinuteBeginsAnew() {
        func wait(after span: Duration, steadyAfter: Duration? = .seconds(60)) -> Duration {
            var longest = Duration.zero
            for seed in 1...30 as ClosedRange<UInt64> {
                var rig = Try(steadyAfter: steadyAfter)
                rig.jitter = Jitter(seed: seed)
                for _ in 0..<8 { rig.fail() }
                longest = max(longest, rig.lost(after: span))
            }
            return longest
        }
        #expect(wait(after: .seconds(60) - .nanoseconds(1)) > .seconds(30))
        #expect(wait(after: .seconds(60)) < .seconds(1))
        #expect(wait(after: .hours(1), steadyAfter: nil) > .seconds(30))
    }

    @Test("when something urgent comes a wait is cut once, later ones are short, and refusals do not double")
    func whenSomethingUrgentComesAWaitIsCutOnce() {
        var rig = Try()
        for _ in 0..<5 { rig.fail(isRefusal: true) }
        rig.attempts.setUrgent(true, at: rig.now)
        #expect(rig.attempts.nextDeadline == rig.now.boot + .seconds(5))
        rig.attempts.wait(.minutes(1), isRefusal: false, at: rig.now)
        rig.attempts.setUrgent(true, at: rig.now)
        #expect(rig.attempts.nextDeadline == rig.now.boot + .minutes(1))
        let waits = (0..<20).map { _ in rig.fail() }
        let refusal = rig.fail(isRefusal: true)
        #expect(waits.allSatisfy { $0 < .seconds(5) } && refusal == .minutes(5))
        rig.attempts.setUrgent(false, at: rig.now)
        rig.attempts.wait(.seconds(2), isRefusal: false, at: rig.now)
        rig.attempts.setUrgent(true, at: rig.now)
        #expect(rig.attempts.nextDeadline == rig.now.boot + .seconds(2))
    }

    @Test("an alarm cuts the wait after a refusal, too, once: what is refused again waits its full time")
    func anAlarmCutsTheWaitAfterARefusal() {
        var rig = Try()
        rig.fail(isRefusal: true)
        rig.attempts.setUrgent(true, at: rig.now)
        #expect(rig.attempts.nextDeadline == rig.now.boot + .seconds(5))
        let again = rig.fail(isRefusal: true)
        #expect(again >= .minutes(5))
        rig.attempts.setUrgent(true, at: rig.now)
        #expect(rig.attempts.nextDeadline == rig.now.boot + again)
    }

    @Test("another network is of interest to whoever waits, unless only a person can change it")
    func anotherNetworkIsOfInterestToWhoeverWaits() {
        var rig = Try()
        #expect(!rig.attempts.waitsForNetwork)
        rig.fail()
        #expect(rig.attempts.waitsForNetwork)
        rig.fail(isRefusal: true)
        #expect(!rig.attempts.waitsForNetwork && rig.attempts.isWaiting)
        rig.attempts.dial(at: rig.now)
        #expect(!rig.attempts.waitsForNetwork)
    }
}
