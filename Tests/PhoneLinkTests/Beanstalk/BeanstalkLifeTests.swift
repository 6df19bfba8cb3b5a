import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("The connections to beanstalkd") struct BeanstalkLifeTests {
    private func bench(_ commands: [String] = [], host: String = "127.0.0.1") -> ChannelBench<BeanstalkTransport> {
        let bench = ChannelBench(BeanstalkSettings(host: host, commandTubes: commands))
        bench.start()
        return bench
    }

    @Test("each step towards the queue shows; one on another machine is warned of")
    func eachStepTowardsTheQueueShows() {
        let bench = bench(host: "queue.test")
        let target = DialTarget(host: "queue.test", port: 11_300, security: .plain)
        #expect(bench.actions.orders == [.connect(DialSlot(0), target)])
        #expect(bench.take().contains { if case .log(let entry) = $0 { entry.level == .warning } else { false } })
        #expect(bench.channel.health.phase == .connecting)
        bench.refuse()
        #expect(bench.take().lastProblem?.description.contains("is it started?") == true)
        #expect(bench.channel.health.phase == .waiting)
        _ = bench.waitForTimer()
        bench.connect()
        #expect(bench.channel.health.phase == .loggingIn && bench.channel.room == .none)
        bench.say("USING default\r\n")
        #expect(bench.take().orders.suffix(2) == [.problem(nil), .ready])
        #expect(bench.channel.room == TransportRoom(alarm: 100, other: 90))
    }

    @Test("an attempt that nobody answers, and a greeting that does not come, are given up and made again")
    func anAttemptThatNobodyAnswers() {
        let bench = bench()
        _ = bench.take()
        #expect(bench.waitForTimer() == .seconds(30))
        #expect(bench.actions.lastProblem?.description.contains("cannot be reached: no answer") == true)
        #expect(bench.take().contains(.cancelConnect(DialSlot(0))))
        _ = bench.waitForTimer()
        bench.connect()
        #expect(bench.take().connects == 1)
        #expect(bench.waitForTimer() == .seconds(15))
        #expect(bench.take().orders.prefix(1) == [.close(ConnectionID(1))])
        // Too late for the attempt, and for the connection.
        let late = bench.connect()
        bench.lose(.reset)
        #expect(bench.take() == [.close(late)])
    }

    @Test("a lane for commands that stalls says so and does not stop events")
    func aLaneForCommandsThatStallsSaysSoAndDoesNotStopEvents() {
        let bench = bench(["commands"])
        bench.connect(slot: 0)
        bench.say("USING default\r\n")
        _ = bench.take()
        bench.wait(.seconds(30))
        #expect(bench.take().orders.prefix(1) == [.cancelConnect(DialSlot(1))])
        #expect(bench.channel.health.phase == .ready && bench.channel.health.problem != nil)
        while bench.actions.connects == 0 { _ = bench.waitForTimer() }
        _ = bench.take()
        bench.refuse(slot: 1)
        #expect(bench.channel.health.problem?.description.contains("is it started?") == true)
        #expect(bench.channel.room.alarm > 0)
        while bench.actions.connects == 0 { _ = bench.waitForTimer() }
        let id = bench.connect(slot: 1)
        _ = bench.take()
        // Nothing is said to 'stats'.
        while !bench.actions.contains(.close(id)) { bench.wait(.seconds(1)) }
        #expect(bench.channel.health.problem?.description.contains("did not answer in time") == true)
    }

    @Test("while an alarm waits both connections are tried within 5 s; another network has them tried at once")
    func whileAnAlarmWaitsBothConnectionsAreTriedWithin5S() throws {
        let bench = bench(["commands"])
        func refuseBoth() {
            bench.refuse(slot: 0)
            bench.refuse(slot: 1)
        }
        for _ in 0..<10 {
            refuseBoth()
            bench.wait(.seconds(60))
        }
        refuseBoth()
        _ = bench.take()
        bench.channel.setUrgent(true, at: bench.now)
        bench.wait(.seconds(5))
        #expect(bench.take().dialed.sorted() == [0, 1])
        refuseBoth()
        _ = bench.take()
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().dialed.sorted() == [0, 1])
        bench.connect(slot: 0)
        bench.say("USING default\r\n")
        _ = bench.take()
        // Asked for a sign of life.
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().text == "list-tube-used\r\n")
        bench.say("USING default\r\n")
        #expect(bench.channel.health.phase == .ready)
    }

    @Test("stopping closes both connections and gives back what was not answered")
    func stoppingClosesBothConnectionsAndGivesBack() {
        let bench = ChannelBench<BeanstalkTransport>.ready()
        bench.deliver(.job("m1"))
        bench.deliver(.job("m2"))
        _ = bench.take()
        bench.stop()
        #expect(
            bench.take() == [
                .notReady, .returned([MessageID("m1"), MessageID("m2")]), .close(bench.putter), .close(bench.taker),
            ])
        #expect(bench.channel.nextDeadline == nil && bench.channel.health.phase == .stopped)
        bench.stop()
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().isEmpty)
    }

    @Test("a tube carries events only, and places are kept for alarms")
    func aTubeCarriesEventsOnly() {
        let bench = ChannelBench<BeanstalkTransport>.ready([])
        var words = Delivery.job("w")
        words.content = .sealed([1])
        #expect(bench.deliver(words))
        #expect(bench.actions.lastRefusal == Refusal(.giveUp, why: "a tube carries events for programs only"))
        for number in 0..<90 { #expect(bench.deliver(.job("i\(number)", priority: .info))) }
        #expect(!bench.deliver(.job("i90", priority: .info)) && bench.deliver(.job("a1")))
        #expect(bench.channel.room == TransportRoom(alarm: 9, other: 0))
        // The alarm goes first, though the tube was chosen for another.
        _ = bench.take()
        bench.say("USING alert_email\r\nINSERTED 1\r\nINSERTED 2\r\n")
        #expect(bench.take().accepted == ["a1", "i0"])
    }

    @Test(
        "what is not beanstalkd, or lies, ends the connection with the reason",
        arguments: [
            ("x\n", "an answer that beanstalkd does not give"), ("OK x\r\n", "an answer that beanstalkd does not give"),
            ("RESERVED 1 -5\r\n", "an answer that beanstalkd does not give"),
            ("RESERVED x 5\r\n", "an answer that beanstalkd does not give"),
            ("OK 99999999999\r\n", "an answer that beanstalkd does not give"),
            ("OK 17000\r\n", "a table without end"), ("OK 2\r\nabcd", "a body that is longer than was said"),
            (String(repeating: "x", count: 600), "a line without end"),
            (String(repeating: "x", count: 600) + "\r\n", "a line without end"),
        ])
    func whatIsNotBeanstalkd(_ words: String, _ reason: String) throws {
        let bench = ChannelBench<BeanstalkTransport>.ready([])
        _ = bench.take()
        bench.say(words)
        let problem = try #require(bench.actions.lastProblem)
        #expect(problem.description.contains("not beanstalkd (\(reason))") && problem.isRefusal, "\(problem)")
        #expect(bench.take().orders == [.notReady, .close(ConnectionID(1)), .problem(problem)])
        #expect(bench.waitForTimer() == .minutes(5))
    }

    @Test(
        "an order that the queue cannot read costs its message and the connection",
        arguments: ["BAD_FORMAT", "EXPECTED_CRLF", "UNKNOWN_COMMAND"])
    func anOrderThatTheQueueCannotReadCostsItsMessage(_ words: String) {
        let bench = ChannelBench<BeanstalkTransport>.ready([])
        bench.deliver(.job("m1"))
        bench.deliver(.job("m2"))
        _ = bench.take()
        bench.say("USING alert_email\r\n\(words)\r\n")
        #expect(bench.actions.lastRefusal?.why.contains("please report this fault") == true)
        #expect(bench.actions.returnedIDs == ["m2"] && bench.actions.contains(.close(bench.putter)))
    }

    @Test("a job whose time was over, or that is gone, is nobody's; the next one is waited for")
    func aJobWhoseTimeWasOver() {
        let bench = ChannelBench<BeanstalkTransport>.ready()
        _ = bench.take()
        bench.say("DEADLINE_SOON\r\nRESERVED 5 3\r\narm\r\nNOT_FOUND\r\n", on: bench.taker)
        #expect(bench.take().text == "reserve-with-timeout 30\r\nstats-job 5\r\nreserve-with-timeout 30\r\n")
        bench.job(6, "arm")
        #expect(bench.take().inboundTexts == ["arm"])
        bench.wait(.seconds(20))
        bench.say("NOT_FOUND\r\n", on: bench.taker)
        #expect(bench.take().text(on: bench.taker) == "touch 6\r\nreserve-with-timeout 30\r\n")
        bench.job(7, "arm")
        guard case .inbound(let message)? = bench.take().orders.last else {
            Issue.record("a command")
            return
        }
        bench.wait(.seconds(20))
        bench.channel.acknowledge(message, at: bench.now, into: &bench.actions)
        // Its time was over while it was carried out.
        bench.say("NOT_FOUND\r\nNOT_FOUND\r\n", on: bench.taker)
        #expect(bench.take().text(on: bench.taker) == "touch 7\r\ndelete 7\r\nreserve-with-timeout 30\r\n")
    }

    @Test("the lane for commands has troubles of its own", arguments: ["INTERNAL_ERROR", "DRAINING", "OUT_OF_MEMORY"])
    func theLaneForCommandsHasTroublesOfItsOwn(_ words: String) {
        let bench = ChannelBench<BeanstalkTransport>.ready()
        _ = bench.take()
        bench.say("\(words)\r\n", on: bench.taker)
        #expect(bench.take().orders.prefix(1) == [.close(bench.taker)])
        #expect(bench.channel.health.phase == .ready && bench.channel.health.problem != nil)
        #expect(bench.channel.room.alarm > 0)
    }
}
