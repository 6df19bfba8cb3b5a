import AlarmModel
import Testing
import Uplinks

/// The PIN, the settings, or whether data is wanted: something is another by the time that the modem answers.
@Suite("The modem's session when something changes meanwhile")
struct ModemChangeTests {
    @Test("a PIN that the SIM took is told again each time the modem comes back locked", arguments: [nil, 3] as [Int?])
    func aPINThatTheSIMTookIsToldAgainEachTimeTheModemComesBack(tries: Int?) {
        var bench = ModemBench()
        bench.start()
        for round in 1...4 {
            var orders = bench.hear(.modem(.locked(tries: tries)))
            orders += bench.pass(20)
            #expect(orders == ["unlock 1234"], "round \(round)")
            #expect(bench.hear(.done(.unlock), .modem(.disabled)) == [])
            // Its power does not last for the radio.
            #expect(bench.hear(.modem(nil)) == ["find"])
            bench.hear(.done(.find))
        }
        #expect(!bench.session.isPINRefused)
    }

    @Test("a PIN that is corrected while the wrong one is tried is tried in its turn, once")
    func aPINThatIsCorrectedWhileTheWrongOneIsTriedIsTriedInItsTurn() {
        var bench = ModemBench()
        bench.start()
        #expect(bench.hear(.modem(.locked(tries: 3))) == ["unlock 1234"])
        bench.change { $0.pin = Secret("4321") }
        #expect(bench.orders == [])
        #expect(bench.hear(.failed(.unlock, ModemFailure(.wrongPIN)), .modem(.locked(tries: 2))) == [])
        #expect(!bench.session.isPINRefused)
        #expect(bench.pass(15) == ["unlock 4321"])
        #expect(bench.hear(.failed(.unlock, ModemFailure(.wrongPIN)), .modem(.locked(tries: 1))) == [])
        #expect(bench.session.isPINRefused)
        #expect(bench.pass(86_400) == [])
    }

    @Test("that the last connection failed is no trouble any more once none is wanted", arguments: [true, false])
    func thatTheLastConnectionFailedIsNoTroubleAnyMoreOnceNone(failsBefore: Bool) {
        var bench = ModemBench()
        bench.start()
        #expect(bench.hear(.modem(.home)) == ["connect internet"])
        let failure = ModemFact.failed(.connect, ModemFailure(.other, "no carrier"))
        if failsBefore {
            bench.hear(failure)
            #expect(bench.session.report.problem != nil)
        }
        #expect(bench.wanted(false) == [])
        #expect(bench.actions.contains(.problem(nil)) == failsBefore)
        if !failsBefore { bench.hear(failure) }
        #expect(bench.session.report.problem == nil)
        bench.pass(3600)
        #expect(bench.session.report.problem == nil)
    }

    @Test("another access point that is configured while the modem connects takes effect all the same")
    func anotherAccessPointThatIsConfiguredWhileTheModemConnects() {
        var bench = ModemBench()
        bench.start()
        #expect(bench.hear(.modem(.home)) == ["connect internet"])
        bench.change { $0.subscription.apn = "iot" }
        #expect(bench.orders == [])
        #expect(bench.hear(.done(.connect), .modem(.online)) == [])
        #expect(bench.pass(2) == ["disconnect"])
        bench.hear(.done(.disconnect), .modem(.home))
        #expect(bench.pass(5) == ["connect iot"])
        bench.hear(.done(.connect), .modem(.online))
        #expect(bench.pass(86_400) == [])
        bench.change { $0.subscription.apn = "internet" }
        #expect(bench.orders == ["disconnect"], "at once while nothing is under way")
    }

    @Test("roaming that is forbidden while the modem connects is ended")
    func roamingThatIsForbiddenWhileTheModemConnectsIsEnded() {
        var bench = ModemBench(allowsRoaming: true)
        bench.start()
        var roaming = ModemStatus(phase: .registered, lock: .none, registration: .roaming)
        #expect(bench.hear(.modem(roaming)) == ["connect internet"])
        bench.change { $0.subscription.allowsRoaming = false }
        roaming.phase = .connected
        roaming.bearer = ModemBearer(interface: "wwan0")
        bench.hear(.done(.connect), .modem(roaming))
        #expect(bench.pass(2) == ["disconnect"])
    }
}
