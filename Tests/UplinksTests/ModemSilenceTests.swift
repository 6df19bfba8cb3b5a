import AlarmModel
import Testing
import Uplinks

@Suite("A modem that is connected and carries nothing")
struct ModemSilenceTests {
    private func online() -> ModemBench {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(.home))
        bench.hear(.done(.connect), .modem(.online))
        return bench
    }

    /// Follows one order that makes the data connection anew: it ends, and another is there.
    private func reconnect(_ bench: inout ModemBench) {
        bench.hear(.done(.disconnect), .modem(.home))
        #expect(bench.pass(2) == ["connect internet"])
        bench.hear(.done(.connect), .modem(.online))
    }

    @Test("it is reconnected after 3 min and reset 5 min later, doubling to 1 h, 12 times a day at most")
    func itIsReconnectedAfter3MinAndResetLater() {
        var bench = online()
        #expect(bench.pass(3600) == [], "nobody has judged the connection yet")
        #expect(bench.carries(false) == [])
        #expect(bench.pass(179) == [])
        #expect(bench.pass(1) == ["disconnect"])
        reconnect(&bench)
        bench.carries(false)
        #expect(!bench.pass(297).contains("reset"))
        #expect(bench.pass(1) == ["reset"])
        var times: [Int] = []
        for _ in 0..<(24 * 60) {
            bench.hear(.done(.reset), .modem(nil))
            bench.hear(.done(.find), .modem(.home))
            bench.pass(10)
            bench.hear(.done(.connect), .modem(.online))
            bench.carries(false)
            let start = bench.seconds
            var orders: [String] = []
            while orders.isEmpty, bench.seconds < start + 86_400 { orders = bench.pass(10) }
            #expect(orders == ["reset"], "one reconnect is enough for one silence")
            times.append((bench.seconds - start) / 60)
            if bench.seconds > 86_400 { break }
        }
        #expect(times.prefix(4) == [10, 20, 40, 60])
        #expect(bench.session.report.resets <= 12)
    }

    @Test("an answered probe ends it: the next silence begins with a reconnect again")
    func anAnsweredProbeEndsIt() {
        var bench = online()
        bench.carries(false)
        bench.pass(170)
        bench.carries(true)
        #expect(bench.pass(86_400) == [])
        bench.carries(false)
        #expect(bench.pass(180) == ["disconnect"])
        reconnect(&bench)
        bench.carries(true)
        #expect(bench.pass(86_400) == [])
        bench.carries(false)
        #expect(bench.pass(180) == ["disconnect"])
    }

    @Test("a connection that nobody wants is no trouble, and another attempt begins without a past")
    func aConnectionThatNobodyWantsIsNoTrouble() {
        var bench = online()
        bench.pass(10)
        bench.carries(false)
        #expect(bench.wanted(false) == ["disconnect"])
        bench.hear(.done(.disconnect), .modem(.home))
        #expect(bench.pass(86_400) == [])
        #expect(bench.carries(false) == [] && bench.pass(86_400) == [])
        #expect(bench.wanted(true) == ["connect internet"])
        bench.hear(.done(.connect), .modem(.online))
        #expect(bench.pass(86_400) == [])
    }

    @Test("neither a reconnect nor a reset interrupts a call")
    func neitherInterruptsACall() {
        var bench = online()
        bench.carries(false)
        bench.session.callsUntil = ModemBench.moment(400).boot
        #expect(bench.pass(399) == [])
        #expect(bench.pass(1) == ["disconnect"])
        var searching = ModemBench()
        searching.start()
        searching.hear(.modem(.searching))
        searching.session.callsUntil = ModemBench.moment(1000).boot
        #expect(searching.pass(999) == [])
        #expect(searching.pass(1) == ["reset"])
    }

    @Test("the failover reports a dead data connection after two failed probes, and its end")
    func theFailoverReportsADeadDataConnection() {
        var settings = FailoverBench.settings
        settings.links[1].interface = nil
        var bench = FailoverBench(settings)
        bench.providers.append(
            Provider(
                interface: "wwan0",
                facts: LinkFacts(
                    interface: "wwan0", addresses: FailoverBench.address(20), nameServers: FailoverBench.address(21))))
        bench.start()
        bench.act { $0.modemInterface("modem", "wwan0", at: $1, into: &$2) }
        bench.tellFacts()
        bench.run(seconds: 60)
        #expect(bench.verdicts == [true])
        bench.blackHole("wwan0")
        bench.blackHole("eth0")
        bench.run(seconds: 120)
        #expect(bench.verdicts == [true, false])
        bench.heal("wwan0")
        bench.run(seconds: 60)
        #expect(bench.verdicts == [true, false, true])
        // Another connection is judged anew.
        bench.act { $0.modemInterface("modem", nil, at: $1, into: &$2) }
        bench.act { $0.modemInterface("modem", "wwan0", at: $1, into: &$2) }
        bench.tellFacts()
        bench.run(seconds: 60)
        #expect(bench.verdicts == [true, false, true, true])
    }
}

extension ModemBench {
    /// Verdict of the failover's probes on the data connection.
    @discardableResult
    fileprivate mutating func carries(_ isCarrying: Bool) -> [String] {
        actions = []
        session.carries(isCarrying, at: now, into: &actions)
        return orders
    }
}

extension FailoverBench {
    /// Reports about the modem's data connection.
    fileprivate var verdicts: [Bool] {
        told.compactMap { if case .modemCarries(let isCarrying) = $0.1 { isCarrying } else { nil } }
    }
}
