import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("The runner of the house's programs") struct ProgramRunnerTests {
    private func event(_ id: String, priority: PriorityClass = .alarm) -> Delivery {
        Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.program), "siren"),
            content: .event(.object([:]), type: "alarm"), priority: priority, timeToLive: 60)
    }

    private func bench(_ change: (inout ProgramSettings) -> Void = { _ in }) -> ChannelBench<ProgramTransport> {
        var settings = ProgramSettings()
        change(&settings)
        let bench = ChannelBench(ProgramTransport(settings: settings, seed: 1))
        bench.start()
        return bench
    }

    @Test("what it says of a program is the same after a line of JSON; what it could not say is nothing")
    func whatItSaysOfAProgramIsTheSameAfterALineOfJSON() {
        let answers: [ProgramAnswer] = [
            .exited(0), .exited(255), .killed(signal: 1), .killed(signal: 64), .overtime, .refused("no file"), .busy,
        ]
        for answer in answers { #expect(ProgramAnswer(answer.json) == answer) }
        for json in [("exit", 256), ("exit", -1), ("signal", 0), ("signal", 65), ("overtime", 1), ("busy", 1)] {
            #expect(ProgramAnswer(.object([json.0: .integer(Int64(json.1))])) == nil, "\(json)")
        }
        #expect(ProgramAnswer(.object(["busy": .bool(false), "overtime": .bool(false)])) == nil)
    }

    @Test("the name of a program is a file in its directory, and no link of it")
    func theNameOfAProgramIsAFileInItsDirectory() {
        for name in ["siren", "a", "Call-Neighbour_2.sh", String(repeating: "x", count: 64)] {
            #expect(ProgramAnswer.isProgramName(name), "\(name)")
        }
        for name in ["", ".", "..", ".hidden", "-rf", "a/b", "a b", "a\n", "ü", String(repeating: "x", count: 65)] {
            #expect(!ProgramAnswer.isProgramName(name), "\(name)")
        }
    }

    @Test("a program is given events only, and places are kept for alarms")
    func aProgramIsGivenEventsOnly() {
        let bench = bench { ($0.window, $0.reservedForAlarms) = (3, 1) }
        #expect(bench.channel.room == .none && bench.channel.health.phase == .connecting)
        bench.connect()
        #expect(bench.channel.room == TransportRoom(alarm: 3, other: 2))
        var words = event("w")
        words.content = .sealed([1])
        #expect(bench.deliver(words))
        #expect(bench.actions.lastRefusal == Refusal(.giveUp, why: "a program is given events only"))
        #expect(bench.deliver(event("i1", priority: .info)) && bench.deliver(event("i2", priority: .info)))
        #expect(!bench.deliver(event("i3", priority: .info)) && bench.deliver(event("a1")))
        #expect(!bench.deliver(event("a2")))
    }

    @Test("stopping gives back what runs, what is dialed and what waits; nothing is heard of it afterwards")
    func stoppingGivesBackWhatRuns() {
        let bench = bench { $0.parallel = 2 }
        bench.connect()
        for id in ["a", "b", "c"] { bench.deliver(event(id)) }
        let running = bench.connect(slot: 0)
        _ = bench.take()
        bench.stop()
        #expect(
            bench.take() == [
                .close(running), .cancelConnect(DialSlot(1)), .notReady,
                .returned(["a", "b", "c"].map { MessageID($0) }),
            ])
        #expect(bench.channel.health == TransportHealth(phase: .stopped) && bench.channel.nextDeadline == nil)
        bench.stop()
        bench.say("{\"exit\":0}\n", on: running)
        bench.lose(.finished, running)
        bench.refuse(slot: 1)
        let late = bench.connect(slot: 1)
        #expect(bench.take() == [.close(late)])
    }

    @Test("a runner that does not even take a connection is told after 10 s, and what waited is given back")
    func aRunnerThatDoesNotEvenTakeAConnectionIsToldAfter10S() {
        let bench = bench()
        bench.connect()
        bench.deliver(event("a"))
        _ = bench.take()
        bench.wait(.seconds(10))
        #expect(
            bench.take().orders.prefix(3) == [
                .cancelConnect(DialSlot(0)), .notReady, .returned([MessageID("a")]),
            ])
        #expect(bench.channel.health.problem?.description.contains("(no answer); start it: systemctl enable") == true)
        #expect(bench.channel.health.phase == .waiting)
    }

    @Test("while an alarm waits the runner is looked for within 5 s; a network does not matter to it")
    func whileAnAlarmWaitsTheRunnerIsLookedForWithin5S() throws {
        let bench = bench()
        for _ in 0..<12 {
            bench.refuse()
            _ = bench.waitForTimer()
        }
        bench.refuse()
        let due = bench.channel.nextDeadline
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.channel.nextDeadline == due)
        bench.channel.setUrgent(true, at: bench.now)
        #expect(try #require(bench.waitForTimer()) <= .seconds(5))
        for _ in 0..<20 {
            bench.refuse()
            #expect(try #require(bench.waitForTimer()) <= .seconds(5))
        }
    }

    @Test("why it cannot be reached is told in the words of the failure")
    func whyItCannotBeReachedIsToldInTheWordsOfTheFailure() {
        let failures: [(ConnectFailure, String)] = [
            (.dial(.unreachable(.refused)), "(connection refused)"),
            (.dial(.unresolved(.timedOut)), "(\(ResolveFailure.timedOut))"),
            (.tls(.cutOff), "(\(TLSFailure.cutOff))"),
        ]
        for (failure, words) in failures {
            let bench = bench()
            bench.refuse(failure)
            #expect(bench.actions.lastProblem?.description.contains(words) == true, "\(words)")
        }
    }
}
