import AlarmModel
import Testing
import Uplinks

/// Three links whose fortune changes at random, and what must hold whatever happens.
private struct SeedRun {
    var bench: FailoverBench
    var random: Jitter
    let interfaces = ["eth0", "wlan0", "wwan0"]
    /// Since when each link has answered all; nil while it does not.
    var goodSince: [Int64?] = [0, 0, 0]
    /// Time since which each link has kept its addresses as well.
    var steadySince: [Int64] = [0, 0, 0]
    /// Since when each does not; nil while it does.
    var badSince: [Int64?] = [nil, nil, nil]
    var lastActive: String?
    var toldLost: [String: Bool] = [:]
    var isLossTold = false

    init(seed: UInt64) {
        random = Jitter(seed: seed)
        var settings = FailoverBench.settings
        settings.links.insert(LinkSettings(name: "wifi", kind: .wifi, interface: "wlan0"), at: 1)
        let policies = StandbyPolicy.allCases
        settings.links[2].standby = policies[Int(random.next() % 3)]
        bench = FailoverBench(settings)
        if random.next() % 3 == 0 { bench.providers[0].facts = LinkFacts(interface: "eth0", isPresent: false) }
        note()
    }

    /// Keeps the book on which link is good.
    mutating func note() {
        for (index, provider) in bench.providers.enumerated() {
            let facts = provider.facts
            let isGood =
                facts.isPresent && facts.hasCarrier && !facts.addresses.isEmpty && provider.targets != nil
                && !provider.refuses
            goodSince[index] = isGood ? goodSince[index] ?? bench.milliseconds : nil
            badSince[index] = isGood ? nil : badSince[index] ?? bench.milliseconds
        }
    }

    mutating func happen() {
        let index = Int(random.next() % 3)
        let before = bench.providers[index].facts.addresses
        defer {
            if bench.providers[index].facts.addresses != before { steadySince[index] = bench.milliseconds }
        }
        let interface = interfaces[index]
        let last = UInt8(random.next() % 200)
        switch random.next() % 14 {
        case 0: bench.cutCarrier(interface)
        case 1: bench.blackHole(interface)
        case 2, 3: bench.plugIn(interface, last: last)
        case 4, 5: bench.heal(interface)
        case 6: bench.change(interface) { $0.names = nil }
        case 7: bench.change(interface) { $0.refuses.toggle() }
        case 8: bench.change(interface) { $0.isFirstTargetDead.toggle() }
        case 9: bench.change(interface) { $0.facts.addresses = $0.facts.hasCarrier ? FailoverBench.address(last) : [] }
        case 10: bench.change(interface) { $0.facts = LinkFacts(interface: interface, isPresent: false) }
        case 11: bench.act { $0.peerSilent(.interface(interface), at: $1, into: &$2) }
        case 12:
            let isWaiting = last % 2 == 0
            bench.act { $0.needsNow(isWaiting, at: $1, into: &$2) }
        default:
            if goodSince[index] != nil { bench.act { $0.peerHeard(.interface(interface), at: $1, into: &$2) } }
        }
        note()
    }

    mutating func check() {
        let now = bench.milliseconds
        #expect(bench.mostOpen <= 6, "no more probes than links times targets")
        for (_, action) in bench.told {
            switch action {
            case .switched(let from, let to, _):
                #expect(from == lastActive && from != to)
                lastActive = to
            case .pathLost(let name, _):
                #expect(toldLost[name] != true, "\(name) is lost twice")
                toldLost[name] = true
            case .pathRestored(let name):
                #expect(toldLost[name] == true, "\(name) was not lost")
                toldLost[name] = false
            case .allLost:
                #expect(!isLossTold)
                isLossTold = true
            case .someRestored:
                #expect(isLossTold)
                isLossTold = false
            case .resolve, .open, .close, .useNameServers, .watch, .readLinks, .modem, .modemCarries, .renumbered,
                .budgetExceeded, .usageChanged:
                break
            }
        }
        _ = bench.news()
        #expect(bench.failover.active == lastActive)
        let active = bench.failover.report.firstIndex(where: \.isActive)
        guard goodSince.contains(where: { $0.map { now - $0 > 30_000 } ?? false }) else { return }
        guard let active else {
            Issue.record("at \(now) ms no link is in use, though one has been good for 30 s")
            return
        }
        if let bad = badSince[active] {
            #expect(now - bad <= 30_000, "at \(now) ms a link is in use that has been dead since \(bad) ms")
        }
        // The longest hold time, and the passes until it counted.
        for (index, since) in goodSince.enumerated() where index < active {
            #expect(
                since.map { now - max($0, steadySince[index]) < 720_000 } ?? true,
                "at \(now) ms the preferred link is not used")
        }
    }
}

@Suite("The failover, whatever happens")
struct FailoverSeedTests {
    @Test("a link that answers is used within 30 s, a dead one left; all that was opened is closed", arguments: 1...12)
    func aLinkThatAnswersIsUsedWithin30S(seed: Int) {
        var run = SeedRun(seed: UInt64(seed))
        run.bench.start()
        for _ in 0..<100 {
            run.happen()
            let pause = run.random.next() % 5
            run.bench.run(seconds: pause == 0 ? 400 : Int64(pause * 9))
            run.check()
        }
        run.bench.act { $0.reconfigure(UplinkSettings(), at: $1, into: &$2) }
        #expect(run.bench.open.isEmpty)
    }

    @Test("the same inputs give the same actions and the same state")
    func theSameInputsGiveTheSameActionsAndTheSameState() {
        let ends = (0..<2).map { _ in
            var run = SeedRun(seed: 7)
            run.bench.start()
            for _ in 0..<60 {
                run.happen()
                run.bench.run(seconds: 17)
            }
            return run.bench.failover
        }
        #expect(ends[0] == ends[1])
    }
}
