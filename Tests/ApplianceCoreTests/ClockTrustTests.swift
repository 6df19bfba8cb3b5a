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
    func aClockBehindTheNewestEntryIsFlooredThereAndNotTrusted() {
        var clock = ClockTrust(floor: WallTime(milliseconds: Self.noon))
        let early = refine(&clock, 1, -Self.hour)
        #expect(early.wall.milliseconds == Self.noon)
        #expect(!early.isWallTrusted)
        #expect(clock.doubt == .behind)
        #expect(refine(&clock, 2, 0).isWallTrusted)
    }

    @Test("without synchronisation the time is taken and not trusted")
    func withoutSynchronisationTheTimeIsTakenAndNotTrusted() {
        var clock = ClockTrust(floor: WallTime(milliseconds: Self.noon))
        let moment = refine(&clock, 1, 500, false)
        #expect(moment.wall.milliseconds == Self.noon + 500)
        #expect(!moment.isWallTrusted)
        #expect(clock.doubt == .unsynchronised)
    }

    @Test("the floor is the newest entry or the build, whichever is later")
    func theFloorIsTheNewestEntryOrTheBuild() {
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
    func aStepBackOfMoreThan5SEndsTheTrustUntilTheClockHasPassed(_ seconds: Int64) {
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
    func aStepOfLessThan5SAgainstTheBootClockIsAnAdjustment() {
        var clock = ClockTrust()
        #expect(refine(&clock, 0, 0).isWallTrusted)
        #expect(refine(&clock, 60, 56_000).isWallTrusted)
    }

    @Test("ten years ahead at once is not believed and dates nothing, and trust returns when the clock does")
    func tenYearsAheadAtOnceIsNotBelievedAndDatesNothing() {
        var clock = ClockTrust()
        _ = refine(&clock, 0, 0)
        let decade = 87_600 * Self.hour
        let leapt = refine(&clock, 10, decade)
        #expect(clock.doubt == .leapt)
        #expect(leapt.wall.milliseconds == Self.noon + 10_000)
        #expect(!refine(&clock, 20, decade + 10_000, false).isWallTrusted)
        #expect(refine(&clock, 30, 30_000).isWallTrusted)
    }

    @Test("synchronised anew, years ahead are not believed either, until a server that has proved who it is agrees")
    func synchronisedAnewYearsAheadAreNotBelievedEither() {
        var clock = ClockTrust()
        _ = refine(&clock, 0, 0)
        let decade = 87_600 * Self.hour
        #expect(refine(&clock, 10, decade, false).wall.milliseconds == Self.noon + 10_000)
        let later = refine(&clock, 20, decade + 10_000)
        #expect(clock.doubt == .leapt && later.wall.milliseconds == Self.noon + 20_000)
        #expect(refine(&clock, 100 * 3600, decade + 100 * Self.hour).isWallTrusted == false)
        let now = refine(&clock, 360_030, decade + 360_020_000)
        let agreed = clock.heard(WallTime(milliseconds: Self.noon + decade + 360_020_000), of: "a.example", at: now)
        #expect(agreed.isWallTrusted)
        #expect(agreed.wall.milliseconds == Self.noon + decade + 360_020_000)
    }

    @Test("hours that are added day by day count together since the last proof")
    func hoursThatAreAddedDayByDayCountTogether() {
        var clock = ClockTrust()
        _ = refine(&clock, 0, 0)
        #expect(refine(&clock, 86_400, 47 * Self.hour).isWallTrusted)
        let second = refine(&clock, 172_800, 94 * Self.hour)
        #expect(clock.doubt == .leapt && second.wall.milliseconds == Self.noon + 48 * Self.hour)
    }

    @Test("after days without power a box believes the time servers once a server agrees, or an hour has passed alone")
    func afterDaysWithoutPower() {
        let newest = WallTime(milliseconds: Self.noon)
        for isAlone in [true, false] {
            var clock = ClockTrust(floor: newest, newestEvent: newest)
            let now = refine(&clock, 10, 300 * Self.hour)
            #expect(clock.doubt == .leapt && now.wall.milliseconds == Self.noon)
            guard isAlone else {
                let told = WallTime(milliseconds: Self.noon + 300 * Self.hour)
                #expect(clock.heard(told, of: "a.example", at: now).isWallTrusted)
                continue
            }
            #expect(!refine(&clock, 10 + 3599, 300 * Self.hour + 3_599_000).isWallTrusted)
            #expect(refine(&clock, 10 + 3600, 301 * Self.hour).isWallTrusted)
        }
    }

    @Test("a journal that a forged time dated years ahead is healed by servers that agree with the clock")
    func aJournalThatAForgedTimeDatedYearsAheadIsHealed() {
        let forged = WallTime(milliseconds: Self.noon + 87_600 * Self.hour)
        var clock = ClockTrust(floor: forged, newestEvent: forged)
        let now = refine(&clock, 10, 0)
        #expect(clock.doubt == .behind)
        let healed = clock.heard(WallTime(milliseconds: Self.noon), of: "a.example", at: now)
        #expect(healed.isWallTrusted && healed.wall.milliseconds == Self.noon)
    }

    // MARK: What is told to servers

    @Test(
        "once the clock was right, forged time changes nothing of what servers see",
        arguments: [131_400, -26_280, 48] as [Int64])
    func onceTheClockWasRightForgedTimeChangesNothing(hours: Int64) {
        var clock = ClockTrust()
        _ = refine(&clock, 0, 0)
        #expect(clock.timeForServers == nil)
        for seconds in [10, 7200] {
            _ = refine(&clock, seconds, hours * Self.hour + Int64(seconds) * 1000)
            #expect(clock.timeForServers?.milliseconds == Self.noon + Int64(seconds) * 1000)
        }
        _ = refine(&clock, 7300, 7_300_000)
        #expect(clock.timeForServers == nil)
    }

    @Test("two hours ahead, which a server contradicts: tokens are signed at the time that was proved before")
    func twoHoursAheadWhichAServerContradicts() {
        var clock = ClockTrust()
        let now = refine(&clock, 0, 0)
        _ = clock.heard(now.wall, of: "a.example", at: now)
        _ = refine(&clock, 10, 2 * Self.hour)
        #expect(clock.doubt == .contradicted)
        #expect(clock.timeForServers?.milliseconds == Self.noon + 10_000)
    }

    @Test(
        "hours ahead, and a part of the way back after a restart: tokens are signed at what servers say, not at the floor"
    )
    func hoursAheadAndAPartOfTheWayBack() {
        let forged = WallTime(milliseconds: Self.noon + 20 * Self.hour)
        var clock = ClockTrust(floor: forged, newestEvent: forged)
        let now = refine(&clock, 10, 18 * Self.hour)
        _ = clock.heard(WallTime(milliseconds: Self.noon + 10_000), of: "a.example", at: now)
        #expect(clock.doubt == .behind)
        #expect(clock.timeForServers?.milliseconds == Self.noon + 10_000)
        // The system's clock is right again, and the core's own is not yet.
        #expect(refine(&clock, 20, 20_000).wall == forged)
        #expect(clock.doubt == .behind)
        #expect(clock.timeForServers?.milliseconds == Self.noon + 20_000)
        // While no server has spoken nobody knows which of both is right.
        var alone = ClockTrust(floor: forged, newestEvent: forged)
        _ = refine(&alone, 10, 0)
        #expect(alone.doubt == .behind && alone.timeForServers == nil)
        // Less than what counts as a difference stays the system's.
        var near = ClockTrust(floor: WallTime(milliseconds: Self.noon + 60_000))
        _ = refine(&near, 10, 0)
        #expect(near.doubt == .behind && near.timeForServers == nil)
    }

    @Test("forged from the start: the objection of a certificate leads to the time of the journal, and back again")
    func forgedFromTheStart() {
        let newest = WallTime(milliseconds: Self.noon)
        var clock = ClockTrust(floor: newest, newestEvent: newest)
        let decade = 87_600 * Self.hour
        let now = refine(&clock, 1, decade)
        #expect(clock.timeForServers == nil)
        for number in 1...2 { clock.secures(ConnectionID(UInt64(number))) }
        let end = clock.explaining(.tls(.certificateExpired), of: ConnectionID(1), at: now)
        #expect(clock.timeForServers == newest)
        #expect(end == .tls(.clockDoubtful(newest)))
        // Another that was held against the same time says the same.
        _ = clock.explaining(.tls(.certificateExpired), of: ConnectionID(2), at: refine(&clock, 5, decade + 4000))
        #expect(clock.timeForServers?.milliseconds == Self.noon + 4000)
        clock.secures(ConnectionID(3))
        let later = refine(&clock, 6, decade + 5000)
        _ = clock.explaining(.tls(.certificateNotYetValid), of: ConnectionID(3), at: later)
        #expect(clock.timeForServers == nil)
    }

    @Test("a start that knows a forged time alone goes by when a certificate was good at last, to the hour")
    func aStartThatKnowsAForgedTimeAlone() throws {
        var first = ClockTrust()
        _ = refine(&first, 0, 0)
        #expect(first.acceptedTime == nil)
        first.secures(ConnectionID(1))
        first.secured(ConnectionID(1), at: refine(&first, 1, 1000))
        let accepted = try #require(first.acceptedTime)
        #expect(accepted.milliseconds == Self.noon / Self.hour * Self.hour)

        var clock = ClockTrust(accepted: accepted)
        let now = refine(&clock, 1, 87_600 * Self.hour)
        #expect(clock.acceptedTime == accepted)
        for number in 2...4 where clock.timeForServers != accepted {
            clock.secures(ConnectionID(UInt64(number)))
            _ = clock.explaining(.tls(.certificateExpired), of: ConnectionID(UInt64(number)), at: now)
        }
        #expect(clock.timeForServers == accepted)
    }

    @Test("a time at which a certificate was good is the one that all servers are told from then on")
    func aTimeAtWhichACertificateWasGoodIsTheOneForAll() {
        let accepted = WallTime(milliseconds: Self.noon)
        var clock = ClockTrust(accepted: accepted)
        // Three years behind, in step with a forged time server, and no journal that knows better.
        let now = refine(&clock, 1, -26_280 * Self.hour)
        #expect(now.isWallTrusted)
        var ends: [ConnectionEnd] = []
        for number in 1...2 {
            clock.secures(ConnectionID(UInt64(number)))
            ends.append(clock.explaining(.tls(.certificateNotYetValid), of: ConnectionID(UInt64(number)), at: now))
        }
        // Another time is left each time: it is tried soon, and the server is not to blame.
        #expect(ends.allSatisfy { if case .tls(.clockDoubtful) = $0 { true } else { false } })
        #expect(clock.timeForServers == accepted)
        clock.secures(ConnectionID(3))
        clock.secured(ConnectionID(3), at: now)
        #expect(clock.timeForServers == accepted)
        // Where the certificate is bad at each of them, that is said.
        for number in 4...6 {
            clock.secures(ConnectionID(UInt64(number)))
            ends.append(clock.explaining(.tls(.certificateNotYetValid), of: ConnectionID(UInt64(number)), at: now))
        }
        #expect(ends.contains(.tls(.certificateNotYetValid)))
    }

    @Test("a server with a bad certificate moves nobody's time while other servers agree with the clock")
    func aServerWithABadCertificateMovesNobodysTime() {
        // Switched off for two days, so that there is another time to go on to.
        let before = WallTime(milliseconds: Self.noon - 48 * Self.hour)
        for isHeardBefore in [true, false] {
            var clock = ClockTrust(floor: before, newestEvent: before, accepted: before)
            let now = refine(&clock, 1, 1000)
            let right = WallTime(milliseconds: Self.noon + 1000)
            if isHeardBefore { _ = clock.heard(right, of: "good.example", at: now) }
            clock.secures(ConnectionID(1))
            let end = clock.explaining(.tls(.certificateExpired), of: ConnectionID(1), at: refine(&clock, 2, 2000))
            if !isHeardBefore {
                // It went on to another time, at which the next server proves itself, and says what time it is.
                clock.secures(ConnectionID(2))
                clock.secured(ConnectionID(2), at: refine(&clock, 3, 3000))
                _ = clock.heard(
                    WallTime(milliseconds: Self.noon + 3000), of: "good.example", at: refine(&clock, 3, 3000))
            } else {
                #expect(end == .tls(.certificateExpired))
            }
            let later = refine(&clock, 4, 4000)
            #expect(later.isWallTrusted)
            #expect(clock.timeForServers == nil)
        }
    }

    @Test("a restart knows when a server's certificate was good, also where the journal does not")
    func aRestartKnowsWhenAServersCertificateWasGood() throws {
        var bench = Bench.withTopics()
        try #require(bench.pairStoreApp() != nil)
        let known = try #require(bench.snapshot?.acceptedTime)
        #expect(bench.now.wall - known < .hours(2))
    }

    @Test(
        "an alarm goes out over TLS within 45 s, whatever the time servers say, since the start or later",
        arguments: [131_400, -26_280, 2, 23] as [Int64], [true, false])
    func anAlarmGoesOutWhateverTheTimeServersSay(hours: Int64, isFromStart: Bool) throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        let certificate = (bench.now.wall + .hours(-24 * 30), bench.now.wall + .hours(24 * 60))
        bench.now.wall = bench.now.wall + .hours(Int(hours))
        if isFromStart {
            bench = bench.restarted()
            bench.logIn()
        }
        bench.topics.certificate = certificate
        for connection in bench.topics.connections { bench.feed(.closed(connection, .reset)) }
        let before = bench.topics.published.count
        bench.panel("6011003")
        bench.advance(.seconds(45))
        #expect(bench.topics.published.dropFirst(before).contains { $0.title.contains("ALARM") })
    }

    private func bench() -> Bench {
        let bench = Bench.up()
        #expect(bench.events(.clock).isEmpty)
        return bench
    }

    @Test("a step back is an event at once, and so is the recovery")
    func aStepBackIsAnEventAtOnce() {
        var bench = bench()
        bench.now.wall = bench.now.wall + .seconds(-600)
        bench.panel("609003")
        #expect(bench.events(.clock).map(\.type) == [.fault])
        bench.advance(.minutes(11))
        #expect(bench.events(.clock).map(\.type) == [.fault, .recovery])
        #expect(bench.stored.map(\.event.time).max() == bench.stored.last?.event.time)
    }

    @Test("synchronisation that comes and goes makes no events")
    func synchronisationThatComesAndGoesMakesNoEvents() {
        var bench = bench()
        for _ in 0..<100 {
            bench.now.isWallTrusted.toggle()
            bench.advance(.seconds(40))
        }
        #expect(bench.events(.clock).isEmpty)
    }

    @Test("synchronisation lost for 5 min is an event, exactly then")
    func synchronisationLostFor5MinIsAnEvent() {
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
    func aStartWithoutSynchronisationTellsWhenTheClockIsTrusted() {
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
