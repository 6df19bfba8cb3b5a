import AlarmModel
import ApplianceCore
import PhoneLink
import SoftwareUpdate
import Testing

/// On a machine with slots that runs 1.0.0, with a host that offers versions.
enum UpdatesBench {
    static let url = "https://updates.example.org/box/howalarming-virt.offer"
    /// What is kept once it was offered.
    static let record = OfferRecord(url: url, seen: 7, told: "1.1.0", version: "1.1.0")
    static let newer = FetchAnswer.Offer(number: 7, version: "1.1.0", isNewer: true)

    static func configuration(_ installing: UpdateSource.Installing = .asked) throws -> Configuration {
        var configuration = Bench.configuration()
        configuration.updates = UpdateSource(
            try HTTPURL(url), installing: installing)
        return configuration
    }

    static func up(
        _ installing: UpdateSource.Installing = .asked, isTrial: Bool = false, logsIn: Bool = true,
        _ change: (inout Start) -> Void = { _ in }
    ) throws -> Bench {
        let configuration = try configuration(installing)
        var state = SlotState.initial
        if isTrial { state.activate(.b) }
        var bench = Bench(configuration)
        bench.start(configuration) {
            $0.slots = SlotReport(running: isTrial ? .b : .a, state: state, versions: [.a: "1.0.0", .b: "1.0.0"])
            $0.release = "1.0.0"
            $0.mayUpdate = true
            $0.mayReboot = true
            change(&$0)
        }
        bench.fetcher.answers = [.ask: [.offer(newer)], .get: [.progress(50), .got(newer)], .follow: [.installed]]
        if logsIn { bench.logIn() }
        return bench
    }

    static func updates(_ bench: Bench) -> Int {
        bench.history.count { if case .update = $0 { true } else { false } }
    }
    static func reboots(_ bench: Bench) -> Int { bench.history.count { $0 == .reboot } }
}

@Suite("A newer version over the line is asked for and told") struct UpdatesTests {
    @Test("it is asked once a day, and each version is told once, also over a restart")
    func itIsAskedOnceADayAndEachVersionIsToldOnce() throws {
        var bench = try UpdatesBench.up()
        bench.advance(.minutes(9))
        #expect(bench.fetcher.requests.isEmpty)
        bench.advance(.minutes(12))
        #expect(bench.fetcher.tasks == [.ask])
        let told = bench.events(.update)
        #expect(
            told.map(\.message) == [
                "Version 1.1.0 can be installed with key U of the box's console."
            ])
        #expect(bench.snapshot?.software?.offer == UpdatesBench.record)
        bench.advance(.hours(24 * 10))
        #expect((10...12).contains(bench.fetcher.requests.count))
        #expect(bench.fetcher.requests.last?.seen == 7)
        #expect(bench.events(.update).count == 1)
        let kept = bench.snapshot
        var again = try UpdatesBench.up { $0.snapshot = kept }
        #expect(try #require(try again.status()).updates?.offered == "1.1.0")
        again.advance(.minutes(30))
        #expect(again.fetcher.requests.map(\.seen) == [7])
        #expect(again.events(.update).isEmpty)
        again.fetcher.answers[.ask] = [.offer(.init(number: 8, version: "1.2.0", isNewer: true))]
        again.advance(.hours(24))
        #expect(again.events(.update).count == 1)
    }

    @Test("a start in safe mode, without a snapshot, knows the highest offer of this host, and of no other")
    func aStartInSafeModeKnowsTheHighestOffer() throws {
        var bench = try UpdatesBench.up { $0.offer = UpdatesBench.record }
        bench.advance(.minutes(21))
        #expect(bench.fetcher.requests.map(\.seen) == [7])
        #expect(bench.snapshot?.software?.offer == UpdatesBench.record)
        var elsewhere = try UpdatesBench.up { $0.offer = OfferRecord(url: "https://other.example.org/x", seen: 9) }
        elsewhere.advance(.minutes(21))
        #expect(elsewhere.fetcher.requests.map(\.seen) == [0])
    }

    @Test("without the section, and on a machine without slots, nobody is asked")
    func withoutTheSectionNobodyIsAsked() throws {
        var bench = Bench.up()
        bench.advance(.hours(48))
        #expect(bench.fetcher.requests.isEmpty)
        var elsewhere = try UpdatesBench.up { $0.mayUpdate = false }
        elsewhere.advance(.hours(48))
        #expect(elsewhere.fetcher.requests.isEmpty)
        #expect(try #require(try elsewhere.status()).updates == nil)
    }

    @Test("what is asked names the offer and nothing of the box")
    func whatIsAskedNamesTheOfferAndNothingOfTheBox() throws {
        var bench = try UpdatesBench.up()
        bench.advance(.minutes(21))
        let request = try #require(bench.fetcher.requests.first)
        #expect(request.url == UpdatesBench.url)
        #expect(request.authorities == nil)
        #expect(request.link == nil)
        #expect(request.now >= Bench.start.wall.seconds)
    }

    @Test("the host's own authority goes along with each request")
    func theHostsOwnAuthorityGoesAlong() throws {
        var configuration = try UpdatesBench.configuration()
        configuration.updates?.authorities = .init(file: "ca.pem", pem: "of the host")
        var bench = try UpdatesBench.up { $0.configuration = configuration }
        bench.advance(.minutes(21))
        #expect(bench.fetcher.requests.map(\.authorities) == ["of the host"])
    }

    @Test("by a metered link nobody is asked and nothing fetched, and by another one the link is named")
    func byAMeteredLinkNobodyIsAsked() throws {
        let source = try UpdatesBench.configuration(.night).updates
        var bench = Bench.withLinks {
            $0.updates = source
        } start: {
            $0.release = "1.0.0"
            $0.mayUpdate = true
        }
        bench.fetcher.answers = [.ask: [.offer(UpdatesBench.newer)]]
        bench.changeLinks { $0.facts[0].hasCarrier = false }
        bench.advance(.minutes(50))
        #expect(bench.fetcher.requests.isEmpty)
        #expect(try #require(try bench.status()).updates?.doing?.contains("metered") ?? false)
        bench.ask(.updates(.ask))
        #expect(bench.fetcher.requests.isEmpty)
        bench.changeLinks { $0.facts[0].hasCarrier = true }
        bench.advance(.minutes(20))
        #expect(bench.fetcher.requests.map(\.link) == ["eth0"])
        // It is known, and somebody wants it while the modem carries.
        bench.changeLinks { $0.facts[0].hasCarrier = false }
        bench.advance(.minutes(2))
        bench.ask(.updates(.install))
        guard case .error(let why)? = bench.answers().last else {
            Issue.record("it is fetched by the modem")
            return
        }
        #expect(why.contains("metered"))
        #expect(bench.fetcher.tasks == [.ask])
        bench.changeLinks { $0.facts[1].hasCarrier = false }
        bench.advance(.minutes(5))
        #expect(try #require(try bench.status()).updates?.doing?.contains("no link") ?? false)
    }

    @Test("while the clock is in doubt nobody is asked")
    func whileTheClockIsInDoubtNobodyIsAsked() throws {
        var bench = try UpdatesBench.up()
        bench.now.isWallTrusted = false
        bench.advance(.hours(30))
        #expect(bench.fetcher.requests.isEmpty)
        bench.now.isWallTrusted = true
        bench.advance(.minutes(21))
        #expect(bench.fetcher.tasks == [.ask])
    }

    @Test("what must not be believed is a fault, told once, and its end once")
    func whatMustNotBeBelievedIsAFault() throws {
        var bench = try UpdatesBench.up()
        bench.fetcher.answers[.ask] = [.refused("the offer has expired: ask who runs the host")]
        bench.advance(.hours(24 * 5))
        let told = bench.events(.update)
        #expect(told.map(\.type) == [.fault])
        #expect(told.first?.message.contains("the offer has expired") ?? false)
        bench.fetcher.answers[.ask] = [.offer(UpdatesBench.newer)]
        bench.advance(.hours(24))
        #expect(bench.events(.update).map(\.type) == [.fault, .recovery, .info])
    }

    @Test("a host out of reach is asked again after hours, and is a fault after three days")
    func aHostOutOfReachIsAFaultAfterThreeDays() throws {
        var bench = try UpdatesBench.up()
        bench.fetcher.answers[.ask] = [.failed("updates.example.org: it fell silent")]
        bench.advance(.hours(70))
        #expect((16...20).contains(bench.fetcher.requests.count))
        #expect(bench.events(.update).isEmpty)
        #expect(try #require(try bench.status()).updates?.problem?.contains("silent") ?? false)
        bench.advance(.hours(24))
        #expect(bench.events(.update).map(\.type) == [.fault])
    }

    @Test("a fetcher that is away, says nothing, ends early or talks nonsense without end leaves the box as it was")
    func aFetcherThatMisbehavesLeavesTheBoxAsItWas() throws {
        var bench = try UpdatesBench.up()
        bench.fetcher.isAway = true
        bench.advance(.minutes(25))
        #expect(try #require(try bench.status()).updates?.problem?.contains("cannot be reached") ?? false)
        bench.fetcher.isAway = false
        bench.fetcher.answers[.ask] = []
        untilAsked(&bench)
        #expect(try #require(try bench.status()).updates?.doing == "the host is asked")
        bench.advance(.minutes(4))
        #expect(try #require(try bench.status()).updates?.problem == "the fetcher did not answer in time")
        for says in ["{\"offer\":{}}\n", "nonsense\n", String(repeating: "x", count: 5000)] {
            untilAsked(&bench)
            if let input = bench.fetcher.says(Array(says.utf8)) { bench.feed(input) }
            #expect(try #require(try bench.status()).updates?.problem == "the fetcher said what nobody understands")
        }
        untilAsked(&bench)
        if let end = bench.fetcher.ends { bench.feed(end) }
        #expect(try #require(try bench.status()).updates?.problem == "the fetcher ended without an answer")
        #expect(bench.events(.update).isEmpty)
    }

    private func untilAsked(_ bench: inout Bench) {
        let before = bench.fetcher.requests.count
        for _ in 0..<300 where bench.fetcher.requests.count == before { bench.advance(.minutes(1)) }
        #expect(bench.fetcher.requests.count == before + 1)
    }

    @Test("another address in the configuration counts its offers anew")
    func anotherAddressCountsItsOffersAnew() throws {
        var bench = try UpdatesBench.up()
        bench.advance(.minutes(21))
        var other = try UpdatesBench.configuration()
        other.updates?.url = try HTTPURL("https://elsewhere.example.org/howalarming-virt.offer")
        bench.feed(.reload(.configuration(other)))
        bench.advance(.minutes(21))
        #expect(bench.fetcher.requests.map(\.seen) == [0, 0])
        // And where it was written down while the daemon stood still.
        let kept = Snapshot(software: SoftwareRecord(version: "1.0.0", hadSession: true, offer: UpdatesBench.record))
        var again = Bench(other)
        again.start(other) {
            $0.release = "1.0.0"
            $0.mayUpdate = true
            $0.snapshot = kept
        }
        again.advance(.minutes(21))
        #expect(again.fetcher.requests.map(\.seen) == [0])
    }
}
