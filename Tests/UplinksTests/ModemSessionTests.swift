import AlarmModel
import Testing
import Uplinks

@Suite("The modem's session")
struct ModemSessionTests {
    @Test("from a locked SIM to a connection, one order after the other")
    func fromALockedSIMToAConnection() {
        var bench = ModemBench()
        bench.start()
        #expect(bench.orders == ["find"])
        #expect(bench.hear(.modem(.locked(tries: 3))) == ["unlock 1234"])
        #expect(bench.hear(.done(.unlock), .modem(.disabled)) == [])
        #expect(bench.pass(15) == ["enable"])
        #expect(bench.hear(.done(.enable), .modem(.searching)) == [])
        #expect(bench.session.report.step == .registering)
        #expect(bench.hear(.modem(.home)) == [])
        #expect(bench.actions == [.textsReady(true)])
        #expect(bench.pass(2) == ["connect internet"])
        #expect(bench.hear(.done(.connect), .modem(.online)) == [])
        #expect(bench.actions.contains(.bearer(ModemBearer(interface: "wwan0"))))
        #expect(bench.session.report.step == .connected)
        #expect(bench.session.report.problem == nil)
        #expect(bench.pass(86_400) == [])
    }

    @Test("a refused PIN is tried once, and only another PIN or a person brings the next try")
    func aRefusedPINIsTriedOnce() {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(.locked(tries: 3)))
        #expect(bench.hear(.failed(.unlock, ModemFailure(.wrongPIN))) == [])
        #expect(bench.actions.contains(.pinRefused(true)))
        #expect(bench.hear(.modem(.locked(tries: 2))) == [])
        #expect(bench.session.report.problem == .pinRefused(triesLeft: 2))
        #expect(bench.pass(3 * 86_400) == [], "no try and no reset")
        #expect(bench.hear(.modem(nil)) == ["find"])
        bench.pass(3600)
        #expect(bench.hear(.done(.find), .modem(.locked(tries: 2))) == [], "the modem came back; the PIN is the same")
        let settings = ModemSettings(pin: Secret("4321"), subscription: ModemSubscription(apn: "internet"))
        bench.session.change(settings, at: bench.now, into: &bench.actions)
        #expect(bench.orders == ["unlock 4321"])
        #expect(bench.actions.contains(.pinRefused(false)))
    }

    @Test("a refusal that was kept over a restart holds")
    func aRefusalThatWasKeptOverARestartHolds() {
        var bench = ModemBench(isPINRefused: true)
        bench.start()
        #expect(bench.hear(.modem(.locked(tries: 3))) == [])
        #expect(bench.pass(3600) == [])
        bench.session.tryAgain(at: bench.now, into: &bench.actions)
        #expect(bench.orders == ["unlock 1234"])
    }

    @Test("the last try is never taken", arguments: [0, 1])
    func theLastTryIsNeverTaken(left: Int) {
        var bench = ModemBench()
        bench.start()
        #expect(bench.hear(.modem(.locked(tries: left))) == [])
        #expect(bench.session.report.problem == .lastTry)
        #expect(bench.pass(86_400) == [])
        bench.session.tryAgain(at: bench.now, into: &bench.actions)
        #expect(bench.orders == [])
    }

    @Test("a modem that does not tell how many tries are left gets time to do so, then one try")
    func aModemThatDoesNotTellHowManyTriesAreLeftGetsTimeToDoSo() {
        var bench = ModemBench()
        bench.start()
        #expect(bench.hear(.modem(.locked(tries: nil))) == [])
        #expect(bench.pass(19) == [])
        #expect(bench.pass(1) == ["unlock 1234"])
        #expect(bench.hear(.failed(.unlock, ModemFailure(.other, "odd"))) == [])
        #expect(bench.pass(3600) == [], "nobody knows whether that was a try")
        #expect(bench.session.report.problem == .pinRefused(triesLeft: nil))
    }

    @Test("an answer that is neither yes nor no is followed by another try only while the count stands")
    func anAnswerThatIsNeitherYesNorNoIsFollowedByAnotherTry() {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(.locked(tries: 3)))
        bench.hear(.failed(.unlock, ModemFailure(.other, "busy")))
        #expect(bench.pass(30) == ["unlock 1234"])
        bench.hear(.failed(.unlock, ModemFailure(.timedOut)), .modem(.locked(tries: 2)))
        #expect(bench.pass(3600) == [])
        #expect(bench.session.report.problem == .pinRefused(triesLeft: 2))
    }

    @Test(
        "what only a person can change is said and never ends in resets",
        arguments: [
            (ModemStatus(phase: .locked, lock: .puk, triesLeft: 10), ModemProblem.pukNeeded),
            (ModemStatus(phase: .locked, lock: .other), .modemLocked),
            (ModemStatus(phase: .registered, lock: .none, registration: .roaming), .roamingNotAllowed),
        ])
    func whatOnlyAPersonCanChangeIsSaidAndNeverEndsInResets(status: ModemStatus, problem: ModemProblem) {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(status))
        #expect(bench.session.report.problem == problem)
        #expect(bench.session.report.step == .waitingForPerson)
        #expect(bench.pass(86_400) == [])
    }

    @Test("a SIM that asks for a PIN when none is configured")
    func aSIMThatAsksForAPINWhenNoneIsConfigured() {
        var bench = ModemBench(pin: nil)
        bench.start()
        #expect(bench.hear(.modem(.locked(tries: 3))) == [])
        #expect(bench.session.report.problem == .pinMissing)
    }

    @Test("roaming connects where it is allowed")
    func roamingConnectsWhereItIsAllowed() {
        var bench = ModemBench(allowsRoaming: true)
        bench.start()
        let roaming = ModemStatus(phase: .registered, lock: .none, registration: .roaming)
        #expect(bench.hear(.modem(roaming)) == ["connect internet"])
    }

    @Test("failed connections are tried again after 5 s, doubling to 5 min")
    func failedConnectionsAreTriedAgainAfter5S() {
        var bench = ModemBench()
        bench.start()
        #expect(bench.hear(.modem(.home)) == ["connect internet"])
        var pauses: [Int] = []
        for _ in 0..<5 {
            bench.hear(.failed(.connect, ModemFailure(.other, "no carrier")))
            var pause = 0
            var orders: [String] = []
            while orders.isEmpty, pause < 400 {
                pause += 1
                orders = bench.pass(1)
            }
            #expect(orders == ["connect internet"])
            pauses.append(pause)
        }
        #expect(pauses == [5, 10, 20, 40, 80])
        guard case .failed(.connect, _)? = bench.session.report.problem else {
            Issue.record("the failure is not told")
            return
        }
    }

    @Test("a connection that stood is set up again at once, one that keeps dropping with pauses")
    func aConnectionThatStoodIsSetUpAgainAtOnce() {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(.home))
        bench.hear(.done(.connect), .modem(.online))
        bench.pass(60)
        #expect(bench.hear(.modem(.home)) == ["connect internet"])
        #expect(bench.actions.first == .bearer(nil) || bench.actions.contains(.bearer(nil)))
        bench.hear(.done(.connect), .modem(.online))
        bench.pass(10)
        #expect(bench.hear(.modem(.home)) == [])
        #expect(bench.pass(4) == [])
        #expect(bench.pass(1) == ["connect internet"])
    }

    @Test("an unwanted connection is ended; the modem stays registered")
    func anUnwantedConnectionIsEnded() {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(.home))
        bench.hear(.done(.connect), .modem(.online))
        bench.pass(10)
        #expect(bench.wanted(false) == ["disconnect"])
        #expect(bench.hear(.done(.disconnect), .modem(.home)) == [])
        #expect(bench.session.report.step == .idle)
        #expect(bench.pass(86_400) == [], "registered is all that is wanted")
        #expect(bench.wanted(true) == ["connect internet"])
    }

    @Test("without progress the modem is reset after 5 min, doubling to 1 h, 12 times a day at most")
    func withoutProgressTheModemIsResetAfter5Min() {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(.searching))
        var times: [Int] = []
        for _ in 0..<(48 * 60) {
            if bench.pass(60).contains("reset") {
                times.append(bench.seconds / 60)
                bench.hear(.done(.reset))
            }
        }
        #expect(Array(times.prefix(5)) == [5, 15, 35, 75, 135])
        let firstDay = times.count { $0 < 24 * 60 }
        #expect(firstDay == 12)
        for (index, time) in times.enumerated() where index >= 12 {
            #expect(time - times[index - 12] >= 24 * 60)
        }
        #expect(times.count > 12, "it goes on the next day")
        #expect(bench.session.report.problem == .noNetwork)
    }

    @Test("a cold link that is wanted now and then does not put the reset of a stuck modem off")
    func aColdLinkThatIsWantedNowAndThenDoesNotPutTheResetOfAStuck() {
        var bench = ModemBench()
        bench.start(wanted: false)
        bench.hear(.modem(.searching))
        var isWanted = false
        for minute in 1...5 {
            #expect(bench.pass(59).contains("reset") == false, "minute \(minute)")
            isWanted.toggle()
            let orders = bench.wanted(isWanted) + bench.pass(1)
            #expect(orders.contains("reset") == (minute == 5), "minute \(minute)")
        }
    }

    @Test("progress puts the reset off; the goal reached makes it patient anew")
    func progressPutsTheResetOff() {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(.disabled))
        bench.pass(200)
        bench.hear(.done(.enable), .modem(.searching))
        #expect(!bench.pass(299).contains("reset"))
        #expect(bench.pass(1).contains("reset"))
        bench.hear(.done(.reset), .modem(nil))
        bench.pass(30)
        bench.hear(.modem(.home))
        bench.pass(15)
        bench.hear(.done(.connect), .modem(.online))
        bench.pass(600)
        bench.hear(.modem(.searching))
        #expect(!bench.pass(299).contains("reset"))
        #expect(bench.pass(1).contains("reset"), "5 min again, not 10")
    }

    @Test("a modem that vanishes takes its connection with it and is looked for until it is back")
    func aModemThatVanishesTakesItsConnectionWithItAndIsLooked() {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(.home))
        bench.hear(.done(.connect), .modem(.online))
        #expect(bench.hear(.modem(nil)) == ["find"])
        #expect(bench.actions.contains(.bearer(nil)))
        #expect(bench.actions.contains(.textsReady(false)))
        #expect(bench.session.report.problem == nil)
        bench.hear(.done(.find))
        #expect(bench.pass(119) == ["find"])
        bench.hear(.done(.find))
        bench.pass(1)
        #expect(bench.session.report.problem == .noModem)
        bench.hear(.done(.find))
        #expect(bench.hear(.modem(.home)) == ["connect internet"])
        #expect(bench.session.report.problem == nil)
    }

    @Test("a trouble is told once, and its end only when the modem does again what is wanted")
    func aTroubleIsToldOnce() {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(.home))
        var problems: [ModemProblem?] = []
        func keep() {
            for action in bench.actions { if case .problem(let problem) = action { problems.append(problem) } }
        }
        for words in ["no carrier", "busy", "no carrier"] {
            bench.hear(.failed(.connect, ModemFailure(.other, words)))
            keep()
            bench.pass(60)
            keep()
        }
        bench.hear(.modem(nil))
        keep()
        bench.hear(.done(.find), .modem(.home))
        keep()
        #expect(problems == [.failed(.connect, ModemFailure(.other, "no carrier"))])
        bench.pass(5)
        bench.hear(.done(.connect), .modem(.online))
        keep()
        #expect(problems.count == 2 && problems.last == .some(nil))
    }

    @Test("without the modem service nothing is ordered, and that is said after a while")
    func withoutTheModemServiceNothingIsOrdered() {
        var bench = ModemBench()
        bench.session.start(at: bench.now, into: &bench.actions)
        bench.hear(.failed(.find, ModemFailure(.noModem)))
        #expect(bench.hear(.service(isThere: false)) == [])
        #expect(bench.pass(600) == [])
        #expect(bench.session.report.problem == .noService)
        #expect(bench.hear(.service(isThere: true)) == ["find"])
    }

    @Test("an order that nobody answers counts as failed")
    func anOrderThatNobodyAnswersCountsAsFailed() {
        var bench = ModemBench()
        bench.start()
        bench.hear(.modem(.home))
        #expect(bench.pass(180) == [])
        #expect(bench.session.report.problem == .failed(.connect, ModemFailure(.timedOut)))
        #expect(bench.pass(5) == ["connect internet"])
        #expect(bench.hear(.done(.enable)) == [], "an answer to something else")
    }

    @Test("no secret of the session is printed")
    func noSecretOfTheSessionIsPrinted() {
        var bench = ModemBench(pin: "8462")
        bench.start()
        bench.hear(.modem(.locked(tries: 3)))
        var text = ""
        dump(bench.session, to: &text)
        dump(bench.actions, to: &text)
        #expect(!(text + "\(bench.session) \(bench.actions)").contains("8462"))
    }
}
