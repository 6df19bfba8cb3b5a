import AlarmModel
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

/// What phones send, as it comes in.
@Suite struct NtfyStreamTests {
    private func texts(_ bench: TopicBench) -> [String] {
        bench.inbound.map {
            if case .text(let text) = $0.body { return text }
            return ""
        }
    }

    @Test("a stream that ended goes on after the last message; what came meanwhile comes once, in order")
    func aStreamThatEndedGoesOnAfterTheLastMessage() {
        let bench = TopicBench()
        bench.start(listeningTo: ["commands"])
        bench.perform(.publish(topic: "commands", text: "one", age: .zero))
        bench.perform(.refuseConnect(true))
        bench.perform(.closeStreams)
        bench.perform(.publish(topic: "commands", text: "two", age: .zero))
        bench.perform(.publish(topic: "other", text: "nothing of ours", age: .zero))
        bench.perform(.publish(topic: "commands", text: "three", age: .zero))
        bench.pass(.seconds(5))
        bench.perform(.refuseConnect(false))
        bench.pass(.seconds(60))
        #expect(texts(bench) == ["one", "two", "three"])
        let last = bench.orders.last {
            if case .send(_, let bytes) = $0 { bytes.starts(with: Array("GET /comm".utf8)) } else { false }
        }
        guard case .send(_, let bytes) = last else {
            Issue.record("no stream was asked for")
            return
        }
        let first = bench.inbound.first?.id ?? ""
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("GET /commands/json?since=\(first) HTTP/1.1\r\n"))
    }

    @Test("the first start hears the last minute only, and messages tell their age by the server's clock")
    func theFirstStartHearsTheLastMinuteOnly() {
        let bench = TopicBench()
        bench.perform(.skew(.hours(30)))
        bench.perform(.publish(topic: "commands", text: "old", age: .seconds(90)))
        bench.perform(.publish(topic: "commands", text: "young", age: .seconds(20)))
        bench.start(listeningTo: ["commands"])
        bench.pass(.seconds(10))
        bench.perform(.publish(topic: "commands", text: "held", age: .seconds(300)))
        #expect(texts(bench) == ["young", "held"])
        #expect(bench.inbound.map(\.age) == [.seconds(20), .seconds(300)])
    }

    @Test("after a restart the last minute comes again, each with its age, by which the core knows what is old")
    func afterARestartTheLastMinuteComesAgain() {
        let bench = TopicBench()
        bench.start(listeningTo: ["commands"])
        for text in ["a", "b"] { bench.perform(.publish(topic: "commands", text: text, age: .zero)) }
        bench.pass(.seconds(20))
        bench.step { $0.stop(at: $1, into: &$2) }
        let again = TopicBench()
        again.now = bench.now
        again.server = bench.server
        again.start(listeningTo: ["commands"])
        #expect(again.inbound.map(\.id) == bench.inbound.map(\.id))
        #expect(again.inbound.map(\.age) == [.seconds(20), .seconds(20)])
    }

    @Test("a message that comes twice is told once, also after its topic is asked for anew")
    func aMessageThatComesTwiceIsToldOnce() {
        let bench = TopicBench()
        bench.start(listeningTo: ["commands"])
        bench.perform(.duplicate(2))
        bench.perform(.publish(topic: "commands", text: "one", age: .zero))
        bench.perform(.forget)
        bench.perform(.publish(topic: "commands", text: "two", age: .zero))
        bench.listen(["commands", "more", "commands", "no topic!"])
        #expect(bench.channel.topics == ["commands", "more"] && bench.server.truth.streams == ["commands,more"])
        bench.perform(.publish(topic: "more", text: "three", age: .zero))
        #expect(texts(bench) == ["one", "two", "three"])
        bench.listen([])
        #expect(bench.server.truth.streams.isEmpty && !bench.channel.isListening && bench.channel.health.isHealthy)
    }

    @Test("a stream without a sign of life is begun anew within 75 s; signs of life keep it")
    func aStreamWithoutASignOfLifeIsBegunAnewWithin75S() {
        let bench = TopicBench()
        bench.start(listeningTo: ["commands"])
        bench.pass(.minutes(10))
        let dials = bench.orders.filter {
            $0 == .connect(DialSlot(1), NtfySettings(host: "topics.test").origin.dialTarget)
        }
        #expect(dials.count == 1)
        bench.perform(.silenceStreams(true))
        bench.pass(.seconds(50))
        bench.perform(.publish(topic: "commands", text: "lost on the way", age: .zero))
        bench.pass(.seconds(26))
        bench.perform(.silenceStreams(false))
        bench.pass(.seconds(5))
        #expect(texts(bench) == ["lost on the way"])
    }

    @Test("lines that are no messages are left out: no JSON, other JSON, endless, of other topics")
    func linesThatAreNoMessagesAreLeftOut() {
        let bench = TopicBench()
        bench.start(listeningTo: ["commands"])
        for line in [
            "nonsense", "[1]", "{}", "{\"event\":7}", "{\"event\":\"message\"}",
            "{\"id\":\"abcdefghijkl\",\"time\":1,\"event\":\"message\",\"topic\":\"elsewhere\",\"message\":\"x\"}",
            "{\"id\":\"abcdefghijkl\",\"time\":1,\"event\":\"poll_request\",\"topic\":\"commands\"}",
            "{\"id\":\"abcdefghijkm\",\"time\":1,\"event\":\"message\",\"topic\":\"commands\",\"message\":\"x\","
                + "\"attachment\":{\"url\":\"https://x\"}}",
            "{\"id\":\"abcdefghijkn\",\"time\":9223372036854775807,\"event\":\"message\",\"topic\":\"commands\"}",
            "{\"id\":\"abcdefghijko\",\"time\":-9223372036854775808,\"event\":\"keepalive\",\"topic\":\"commands\"}",
        ] {
            bench.perform(.rawLine(line))
        }
        bench.perform(.endlessLine)
        bench.perform(.rawLine(""))
        bench.perform(.publish(topic: "commands", text: "good", age: .zero))
        #expect(texts(bench) == ["good"] && bench.channel.isListening)
    }

    @Test(
        "what refuses the stream is told with its remedy and does not stop messages",
        arguments: [
            (NtfyFaults.Answer.status(403, retryAfter: nil, code: 40301), "read access"),
            (.status(429, retryAfter: nil, code: 42903), "server of your own"),
            (.status(500, retryAfter: nil, code: nil), "we try again"), (.page, "login"),
            (.redirect("http://elsewhere.test/"), "elsewhere.test"),
            (.status(404, retryAfter: nil, code: 40401), "path"),
        ])
    func whatRefusesTheStreamIsToldWithItsRemedyAndDoesNotStop(_ answer: NtfyFaults.Answer, _ words: String) {
        let bench = TopicBench()
        bench.perform(.answer(answer, times: 1, .subscribe))
        bench.start(listeningTo: ["commands"])
        #expect(bench.problem.contains(words), "\(bench.problem)")
        #expect(bench.deliver(.words("m")))
        #expect(bench.accepted == ["m"])
        bench.pass(.minutes(6))
        #expect(bench.channel.isListening && bench.channel.health.isHealthy, "\(bench.problem)")
    }

    @Test("an exchange means the same wherever it is cut")
    func anExchangeMeansTheSameWhereverItIsCut() {
        func told(_ pieces: Int) -> [TransportAction] {
            let bench = TopicBench()
            bench.pieces = pieces
            bench.start(listeningTo: ["commands"])
            _ = bench.deliver(.words("m"))
            bench.perform(.publish(topic: "commands", text: "one \u{1F6A8} two", age: .zero))
            bench.perform(.rawLine("{\"odd\":"))
            bench.perform(.answer(.status(429, retryAfter: 5, code: 42908), times: 1, .publish))
            _ = bench.deliver(.words("n"))
            return bench.told
        }
        let whole = told(.max)
        #expect(whole.count > 5)
        for pieces in 1...300 { #expect(told(pieces) == whole, "in pieces of \(pieces)") }
    }
}
