import AlarmModel
import Testing

@testable import PhoneLink

@Suite("A NUT server is asked how a UPS is")
struct UPSClientTests {
    private func bench(_ change: (inout UPSSettings) -> Void = { _ in }) -> ChannelBench<UPSClient> {
        var settings = UPSSettings(host: "192.0.2.9", name: "eaton")
        change(&settings)
        return ChannelBench(UPSClient(settings: settings, seed: 5))
    }

    /// What it says, and then the answer comes.
    private func ask(_ bench: ChannelBench<UPSClient>, _ question: String, _ answer: String) {
        #expect(bench.take().lines == [question])
        bench.say(answer + "\n")
    }

    private func askAll(
        _ bench: ChannelBench<UPSClient>, _ status: String, charge: String = "ERR VAR-NOT-SUPPORTED",
        runtime: String = "ERR VAR-NOT-SUPPORTED"
    ) {
        ask(bench, "GET VAR eaton ups.status", "VAR eaton ups.status \"\(status)\"")
        ask(bench, "GET VAR eaton battery.charge", charge)
        ask(bench, "GET VAR eaton battery.runtime", runtime)
    }

    @Test("three questions, one after the other, again after each pause; no login unless it is asked for")
    func threeQuestionsOneAfterTheOther() throws {
        let bench = bench()
        bench.start()
        #expect(
            bench.take() == [.connect(DialSlot(0), DialTarget(host: "192.0.2.9", port: 3493, security: .plain))])
        bench.connect()
        askAll(
            bench, "OB DISCHRG", charge: "VAR eaton battery.charge \"87\"",
            runtime: "VAR eaton battery.runtime \"2520\"")
        #expect(bench.channel.reading == UPSReading(.battery, charge: 87, runtime: .seconds(2520)))
        #expect(bench.channel.health == TransportHealth(phase: .ready, lastAccepted: bench.now.wall))
        #expect(bench.take().lines == [])
        #expect(try #require(bench.waitForTimer()) == .seconds(15))
        askAll(bench, "OL")
        #expect(bench.channel.reading == UPSReading(.mains))
        #expect(bench.channel.readAt == bench.now.boot)
    }

    @Test("with user and password it says who it is first, and no more; a refusal is told without them")
    func withUserAndPasswordItLogsInFirst() throws {
        let bench = bench {
            $0.user = "alarm box"
            $0.password = Secret(#"s3"cret"#)
        }
        bench.start()
        _ = bench.take()
        bench.connect()
        ask(bench, #"USERNAME "alarm box""#, "OK")
        ask(bench, #"PASSWORD "s3\"cret""#, "ERR ACCESS-DENIED")
        let problem = try #require(bench.channel.health.problem)
        #expect(problem.kind == .loginRefused && problem.isRefusal && !problem.description.contains("s3"))
        #expect(bench.take().contains(.close(ConnectionID(1))))
        // Somebody has to see to it: no attempt each second.
        #expect(try #require(bench.waitForTimer()) == .minutes(1))
        bench.connect()
        _ = bench.take()
        bench.say("OK\n")
        _ = bench.take()
        bench.say("OK\n")
        // No LOGIN, for which the server would wait with its own shutdown.
        askAll(bench, "OL")
        #expect(bench.channel.health.problem == nil)
    }

    @Test(
        "a server that knows nothing of the UPS is asked on, on the same connection, and the last reading stays",
        arguments: [
            "ERR DATA-STALE", "ERR DRIVER-NOT-CONNECTED", "ERR UNKNOWN-UPS", "ERR ACCESS-DENIED",
            "ERR VAR-NOT-SUPPORTED", "ERR SOMETHING-ELSE",
        ])
    func aServerThatKnowsNothingIsAskedOn(_ answer: String) throws {
        let bench = bench()
        bench.start()
        bench.connect()
        _ = bench.take()
        bench.say("VAR eaton ups.status \"OB\"\n")
        _ = bench.take()
        bench.say("ERR VAR-NOT-SUPPORTED\n")
        _ = bench.take()
        bench.say("ERR VAR-NOT-SUPPORTED\n")
        let readAt = bench.channel.readAt
        _ = try #require(bench.waitForTimer())
        ask(bench, "GET VAR eaton ups.status", answer)
        #expect(
            bench.channel.health.problem != nil && bench.channel.health.problem?.description.contains("SOME") == false)
        #expect(bench.channel.reading == UPSReading(.battery) && bench.channel.readAt == readAt)
        #expect(!bench.take().contains { if case .close = $0 { true } else { false } })
        _ = try #require(bench.waitForTimer())
        askAll(bench, "OL")
        #expect(bench.channel.health.problem == nil && bench.channel.reading == UPSReading(.mains))
    }

    @Test(
        "what was not asked for, and what is no answer, ends the connection",
        arguments: [
            "VAR eaton ups.status \"OL\"\nVAR eaton ups.status \"OB\"\n", "VAR other ups.status \"OL\"\n",
            "VAR eaton battery.charge \"9\"\n", "OK\n", "<html>\n", "VAR eaton ups.status \"OL\"\nO",
        ])
    func whatWasNotAskedForEndsTheConnection(_ words: String) throws {
        let bench = bench()
        bench.start()
        bench.connect()
        _ = bench.take()
        bench.say(words)
        #expect(bench.take().contains(.close(ConnectionID(1))))
        #expect(bench.channel.reading == nil && bench.channel.health.problem != nil)
        // While nothing is under way, too.
        let other = self.bench()
        other.start()
        other.connect()
        _ = other.take()
        other.say("VAR eaton ups.status \"OL\"\n")
        other.say("ERR VAR-NOT-SUPPORTED\n")
        other.say("ERR VAR-NOT-SUPPORTED\n")
        _ = other.take()
        other.say("VAR eaton ups.status \"OB LB\"\n")
        #expect(other.take().contains(.close(ConnectionID(1))))
        #expect(other.channel.reading == UPSReading(.mains))
    }

    @Test("an answer that does not come, and an attempt that is not answered, have an end; it is tried for ever")
    func anAnswerThatDoesNotComeHasAnEnd() throws {
        let bench = bench()
        bench.start()
        bench.connect()
        #expect(try #require(bench.waitForTimer()) == .seconds(10))
        #expect(bench.take().contains(.close(ConnectionID(1))))
        for _ in 0..<50 {
            #expect(try #require(bench.waitForTimer()) <= .minutes(1))
            #expect(bench.take().connects == 1)
            #expect(try #require(bench.waitForTimer()) == .seconds(30))
            #expect(bench.take().contains(.cancelConnect(DialSlot(0))))
        }
    }

    @Test("a server that lets the box in, answers and hangs up gets no connection each second")
    func aServerThatHangsUpGetsNoConnectionEachSecond() throws {
        let bench = bench()
        bench.start()
        var spent = Duration.zero
        for _ in 0..<60 {
            _ = bench.take()
            bench.connect()
            for answer in ["VAR eaton ups.status \"OL\"", "ERR VAR-NOT-SUPPORTED", "ERR VAR-NOT-SUPPORTED"] {
                bench.say(answer + "\n")
            }
            bench.lose(.reset)
            spent = spent + (try #require(bench.waitForTimer()))
        }
        #expect(spent > .minutes(15))
        // One that stood for a while is made anew at once.
        bench.connect()
        for _ in 0..<5 {
            for answer in ["VAR eaton ups.status \"OL\"", "ERR VAR-NOT-SUPPORTED", "ERR VAR-NOT-SUPPORTED"] {
                bench.say(answer + "\n")
            }
            _ = try #require(bench.waitForTimer())
        }
        bench.lose(.reset)
        #expect(try #require(bench.waitForTimer()) <= .seconds(1))
    }

    @Test("it ends with its owner, and a connection that comes too late is let go")
    func itEndsWithItsOwner() {
        let bench = bench()
        bench.start()
        bench.stop()
        #expect(bench.take().contains(.cancelConnect(DialSlot(0))))
        bench.connect()
        #expect(bench.take() == [.close(ConnectionID(1))])
        #expect(bench.channel.nextDeadline == nil)
    }
}

extension [TransportAction] {
    fileprivate var lines: [String] {
        compactMap {
            if case .send(_, let bytes) = $0 { String(decoding: bytes.dropLast(), as: UTF8.self) } else { nil }
        }
    }
}
