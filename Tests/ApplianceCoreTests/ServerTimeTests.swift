import AlarmModel
import ApplianceCore
import PhoneProtocol
import Simulators
import Testing

@Suite("What servers say about the clock")
struct ServerTimeTests {
    private static let noon: Int64 = 1_795_000_000_000

    private func moment(_ boot: Duration, ahead: Duration = .zero, _ synchronised: Bool = true) -> Moment {
        Bench.moment(boot, Self.noon + (boot + ahead).milliseconds, synchronised)
    }
    private func time(_ boot: Duration, ahead: Duration = .zero) -> WallTime { moment(boot, ahead: ahead).wall }

    @Test("up to 5 min of difference agree, more ends the trust, in both directions", arguments: [-1, 1])
    func upTo5MinOfDifferenceAgree(_ sign: Int) {
        for (seconds, isTrusted) in [(299, true), (300, true), (301, false), (86_400, false)] {
            var clock = ClockTrust()
            let now = clock.refine(moment(.seconds(10)))
            let after = clock.heard(time(.seconds(10), ahead: .seconds(sign * seconds)), of: "a.example", at: now)
            #expect(after.isWallTrusted == isTrusted, "\(sign * seconds)")
            #expect(clock.doubt == (isTrusted ? nil : .contradicted))
            // Nobody takes a server's time.
            #expect(after.wall == now.wall)
        }
    }

    @Test("a server never makes a clock trusted that no time server has set")
    func aServerNeverMakesAClockTrustedThatNoTimeServerHasSet() {
        var clock = ClockTrust()
        let now = clock.refine(moment(.seconds(10), false))
        #expect(!clock.heard(time(.seconds(10)), of: "a.example", at: now).isWallTrusted)
        #expect(clock.doubt == .unsynchronised)
        var behind = ClockTrust(floor: time(.hours(2)))
        let early = behind.refine(moment(.seconds(10)))
        #expect(!behind.heard(time(.seconds(10)), of: "a.example", at: early).isWallTrusted)
        #expect(behind.doubt == .behind)
    }

    @Test("a clock that is set right agrees again without a new word; one that is set wrong is contradicted at once")
    func aClockThatIsSetRightAgreesAgainWithoutANewWord() {
        var clock = ClockTrust()
        let wrong = clock.refine(moment(.seconds(10), ahead: .minutes(-10)))
        #expect(!clock.heard(time(.seconds(10)), of: "a.example", at: wrong).isWallTrusted)
        #expect(clock.refine(moment(.hours(1))).isWallTrusted)
        // Within what counts as a leap, so nothing but the server's word holds against it.
        #expect(!clock.refine(moment(.hours(2), ahead: .hours(12))).isWallTrusted)
        #expect(clock.doubt == .contradicted)
        #expect(clock.refine(moment(.hours(3))).isWallTrusted)
    }

    @Test("one that lies alone is outvoted by any honest one, but not as part of a majority")
    func oneThatLiesAloneIsOutvotedByAnyHonestOne() {
        var clock = ClockTrust()
        var now = clock.refine(moment(.seconds(10)))
        now = clock.heard(time(.seconds(10), ahead: .hours(9)), of: "liar.example", at: now)
        #expect(clock.doubt == .contradicted)
        now = clock.heard(time(.seconds(10)), of: "honest.test", at: now)
        #expect(clock.doubt == nil)
        // The same again does not count twice, and hosts of one operator have one voice.
        now = clock.heard(time(.seconds(10), ahead: .hours(9)), of: "b.liar.example", at: now)
        now = clock.heard(time(.seconds(10), ahead: .hours(9)), of: "c.liar.example", at: now)
        #expect(clock.doubt == nil)
        now = clock.heard(time(.seconds(10), ahead: .hours(9)), of: "192.0.2.1", at: now)
        #expect(clock.doubt == .contradicted)
        _ = clock.heard(time(.seconds(10)), of: "192.0.2.2", at: now)
        #expect(clock.doubt == nil)
    }

    @Test("what a server said a day ago is forgotten")
    func whatAServerSaidADayAgoIsForgotten() {
        var clock = ClockTrust()
        let now = clock.refine(moment(.seconds(10)))
        _ = clock.heard(time(.seconds(10), ahead: .hours(9)), of: "liar.example", at: now)
        #expect(!clock.refine(moment(.hours(24))).isWallTrusted)
        #expect(clock.refine(moment(.hours(24) + .seconds(11))).isWallTrusted)
    }

    @Test("any number of servers and any date are borne")
    func anyNumberOfServersAndAnyDateAreBorne() {
        var clock = ClockTrust()
        var now = clock.refine(moment(.seconds(10)))
        for number in 0..<100 {
            let date = WallTime(milliseconds: number.isMultiple(of: 2) ? 0 : 253_402_300_799_000)
            now = clock.heard(date, of: "host\(number).example\(number)", at: now)
        }
        #expect(clock.doubt == .contradicted)
    }

    // MARK: In the box

    private func bench(_ url: String = "https://192.0.2.30:9443/") throws -> Bench {
        Bench.up(try DeadManPingPostTests.configuration(url))
    }

    @Test("an answer over TLS with another time is one event that names server and side, and the end is told")
    func anAnswerOverTLSWithAnotherTimeIsOneEventThatNamesServer() throws {
        var bench = try bench()
        bench.web.machine.ahead = .minutes(20)
        bench.advance(.minutes(16))
        #expect(bench.events(.clock).map(\.type) == [.fault])
        #expect(bench.events(.clock).first?.message.contains("20 min behind what 192.0.2.30 says") == true)
        #expect(bench.look?.isTimeTrusted == false)
        #expect(bench.look?.clockProblem?.contains("192.0.2.30") == true)
        bench.web.machine.ahead = .zero
        bench.advance(.minutes(16))
        #expect(bench.events(.clock).map(\.type) == [.fault, .recovery])
        #expect(bench.look?.isTimeTrusted == true)
        #expect(bench.look?.clockProblem == nil)
    }

    @Test("without encryption a date counts for nothing, and without a date nothing is asked")
    func withoutEncryptionADateCountsForNothing() throws {
        var plain = try bench("http://192.0.2.30:9443/")
        plain.web.machine.ahead = .hours(9)
        plain.advance(.hours(1))
        #expect(!plain.web.requests.isEmpty)
        #expect(plain.events(.clock).isEmpty)
        #expect(plain.look?.isTimeTrusted == true)
        var silent = try bench()
        silent.web.machine.ahead = nil
        silent.advance(.hours(1))
        #expect(silent.look?.isTimeTrusted == true)
    }

    @Test("a phone whose command carries the time gets a challenge while a server contradicts, and is obeyed with it")
    func aPhoneWhoseCommandCarriesTheTimeGetsAChallengeWhileAServer() throws {
        var (bench, phone) = try Bench.paired()
        var configuration = bench.configuration
        configuration.deadManPing = try DeadManPingPostTests.configuration().deadManPing
        bench.feed(.reload(.configuration(configuration)))
        bench.web.machine.ahead = .hours(9)
        bench.advance(.minutes(1))
        #expect(bench.look?.isTimeTrusted == false)
        let fresh = PhoneCommand.Freshness.time(issued: bench.now.wall.seconds, ttl: 60)
        try bench.command(&phone, "arm", ["p": "1", "m": "away"], freshness: fresh)
        #expect(bench.lastWord(phone)?.hasPrefix("denied") == true)
        #expect(bench.results(phone).last?["ch"] != nil)
        try bench.command(&phone, "arm", ["p": "1", "m": "away"])
        #expect(bench.panelOrders.contains { $0.hasPrefix("030") })
    }

    @Test("a certificate outside its time is an objection to the clock while that is in doubt, else to the certificate")
    func aCertificateOutsideItsTimeIsAnObjectionToTheClock() throws {
        for isTrusted in [true, false] {
            var bench = Bench(try DeadManPingPostTests.configuration())
            bench.now.isWallTrusted = isTrusted
            bench.web.objection = .certificateNotYetValid
            bench.start(bench.configuration)
            // The first objection goes on to the time of the journal, which is tried next.
            bench.advance(.minutes(isTrusted ? 2 : 1))
            let problem = try #require(bench.look?.deadManPing?.problem)
            #expect(problem.contains("let the box reach a time server") == !isTrusted, "\(problem)")
            #expect(bench.web.requests.isEmpty)
            guard !isTrusted else { continue }
            // A time server sets the clock: nobody waits for the next attempt.
            bench.web.objection = nil
            bench.now.isWallTrusted = true
            bench.panel("609003")
            bench.advance(.seconds(1))
            #expect(bench.web.requests.count == 1)
        }
    }
}
