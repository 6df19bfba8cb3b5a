import AlarmModel
import ApplianceCore
import Testing

@Suite struct ClockTrustTests {
    private static let noon: Int64 = 1_795_000_000_000
    private static let hour: Int64 = 3_600_000

    private func refine(_ clock: inout ClockTrust, _ boot: Int, _ wall: Int64, _ synchronised: Bool = true) -> Moment {
        clock.refine(Bench.moment(.seconds(boot), Self.noon + wall, synchronised))
    }

    @Test("a clock behind the newest entry is floored there and not trusted, synchronised or not")
    func floor() {
        var clock = ClockTrust(floor: WallTime(milliseconds: Self.noon))
        let early = refine(&clock, 1, -Self.hour)
        #expect(early.wall.milliseconds == Self.noon)
        #expect(!early.isWallTrusted)
        #expect(clock.doubt == .behind)
        #expect(refine(&clock, 2, 0).isWallTrusted)
    }

    @Test("without synchronisation the time is taken and not trusted")
    func unsynchronised() {
        var clock = ClockTrust(floor: WallTime(milliseconds: Self.noon))
        let moment = refine(&clock, 1, 500, false)
        #expect(moment.wall.milliseconds == Self.noon + 500)
        #expect(!moment.isWallTrusted)
        #expect(clock.doubt == .unsynchronised)
    }

    @Test("the floor is the newest entry or the build, whichever is later")
    func start() {
        for (newest, build) in [(5, 9), (9, 5)] as [(Int64, Int64)] {
            var bench = Bench()
            bench.now.wall = WallTime(milliseconds: 0)
            bench.start {
                $0.newestEvent = WallTime(milliseconds: Self.noon + newest)
                $0.buildTime = WallTime(milliseconds: Self.noon + build)
            }
            #expect(bench.stored[0].event.time == WallTime(milliseconds: Self.noon + 9))
            #expect(!bench.stored[0].event.isTimeTrusted)
        }
    }

    @Test("a step back of more than 5 s ends the trust until the clock has passed where it was", arguments: [10, 3600])
    func stepBack(_ seconds: Int64) {
        var clock = ClockTrust()
        #expect(refine(&clock, 0, 0).isWallTrusted)
        #expect(refine(&clock, 100, 100_000).isWallTrusted)
        let back = refine(&clock, 130, 130_000 - seconds * 1000)
        #expect(!back.isWallTrusted)
        #expect(back.wall.milliseconds == Self.noon + 130_000)
        #expect(!refine(&clock, 131, 131_000 - seconds * 1000).isWallTrusted)
        #expect(refine(&clock, 131 + Int(seconds), 131_000).isWallTrusted)
    }

    @Test("a step of less than 5 s against the boot clock is an adjustment")
    func adjustment() {
        var clock = ClockTrust()
        #expect(refine(&clock, 0, 0).isWallTrusted)
        #expect(refine(&clock, 60, 56_000).isWallTrusted)
    }

    @Test("ten years ahead at once is not believed and dates nothing, and trust returns when the clock does")
    func leap() {
        var clock = ClockTrust()
        _ = refine(&clock, 0, 0)
        let decade = 87_600 * Self.hour
        let leapt = refine(&clock, 10, decade)
        #expect(clock.doubt == .leapt)
        #expect(leapt.wall.milliseconds == Self.noon + 10_000)
        #expect(!refine(&clock, 20, decade + 10_000, false).isWallTrusted)
        #expect(refine(&clock, 30, 30_000).isWallTrusted)
    }

    @Test("a clock that is set years ahead without synchronisation dates nothing either, until a time server agrees")
    func setByHand() {
        var clock = ClockTrust()
        _ = refine(&clock, 0, 0)
        let decade = 87_600 * Self.hour
        #expect(refine(&clock, 10, decade, false).wall.milliseconds == Self.noon + 10_000)
        let agreed = refine(&clock, 20, decade + 10_000)
        #expect(agreed.isWallTrusted)
        #expect(agreed.wall.milliseconds == Self.noon + decade + 10_000)
    }

    private func bench() -> Bench {
        let bench = Bench.up()
        #expect(bench.events(.clock).isEmpty)
        return bench
    }

    @Test("a step back is an event at once, and so is the recovery")
    func events() {
        var bench = bench()
        bench.now.wall = bench.now.wall + .seconds(-600)
        bench.panel("609003")
        #expect(bench.events(.clock).map(\.type) == [.fault])
        bench.advance(.minutes(11))
        #expect(bench.events(.clock).map(\.type) == [.fault, .recovery])
        #expect(bench.stored.map(\.event.time).max() == bench.stored.last?.event.time)
    }

    @Test("synchronisation that comes and goes makes no events")
    func flicker() {
        var bench = bench()
        for _ in 0..<100 {
            bench.now.isWallTrusted.toggle()
            bench.advance(.seconds(40))
        }
        #expect(bench.events(.clock).isEmpty)
    }

    @Test("synchronisation lost for 5 min is an event, exactly then")
    func lost() {
        var bench = bench()
        bench.now.isWallTrusted = false
        bench.panel("609003")
        bench.advance(.minutes(5) - .nanoseconds(1))
        #expect(bench.events(.clock).isEmpty)
        bench.advance(.nanoseconds(1))
        #expect(bench.events(.clock).map(\.type) == [.fault])
        bench.advance(.minutes(60))
        bench.now.isWallTrusted = true
        bench.panel("610003")
        #expect(bench.events(.clock).map(\.type) == [.fault, .recovery])
    }

    @Test("a start without synchronisation tells when the clock is trusted, not that it was not")
    func untrustedStart() {
        var bench = Bench()
        bench.now.isWallTrusted = false
        bench.start()
        bench.advance(.minutes(20))
        #expect(bench.events(.clock).isEmpty)
        bench.now.isWallTrusted = true
        bench.advance(.minutes(1))
        #expect(bench.events(.clock).map(\.type) == [.recovery])
    }
}
