import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Programs of the house") struct ProgramTests {
    private func event(_ id: String, _ program: String = "siren", priority: PriorityClass = .alarm) -> Delivery {
        Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.program), program),
            content: .event(.object(["type": .string("alarm")]), type: "alarm"), priority: priority, timeToLive: 60)
    }

    /// The runner is there.
    private func ready(parallel: Int = 2) -> ChannelBench<ProgramTransport> {
        var settings = ProgramSettings(socket: "/run/hook")
        settings.parallel = parallel
        let bench = ChannelBench(ProgramTransport(settings: settings, seed: 1))
        bench.start()
        bench.connect()
        _ = bench.take()
        return bench
    }

    @Test("the runner is looked for at the start; then each event has a connection, a line and an answer")
    func theRunnerIsLookedForAtTheStart() {
        let bench = ChannelBench(ProgramTransport(settings: ProgramSettings(socket: "/run/hook"), seed: 1))
        bench.start()
        var target = DialTarget(host: "/run/hook", port: 0, security: .plain)
        target.isLocalSocket = true
        #expect(bench.take() == [.connect(DialSlot(0), target)])
        bench.connect()
        #expect(bench.take() == [.close(ConnectionID(1)), .ready])
        #expect(bench.channel.health.isHealthy && bench.channel.nextDeadline == nil)
        bench.deliver(event("m1"))
        #expect(bench.take() == [.connect(DialSlot(0), target)])
        bench.connect()
        #expect(
            bench.take().text == #"{"program":"siren","message":"m1","limit":10,"event":{"type":"alarm"}}"# + "\n")
        for byte in "{\"exit\":0}\n" { bench.say(String(byte)) }
        #expect(bench.take().orders == [.close(ConnectionID(2)), .accepted(MessageID("m1"), canonical: nil)])
    }

    @Test("every answer has its consequence")
    func everyAnswerHasItsConsequence() {
        let again = PushReaction.retry(first: .seconds(30), attempts: 3)
        let soon = PushReaction.retry(first: .seconds(5), attempts: 5)
        let cases: [(String, PushReaction, String)] = [
            (#"{"exit":3}"#, again, "status 3"), (#"{"signal":9}"#, again, "signal 9"),
            (#"{"overtime":true}"#, again, "too long"),
            (#"{"refused":"no \u001b file"}"#, .giveUp, "not run: no ? file"),
            (#"{"busy":true}"#, .retry(first: .seconds(5), attempts: nil), "too many"),
            ("nonsense", soon, "no answer"),
            (#"{"exit":-1}"#, soon, "no answer"), (String(repeating: " ", count: 5000), soon, "no answer"),
        ]
        for (line, reaction, words) in cases {
            let bench = ready()
            bench.deliver(event("m1"))
            bench.connect()
            bench.say(line + "\n")
            #expect(bench.actions.lastRefusal?.reaction == reaction, "\(line.prefix(30))")
            #expect(bench.actions.lastRefusal?.why.contains(words) == true, "\(line.prefix(30))")
            #expect(bench.channel.health.isHealthy)
        }
        for trouble in 0..<2 {
            let bench = ready()
            bench.deliver(event("m1"))
            bench.connect()
            if trouble == 0 { bench.lose() } else { bench.wait(.seconds(20)) }
            #expect(bench.actions.lastRefusal?.reaction == soon)
        }
    }

    @Test("alarms pass what waits; a program that hangs holds up no other")
    func alarmsPassWhatWaits() {
        let bench = ready()
        for (id, priority) in [
            ("i1", PriorityClass.info), ("i2", .info), ("i3", .info), ("a1", .alarm), ("a2", .alarm),
        ] {
            bench.deliver(event(id, priority: priority))
        }
        #expect(bench.take().connects == 2)
        bench.connect(slot: 0)
        let hanging = bench.connect(slot: 1)
        for _ in 0..<3 {
            bench.say("{\"exit\":0}\n", on: ConnectionID(bench.connections == 3 ? 2 : bench.connections))
            bench.connect(slot: 0)
        }
        bench.say("{\"exit\":0}\n")
        #expect(
            bench.actions.orders.compactMap { if case .accepted(let id, _) = $0 { id.text } else { nil } }
                == ["i1", "a1", "a2", "i3"])
        #expect(bench.channel.health.underWay == 1)
        bench.say("{\"exit\":0}\n", on: hanging)
        #expect(bench.channel.health.underWay == 0)
    }

    @Test("without a runner everything is given back, and it is looked for for ever")
    func withoutARunnerEverythingIsGivenBack() {
        let bench = ready()
        bench.deliver(event("m1"))
        bench.deliver(event("m2"))
        bench.deliver(event("m3"))
        _ = bench.take()
        bench.refuse(slot: 1)
        #expect(
            bench.take().orders.dropLast() == [
                .cancelConnect(DialSlot(0)), .notReady, .returned(["m1", "m2", "m3"].map { MessageID($0) }),
            ])
        #expect(bench.channel.health.problem?.description.contains("/run/hook (connection refused)") == true)
        for _ in 0..<20 {
            #expect(bench.waitForTimer().map { $0 <= .seconds(60) } == true)
            bench.refuse()
        }
        bench.wait(.seconds(60))
        bench.connect()
        #expect(bench.channel.health.isHealthy)
        bench.deliver(event("m4", "../sh"))
        #expect(bench.actions.lastRefusal?.reaction == .dropAddress)
    }
}
