import AlarmModel
import Testing
import Uplinks

private typealias Bench = FailoverBench

@Suite("Coming back")
struct FailbackTests {
    /// With ethernet in use for a while, then cut, and the modem in use.
    private func onModem() -> Bench {
        var bench = Bench()
        bench.start()
        bench.run(seconds: 100)
        bench.cutCarrier("eth0")
        bench.run(seconds: 100)
        _ = bench.news()
        return bench
    }

    @Test("a preferred link is used again when it has been good for 60 s and 5 passes, not before")
    func aPreferredLinkIsUsedAgainWhenItHasBeenGoodFor60SAnd5Passes() {
        var bench = onModem()
        bench.plugIn("eth0")
        let back = bench.milliseconds
        bench.run(to: back + 60_039)
        #expect(bench.failover.active == "modem" && bench.state("ethernet") == .up)
        #expect(bench.report("ethernet")?.why == "good again; it is used when its hold time is over")
        #expect(bench.news().isEmpty)
        bench.run(to: back + 60_040)
        #expect(bench.failover.active == "ethernet")
        #expect(
            bench.news() == [
                .pathRestored("ethernet"), .switched(from: "modem", to: "ethernet", .preferredIsGood),
            ])
    }

    @Test("where five passes take longer than the hold time, five passes it is")
    func whereFivePassesTakeLongerThanTheHoldTime() {
        var settings = Bench.settings
        settings.timings.hold = .seconds(5)
        var bench = Bench(settings)
        bench.start()
        bench.run(seconds: 100)
        bench.cutCarrier("eth0")
        bench.run(seconds: 100)
        bench.plugIn("eth0")
        let back = bench.milliseconds
        bench.run(seconds: 100) { $0.failover.active == "ethernet" }
        #expect(bench.milliseconds == back + 40_040, "the fifth of the passes that are 10 s apart")
    }

    @Test("a failed pass while it comes up starts the hold time anew")
    func aFailedPassWhileItComesUpStartsTheHoldTimeAnew() {
        var bench = onModem()
        bench.plugIn("eth0")
        bench.run(seconds: 15)
        bench.blackHole("eth0")
        bench.run(seconds: 10)
        bench.heal("eth0")
        let good = bench.milliseconds
        bench.run(seconds: 300) { $0.failover.active == "ethernet" }
        #expect(bench.milliseconds > good + 60_000 && bench.milliseconds <= good + 70_040)
    }

    @Test("when the link in use is lost, the preferred one is used at once, hold time or not")
    func whenTheLinkInUseIsLost() {
        var bench = onModem()
        bench.plugIn("eth0")
        bench.run(seconds: 2)
        #expect(bench.state("ethernet") == .connecting)
        bench.cutCarrier("wwan0")
        #expect(bench.failover.active == "ethernet" && bench.state("ethernet") == .up)
    }

    @Test("a link that flaps waits twice as long each time, at most 10 min; an hour of peace forgives it")
    func aLinkThatFlapsWaitsTwiceAsLongEachTime() {
        var bench = Bench()
        bench.start()
        bench.run(seconds: 700)
        var waits: [Int64] = []
        for _ in 0..<7 {
            bench.cutCarrier("eth0")
            #expect(bench.failover.active == "modem")
            bench.run(seconds: 10)
            bench.plugIn("eth0")
            let back = bench.milliseconds
            bench.run(seconds: 3600) { $0.failover.active == "ethernet" }
            waits.append((bench.milliseconds - back) / 1000)
            bench.run(seconds: 30)
        }
        #expect(waits == [60, 120, 240, 480, 600, 600, 600])
        bench.run(seconds: 3600)
        bench.cutCarrier("eth0")
        bench.plugIn("eth0")
        let back = bench.milliseconds
        bench.run(seconds: 3600) { $0.failover.active == "ethernet" }
        #expect((bench.milliseconds - back) / 1000 == 60)
    }

    @Test("flaps of a standby are told once, and its return when it has been steady")
    func flapsOfAStandbyAreToldOnce() {
        var bench = Bench()
        bench.start()
        bench.run(seconds: 700)
        _ = bench.news()
        for _ in 0..<10 {
            bench.cutCarrier("wwan0")
            bench.run(seconds: 20)
            bench.plugIn("wwan0", last: 20)
            bench.run(seconds: 25)
        }
        let told = bench.news().filter {
            if case .useNameServers = $0 { return false }
            return true
        }
        #expect(told == [.pathLost("modem", .noCarrier)])
        bench.run(seconds: 3600)
        #expect(bench.news() == [.pathRestored("modem")])
    }

    // The bugs of mwan3 that users met, each by its number at openwrt/packages.

    @Test("#3885: after all were down, whichever comes first is used within one pass, 20 of 20")
    func with3885AfterAllWereDownWhicheverComesFirstIsUsedWithinOnePass() {
        for round in 0..<20 {
            var bench = Bench()
            bench.start()
            bench.run(seconds: 100)
            let isBlackHole = round % 2 == 0
            for interface in ["eth0", "wwan0"] {
                if isBlackHole { bench.blackHole(interface) } else { bench.cutCarrier(interface) }
                bench.run(seconds: Int64(round))
            }
            bench.run(seconds: 100 + 37 * Int64(round))
            #expect(bench.failover.active == nil && bench.told.contains { $0.1 == .allLost })
            let interface = round % 4 < 2 ? "eth0" : "wwan0"
            let name = round % 4 < 2 ? "ethernet" : "modem"
            _ = bench.news()
            if isBlackHole { bench.heal(interface) } else { bench.plugIn(interface, last: 30) }
            let since = bench.milliseconds
            bench.run(seconds: 600) { $0.failover.active != nil }
            #expect(bench.failover.active == name)
            #expect(bench.milliseconds <= since + (isBlackHole ? 10_040 : 40), "round \(round)")
            #expect(bench.news().suffix(2) == [.switched(from: nil, to: name, .found), .someRestored])
        }
    }

    @Test("#16817: an interface that is absent at the start is used when it comes")
    func with16817AnInterfaceThatIsAbsentAtTheStartIsUsedWhenItComes() {
        var bench = Bench()
        bench.providers[0].facts = LinkFacts(interface: "eth0", isPresent: false, hasCarrier: false)
        bench.start()
        bench.run(seconds: 300)
        #expect(bench.failover.active == "modem" && bench.state("ethernet") == .absent)
        #expect(bench.told.contains { $0.at == 60_000 && $0.1 == .pathLost("ethernet", .absent) })
        bench.change("eth0") { $0.facts = LinkFacts(interface: "eth0", addresses: Bench.address(10)) }
        #expect(bench.passes["eth0"] == 1, "probed at once")
        bench.run(seconds: 61)
        #expect(bench.failover.active == "ethernet" && bench.state("ethernet") == .up)
    }

    @Test("#26690: a changed address is probed at once, and told so that connections are opened anew")
    func with26690AChangedAddressIsProbedAtOnceAndToldSoThatConnections() {
        for isIPv6 in [false, true] {
            var bench = Bench()
            bench.start()
            bench.run(seconds: 102)
            _ = bench.news()
            let before = bench.passes["eth0"] ?? 0
            let old = bench.providers[0].facts.addresses
            let new = isIPv6 ? [[0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 7, count: 12)] : [[192, 0, 2, 77]]
            let addresses = new.compactMap { IPAddress(bytes: $0) }
            // IPv6 adds the new one first; only the loss of the old one is the renumbering.
            bench.change("eth0") { $0.facts.addresses += addresses }
            #expect(bench.news().isEmpty && bench.passes["eth0"] == before)
            bench.change("eth0") { $0.facts.addresses = addresses }
            #expect(bench.news() == [.renumbered("ethernet", gone: old)])
            #expect(bench.passes["eth0"] == before + 1)
            bench.run(seconds: 100)
            #expect(bench.failover.active == "ethernet" && bench.news().isEmpty)
        }
    }

    @Test("an address that changes while the link is cut is told so when it is back; the same one is not")
    func anAddressThatChangesWhileTheLinkIsCutIsTold() {
        for keepsAddressInFacts in [false, true] {
            var bench = Bench()
            bench.start()
            bench.run(seconds: 102)
            func cut(_ bench: inout Bench, then address: [IPAddress]) {
                bench.change("eth0") { provider in
                    provider.facts.hasCarrier = false
                    if !keepsAddressInFacts { provider.facts.addresses = [] }
                }
                bench.run(seconds: 1)
                bench.change("eth0") { provider in
                    provider.facts.hasCarrier = true
                    provider.facts.addresses = address
                }
            }
            let old = bench.providers[0].facts.addresses
            _ = bench.news()
            cut(&bench, then: old)
            #expect(!bench.news().contains(.renumbered("ethernet", gone: old)))
            cut(&bench, then: Bench.address(77))
            #expect(bench.news().contains(.renumbered("ethernet", gone: old)))
            cut(&bench, then: Bench.address(77))
            #expect(!bench.news().contains(.renumbered("ethernet", gone: old)))
        }
    }

    @Test("an address that goes a second time within a minute: the link is left for one that answers, and told once")
    func anAddressThatGoesASecondTimeWithinAMinute() {
        var bench = Bench()
        bench.start()
        bench.run(seconds: 102)
        _ = bench.news()
        bench.change("eth0") { $0.facts.addresses = Bench.address(77) }
        bench.run(seconds: 50)
        #expect(bench.failover.active == "ethernet")
        for host in UInt8(78)...UInt8(100) {
            bench.change("eth0") { $0.facts.addresses = Bench.address(host) }
            #expect(bench.failover.active == "modem")
            bench.run(seconds: 2)
        }
        let lost = bench.told.filter { $0.1 == .pathLost("ethernet", .unsteady) }
        #expect(lost.count == 1)
        bench.run(seconds: 300)
        #expect(bench.failover.active == "ethernet")
        #expect(bench.news().contains(.pathRestored("ethernet")))
    }

    @Test(
        "addresses of IPv6 that go beside one of IPv4, and an address that goes every two minutes, are no reason to leave"
    )
    func addressesThatGoAreNoReasonToLeave() {
        var bench = Bench()
        bench.start()
        bench.run(seconds: 102)
        let kept = bench.providers[0].facts.addresses
        for number in UInt8(1)...UInt8(20) {
            let extra = IPAddress(bytes: [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: number, count: 12))
            bench.change("eth0") { $0.facts.addresses = kept + [extra].compactMap { $0 } }
            bench.run(seconds: 1)
            #expect(bench.failover.active == "ethernet")
        }
        for host in UInt8(78)...UInt8(80) {
            bench.change("eth0") { $0.facts.addresses = Bench.address(host) }
            bench.run(seconds: 120)
            #expect(bench.failover.active == "ethernet")
        }
    }

    @Test("#26690: a pass that is under way from the old address does not count")
    func with26690APassThatIsUnderWayFromTheOldAddressDoesNotCount() {
        var bench = Bench()
        bench.start()
        bench.run(to: 100_000)
        bench.run(to: 105_010)
        bench.change("eth0") { $0.facts.addresses = Bench.address(77) }
        bench.run(to: 106_000)
        #expect(bench.state("ethernet") == .up && bench.open.isEmpty)
    }

    @Test("#11406: every loss of the link in use is told as a switch, so that no connection stays on a dead link")
    func with11406EveryLossOfTheLinkInUseIsToldAsASwitch() {
        var bench = Bench()
        bench.start()
        var active: String?
        for round in 0..<50 {
            let interface = round % 3 == 0 ? "wwan0" : "eth0"
            if round % 2 == 0 { bench.blackHole(interface) } else { bench.cutCarrier(interface) }
            bench.run(seconds: 30)
            bench.plugIn(interface, last: UInt8(100 + round))
            bench.heal(interface)
            bench.run(seconds: 70)
            for (_, action) in bench.told {
                guard case .switched(let from, let to, _) = action else { continue }
                #expect(from == active)
                active = to
            }
            _ = bench.news()
            #expect(bench.failover.active == active && active != nil)
        }
    }

    @Test("a link that is coming back and answers no more is down after two passes in a row, for what was opened by it")
    func aLinkThatIsComingBackAndAnswersNoMore() {
        var bench = Bench()
        bench.start()
        bench.run(to: 100_000)
        bench.cutCarrier("eth0")
        bench.run(to: 103_000)
        bench.plugIn("eth0")
        bench.run(to: 112_000)
        #expect(bench.failover.active == "modem")
        let opened = bench.now.boot
        #expect(!bench.failover.isDown(.interface("eth0"), since: opened))
        bench.blackHole("eth0")
        bench.run(to: 112_000 + 13_000)
        #expect(!bench.failover.isDown(.interface("eth0"), since: opened))
        bench.run(to: 112_000 + 26_000)
        #expect(bench.failover.isDown(.interface("eth0"), since: opened))
        #expect(!bench.failover.isDown(.interface("eth0"), since: bench.now.boot))
    }
}
