import AlarmModel
import Testing
import Uplinks

private typealias Bench = FailoverBench

@Suite("The failover")
struct FailoverTests {
    @Test("with no link configured, connections take whatever way there is, and nothing is ever due")
    func withNoLinkConfigured() {
        var bench = Bench(UplinkSettings(targets: Bench.targets, probeName: "probe.test"))
        bench.start()
        #expect(bench.failover.link == .any && bench.failover.order == [.any])
        #expect(bench.due == nil && bench.told.isEmpty && bench.failover.report.isEmpty)
    }

    @Test("at the start the preferred link is used, though the other answers sooner; both come up")
    func atTheStartThePreferredLinkIsUsed() {
        var bench = Bench()
        bench.change("wwan0") { $0.targets = 5 }
        bench.start()
        #expect(bench.failover.active == nil)
        #expect(bench.failover.order == [.interface("eth0"), .interface("wwan0")], "dialing need not wait for probes")
        bench.run(to: 40)
        #expect(bench.failover.active == "ethernet" && bench.state("modem") == .connecting)
        #expect(
            bench.news() == [
                .watch(interfaces: ["eth0", "wwan0"]), .modem("modem", isWanted: true),
                .useNameServers([Endpoint(address: Bench.address(11)[0], port: 53)], .interface("eth0")),
                .useNameServers([Endpoint(address: Bench.address(21)[0], port: 53)], .interface("wwan0")),
                .switched(from: nil, to: "ethernet", .found),
            ])
        bench.run(seconds: 60)
        #expect(bench.state("ethernet") == .up && bench.state("modem") == .up)
        #expect(bench.news().isEmpty)
        #expect(bench.report("ethernet")?.latency == .milliseconds(40))
        #expect(bench.report("ethernet")?.score == bench.report("ethernet")?.scoreLimit)
    }

    @Test("a preferred link that does not answer holds up the start by one probe deadline, no longer")
    func aPreferredLinkThatDoesNotAnswerHoldsUpTheStartByOneProbe() {
        var bench = Bench()
        bench.blackHole("eth0")
        bench.start()
        bench.run(to: 2_999)
        #expect(bench.failover.active == nil)
        bench.run(to: 3_000)
        #expect(bench.failover.active == "modem")
    }

    @Test("targets are probed side by side: when the first is dead the second proves the path in the same instant")
    func targetsAreProbedSideBySide() {
        var bench = Bench()
        bench.change("eth0") { $0.isFirstTargetDead = true }
        bench.start()
        #expect(bench.connects == 4 && bench.questions == 2)
        bench.run(to: 40)
        #expect(bench.failover.active == "ethernet")
        bench.run(seconds: 600)
        #expect(bench.state("ethernet") == .up && bench.news().count == 5)
        #expect(bench.report("ethernet")?.why == "1 of 2 probe targets do not answer")
    }

    @Test("without carrier, or without its last address, the link is left in the same moment")
    func withoutCarrierOrWithoutItsLastAddressTheLinkIsLeft() {
        for isCarrier in [true, false] {
            var bench = Bench()
            bench.start()
            bench.run(seconds: 100)
            _ = bench.news()
            if isCarrier { bench.cutCarrier("eth0") } else { bench.change("eth0") { $0.facts.addresses = [] } }
            let problem = isCarrier ? PathProblem.noCarrier : .noAddress
            #expect(
                bench.news() == [
                    .pathLost("ethernet", problem), .switched(from: "ethernet", to: "modem", .lost(problem)),
                ])
            #expect(bench.failover.link == .interface("wwan0"))
            #expect(bench.failover.order == [.interface("wwan0")])
            #expect(bench.state("ethernet") == (isCarrier ? .noCarrier : .noAddress))
        }
    }

    @Test("a black hole is left at most 20 s after it began, whatever the probes were doing then")
    func aBlackHoleIsLeftAtMost20SAfterItBegan() {
        var slowest: Int64 = 0
        for phase in stride(from: Int64(0), through: 5_000, by: 100) {
            var bench = Bench()
            bench.start()
            bench.run(to: 100_000 + phase)
            bench.blackHole("eth0")
            _ = bench.news()
            bench.run(to: 200_000) { $0.failover.active != "ethernet" }
            #expect(bench.failover.active == "modem")
            let took = bench.milliseconds - 100_000 - phase
            slowest = max(slowest, took)
            #expect(took <= 20_000, "cut at \(100_000 + phase)")
            #expect(
                bench.news() == [
                    .pathLost("ethernet", .unanswered(passes: 5)),
                    .switched(from: "ethernet", to: "modem", .lost(.unanswered(passes: 5))),
                ])
        }
        #expect(slowest > 19_900, "the bound is that of the documentation")
    }

    @Test("refused connects take a link down as silence does, only sooner: a router can refuse")
    func refusedConnectsTakeALinkDownAsSilenceDoes() {
        var bench = Bench()
        bench.start()
        bench.run(to: 100_000)
        bench.change("eth0") { $0.refuses = true }
        bench.run(to: 200_000) { $0.failover.active != "ethernet" }
        #expect(bench.milliseconds == 113_001, "at 105 s and every 2 s then")
    }

    @Test("dead name servers leave the link in use, and are told")
    func deadNameServersLeaveTheLinkInUse() {
        var bench = Bench()
        bench.start()
        bench.run(seconds: 100)
        _ = bench.news()
        bench.change("eth0") { $0.names = nil }
        bench.run(seconds: 600)
        #expect(bench.failover.active == "ethernet" && bench.state("ethernet") == .up)
        #expect(bench.report("ethernet")?.why == "its name servers do not answer; remembered addresses are used")
        #expect(bench.news().isEmpty)
        bench.heal("eth0")
        bench.run(seconds: 10)
        #expect(bench.report("ethernet")?.why == nil)
    }

    @Test("name servers that answer alone prove no path: they may stand before the break")
    func nameServersThatAnswerAloneProveNoPath() {
        var bench = Bench()
        bench.start()
        bench.run(seconds: 100)
        _ = bench.news()
        bench.change("eth0") { $0.targets = nil }
        bench.run(seconds: 20)
        #expect(
            bench.news() == [
                .pathLost("ethernet", .onlyNames), .switched(from: "ethernet", to: "modem", .lost(.onlyNames)),
            ])
        #expect(bench.failover.order == [.interface("wwan0"), .interface("eth0")])
    }

    @Test("single losses change nothing; steady ones take the link down")
    func singleLossesChangeNothing() {
        var bench = Bench()
        bench.start()
        bench.run(seconds: 100)
        _ = bench.news()
        for _ in 0..<20 {
            bench.blackHole("eth0")
            bench.run(seconds: 8)
            #expect(bench.state("ethernet") == .suspect)
            bench.heal("eth0")
            bench.run(seconds: 12)
            #expect(bench.state("ethernet") == .up)
        }
        #expect(bench.news().isEmpty)
    }

    @Test("bytes on the phone connection are as good as probes, and save them")
    func bytesOnThePhoneConnectionAreAsGoodAsProbes() {
        var bench = Bench()
        bench.start()
        bench.run(seconds: 100)
        bench.blackHole("eth0")
        let before = bench.passes["eth0"]
        for _ in 0..<200 {
            bench.run(seconds: 1)
            bench.act { $0.peerHeard(.interface("eth0"), at: $1, into: &$2) }
        }
        #expect(bench.failover.active == "ethernet" && bench.state("ethernet") == .up)
        #expect(bench.passes["eth0"] == before)
        let silentFrom = bench.milliseconds
        bench.run(seconds: 60) { $0.failover.active != "ethernet" }
        #expect(bench.milliseconds == silentFrom + 20_000, "5 s until the next probe, then 5 deadlines")
    }

    @Test("a silent phone connection makes the link suspect: it and the standby are probed at once")
    func aSilentPhoneConnectionMakesTheLinkSuspect() {
        var bench = Bench()
        bench.start()
        bench.run(to: 101_000)
        let before = bench.passes
        bench.act { $0.peerSilent(.interface("eth0"), at: $1, into: &$2) }
        #expect(bench.state("ethernet") == .suspect && bench.report("ethernet")?.why != nil)
        #expect(bench.passes["eth0"] == before["eth0"].map { $0 + 1 })
        #expect(bench.passes["wwan0"] == before["wwan0"].map { $0 + 1 })
        bench.run(seconds: 1)
        #expect(bench.state("ethernet") == .up, "one answer clears it")
    }

    @Test("a link that is taken from the configuration is left, its probes closed; the others keep their state")
    func aLinkThatIsTakenFromTheConfigurationIsLeft() {
        var bench = Bench()
        bench.start()
        bench.run(seconds: 100)
        bench.act { $0.timerFired(at: $1, into: &$2) }
        _ = bench.news()
        var settings = Bench.settings
        settings.links.removeFirst()
        bench.act { $0.reconfigure(settings, at: $1, into: &$2) }
        #expect(
            bench.news() == [
                .switched(from: "ethernet", to: nil, .removed), .watch(interfaces: ["wwan0"]),
                .switched(from: nil, to: "modem", .found),
            ])
        #expect(bench.failover.link == .interface("wwan0"))
        bench.act { $0.reconfigure(UplinkSettings(), at: $1, into: &$2) }
        #expect(bench.failover.link == .any && bench.due == nil && bench.open.isEmpty)
        #expect(bench.news().contains(.modem("modem", isWanted: false)))
    }
}
