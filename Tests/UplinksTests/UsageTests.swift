import AlarmModel
import Testing
import Uplinks

private typealias Bench = FailoverBench

@Suite("The data budget")
struct UsageTests {
    private func bench(budget: UInt64?, usage: [LinkUsage] = []) -> Bench {
        var settings = Bench.settings
        settings.links[1].budget = budget
        var bench = Bench(settings)
        bench.start(usage: usage)
        bench.run(seconds: 100)
        _ = bench.news()
        return bench
    }

    private func used(_ bench: Bench) -> UInt64? { bench.report("modem")?.bytesThisMonth }

    @Test("what went over the link is counted from reading to reading; a counter that starts anew is added")
    func whatWentOverTheLinkIsCountedFromReadingToReading() {
        var bench = bench(budget: nil)
        for (counter, sum) in [(1_000, 1_000), (5_000, 5_000), (200, 5_200), (200, 5_200)] as [(UInt64, UInt64)] {
            bench.change("wwan0") { $0.facts.traffic = counter }
            #expect(used(bench) == sum)
        }
    }

    @Test("what went over an interface before it was watched the first time does not count")
    func whatWentOverAnInterfaceBeforeItWasWatchedTheFirstTimeDoes() {
        var bench = Bench()
        bench.providers[1].facts.traffic = 7_000_000
        bench.start()
        #expect(used(bench) == 0)
    }

    @Test("the count goes on after a restart, with what went over the link meanwhile")
    func theCountGoesOnAfterARestart() {
        var first = bench(budget: nil)
        first.change("wwan0") { $0.facts.traffic = 4_000 }
        var second = Bench()
        second.providers[1].facts.traffic = 4_500
        second.start(usage: first.failover.usage)
        #expect(used(second) == 4_500)
    }

    @Test("a new month starts from nothing, but only by a trusted clock")
    func aNewMonthStartsFromNothing() {
        // 2026-09-21 … 2026-10-01 00:00 UTC
        var bench = bench(budget: nil)
        bench.change("wwan0") { $0.facts.traffic = 9_000 }
        bench.isWallTrusted = false
        bench.wallStart = 1_790_812_800_000
        bench.change("wwan0") { $0.facts.traffic = 9_500 }
        #expect(used(bench) == 9_500)
        bench.isWallTrusted = true
        bench.change("wwan0") { $0.facts.traffic = 9_600 }
        #expect(used(bench) == 600, "what was counted before the clock was known is of the new month")
        #expect(bench.failover.usage[1].monthBefore == 9_000)
        bench.wallStart -= 30 * 86_400_000
        bench.change("wwan0") { $0.facts.traffic = 9_700 }
        #expect(used(bench) == 700, "a clock that steps back gives nothing back")
        #expect(bench.failover.usage[1].monthBefore == 9_000)
        bench.wallStart += 92 * 86_400_000
        bench.change("wwan0") { $0.facts.traffic = 9_800 }
        #expect(bench.failover.usage[1].monthBefore == nil, "nothing is known of the month between")
    }

    @Test("beyond its budget a link is told once and kept cold, but still carries what must go out")
    func beyondItsBudgetALinkIsToldOnceAndKeptCold() {
        var bench = bench(budget: 10_000)
        bench.change("wwan0") { $0.facts.traffic = 10_000 }
        #expect(bench.news().isEmpty)
        bench.change("wwan0") { $0.facts.traffic = 10_001 }
        #expect(
            bench.news() == [
                .budgetExceeded("modem", used: 10_001, budget: 10_000), .usageChanged,
                .modem("modem", isWanted: false),
            ])
        bench.change("wwan0") { $0.facts.traffic = 12_000 }
        #expect(bench.news().isEmpty && bench.state("modem") == .asleep)
        bench.cutCarrier("eth0")
        bench.run(seconds: 1)
        #expect(bench.failover.active == "modem")
        bench.change("wwan0") { $0.facts.traffic = 900_000 }
        bench.run(seconds: 600)
        #expect(bench.failover.active == "modem", "never cut off")
        #expect(bench.failover.usage[1].isExceededTold)
        bench.wallStart += 31 * 86_400_000
        bench.plugIn("eth0")
        bench.tellFacts()
        bench.run(seconds: 600)
        #expect(bench.failover.active == "ethernet" && bench.state("modem") == .up, "hot again in the new month")
    }

    @Test("a modem that sleeps beyond its budget is connected again in the new month")
    func aModemThatSleepsBeyondItsBudgetIsConnectedAgainInTheNew() {
        var settings = Bench.settings
        settings.links[1].interface = nil
        settings.links[1].budget = 10_000
        var bench = Bench(settings)
        bench.providers.append(
            Provider(interface: "wwan0", facts: LinkFacts(interface: "wwan0", addresses: Bench.address(70))))
        bench.start()
        bench.act { $0.modemInterface("modem", "wwan0", at: $1, into: &$2) }
        bench.tellFacts()
        bench.run(seconds: 100)
        bench.change("wwan0") { $0.facts.traffic = 20_000 }
        #expect(bench.news().last == .modem("modem", isWanted: false))
        bench.act { $0.modemInterface("modem", nil, at: $1, into: &$2) }
        bench.run(seconds: 600)
        #expect(bench.state("modem") == .asleep && used(bench) == 20_000)
        _ = bench.news()
        bench.isWallTrusted = false
        bench.wallStart += 31 * 86_400_000
        bench.run(seconds: 600)
        #expect(bench.state("modem") == .asleep, "by a trusted clock only")
        bench.isWallTrusted = true
        bench.run(seconds: 60)
        #expect(bench.news().first == .modem("modem", isWanted: true))
        #expect(used(bench) == 0)
    }

    @Test("usage is worth storing after 10 min, or 1 MB on a metered link, not more often")
    func usageIsWorthStoringAfter10Min() {
        var bench = bench(budget: nil)
        var traffic: UInt64 = 0
        for _ in 0..<60 {
            bench.run(seconds: 60)
            traffic += 1_000
            bench.change("wwan0") { $0.facts.traffic = traffic }
            bench.change("eth0") { $0.facts.traffic = traffic * 100_000 }
        }
        #expect(bench.news().filter { $0 == .usageChanged }.count == 6)
        bench.change("wwan0") { $0.facts.traffic = traffic + 1_000_000 }
        #expect(bench.news() == [.usageChanged])
        bench.run(seconds: 3600)
        #expect(bench.news().isEmpty, "nothing new")
    }
}
