import AlarmModel
import PhoneLink
import Testing

@Suite("What phones send to topics")
struct NtfyListeningTests {
    private func inbound(_ id: String, _ text: String, age: Duration?) -> TransportAction {
        var message = InboundMessage(channel: .ntfy, from: "t.test/commands", id: id, body: .text(text))
        message.age = age
        return .inbound(message)
    }

    @Test("one stream for all topics: the last minute at first, then what follows the last message")
    func oneStreamForAllTopics() throws {
        let bench = ChannelBench<NtfyTransport>.ready()
        bench.listen(["b", "no topic!", "a", "b"])
        #expect(bench.channel.topics == ["a", "b"] && bench.take().dialed == [1])
        bench.connect(slot: 1)
        let head = "HTTP/1.1\r\nHost: t.test\r\nAuthorization: Bearer tk_secret\r\n"
        #expect(bench.take().text.hasPrefix("GET /a,b/json?since=1m \(head)"))
        #expect(!bench.channel.isListening)
        bench.say("HTTP/1.1 200 OK\r\n\r\n")
        #expect(bench.channel.isListening)
        bench.line("M1", time: 5, topic: "b", text: "arm")
        bench.lose(.reset)
        #expect(bench.take().inboundTexts == ["arm"])
        #expect(try #require(bench.waitForTimer()) <= .seconds(1))
        bench.connect(slot: 1)
        #expect(bench.take().text.hasPrefix("GET /a,b/json?since=M1 \(head)"))
        // Other topics: at once.
        bench.listen(["c"])
        #expect(
            bench.take().orders == [
                .close(ConnectionID(3)), .connect(DialSlot(1), NtfySettings.testing.origin.dialTarget),
            ])
        bench.listen(["c"])
        #expect(bench.take().isEmpty)
    }

    @Test("a message tells its age by the server's clock, which each of its signs of life sets")
    func aMessageTellsItsAgeByTheServersClock() {
        let bench = ChannelBench<NtfyTransport>.listening(to: ["commands"], date: "Thu, 01 Jan 1970 00:16:40 GMT")
        bench.wait(.seconds(10))
        bench.line("A", time: 990, text: "a")
        bench.line("B", time: 2000, text: "b")
        bench.line("C", time: 0, text: "c")
        #expect(
            bench.take().orders == [
                inbound("A", "a", age: .seconds(20)), inbound("B", "b", age: .zero), inbound("C", "c", age: nil),
            ])
        bench.line("{\"event\":\"keepalive\",\"time\":2000}")
        bench.line("{\"event\":\"open\",\"time\":0}")
        bench.wait(.seconds(1))
        bench.line("D", time: 1900, text: "d")
        bench.line("{\"event\":\"keepalive\",\"time\":9223372036854775807}")
        bench.line("E", time: 1, text: "e")
        bench.wait(.seconds(1))
        bench.line("F", time: 1, text: "f")
        #expect(
            bench.take().orders == [
                inbound("D", "d", age: .seconds(101)), inbound("E", "e", age: .seconds(1_000_000_000)),
                inbound("F", "f", age: nil),
            ])
        // Nothing is known of the clock.
        let blind = ChannelBench<NtfyTransport>.listening(to: ["commands"])
        blind.line("A", time: 990, text: "a")
        #expect(blind.take().orders == [inbound("A", "a", age: nil)])
    }

    @Test("a message is told once, also when it comes again behind 511 others; what was not asked for never is")
    func aMessageIsToldOnce() {
        let bench = ChannelBench<NtfyTransport>.listening(to: ["commands"])
        bench.line("X", time: 1, topic: "elsewhere", text: "x")
        for number in 0..<512 { bench.line("M\(number)", time: 1, text: "\(number)") }
        bench.line("M0", time: 1, text: "again")
        bench.line("M511", time: 1, text: "again")
        #expect(bench.take().inboundTexts == (0..<512).map { "\($0)" })
        bench.line("M512", time: 1, text: "one more")
        bench.line("M0", time: 1, text: "forgotten")
        #expect(bench.take().inboundTexts == ["one more", "forgotten"])
    }

    @Test(
        "a line that cannot be used is told in the log with its reason, and the next is read",
        arguments: [
            ("[1]", "it is no object"), ("{\"a\":1}", "it does not say what it is"),
            ("{\"event\":\"message\",\"id\":\"a b\"}", "it has no id"),
            ("{\"event\":\"message\",\"id\":\"a\"}", "it has no topic"),
            ("{\"event\":\"message\",\"id\":\"a\",\"topic\":\"commands\"}", "it has no text"),
            (
                "{\"event\":\"message\",\"id\":\"a\",\"topic\":\"commands\",\"message\":\"x\",\"encoding\":\"base64\"}",
                "its text is not plain"
            ),
            ("{\"event\":", "a line was no JSON and was left out"),
        ])
    func aLineThatCannotBeUsedIsToldInTheLogWithItsReason(_ line: String, _ words: String) {
        let bench = ChannelBench<NtfyTransport>.listening(to: ["commands"])
        bench.line(line)
        bench.line("{\"event\":\"poll_request\"}")
        let logs = bench.actions.logWords
        #expect(logs.count == 1 && logs.allSatisfy { $0.hasPrefix("t.test: ") && $0.contains(words) }, "\(logs)")
        bench.line("A", time: 1, text: "good")
        #expect(bench.take().inboundTexts == ["good"] && bench.channel.isListening)
    }

    @Test(
        "what refuses the stream is told with its remedy, and messages still go out",
        arguments: [
            (200, "Content-Type: text/html", "is not a topic server", false),
            (204, "X: y", "is not a topic server", false), (418, "X: y", "is not a topic server", false),
            (302, "Location: http://other.test/", "sends us to http://other.test/", true),
            (401, "X: y", "make a new token", true), (403, "X: y", "read access to it", true),
            (404, "X: y", "has no topics to listen to", true),
            (429, "X: y", "its limit is reached (it says: no ****); with an account there", true),
            (503, "X: y", "has a fault (503) (it says: no ****); we try again", false),
        ])
    func whatRefusesTheStreamIsToldWithItsRemedy(status: Int, field: String, words: String, isRefusal: Bool) throws {
        let bench = ChannelBench<NtfyTransport>.ready()
        bench.listen(["commands"])
        bench.connect(slot: 1)
        _ = bench.take()
        bench.answer(status, status == 204 ? "" : "{\"error\":\"no tk_secret\"}", fields: [field])
        let problem = try #require(bench.actions.lastProblem)
        #expect(problem.description.contains(words), "\(problem)")
        #expect(problem.isInward && problem.isRefusal == isRefusal && problem.isPassing == !isRefusal)
        #expect(bench.channel.health.isHealthy && !bench.channel.isListening && bench.deliver(.topic("m")))
        // It is nobody's trouble when nobody is listened to.
        bench.listen([])
        #expect(bench.take().orders.last == .problem(nil) && bench.channel.health.problem == nil)
    }

    @Test("however the stream ends, it is told in words, and well again when it is open")
    func howeverTheStreamEnds() throws {
        let ends: [(String, (ChannelBench<NtfyTransport>) -> Void)] = [
            ("t.test ended the stream of commands; we connect again", { $0.lose(.finished) }),
            ("nothing came for 75 s, not even a sign of life; we connect again", { $0.wait(.seconds(75)) }),
            ("no commands can come in: it answered with 200 and the connection ended", { $0.lose(.reset) }),
        ]
        for (words, end) in ends {
            let bench = ChannelBench<NtfyTransport>.listening(to: ["commands"])
            end(bench)
            let problem = try #require(bench.take().lastProblem)
            #expect(problem.description.contains(words) && problem.isInward && problem.isPassing, "\(problem)")
            while !bench.actions.dialed.contains(1) { _ = try #require(bench.waitForTimer()) }
            bench.refuse(slot: 1)
            #expect(bench.take().lastProblem?.description.contains("(connection refused)") == true)
            while !bench.actions.dialed.contains(1) { _ = try #require(bench.waitForTimer()) }
            bench.connect(slot: 1)
            bench.say("HTTP/1.1 200 OK\r\n\r\n")
            #expect(bench.take().contains(.problem(nil)) && bench.channel.isListening)
        }
    }

    @Test("another network makes the stream anew without a word of a problem")
    func anotherNetworkMakesTheStreamAnewWithoutAWordOfAProblem() {
        let bench = ChannelBench<NtfyTransport>.listening(to: ["commands"])
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        // The idle connection for messages is not trusted any more, either.
        #expect(
            bench.take() == [
                .close(ConnectionID(1)), .close(ConnectionID(2)),
                .connect(DialSlot(1), NtfySettings.testing.origin.dialTarget),
            ])
    }

    @Test("a stream that opens shows that the server is there: messages need not wait for their next attempt")
    func aStreamThatOpensShowsThatTheServerIsThere() {
        let bench = ChannelBench<NtfyTransport>.ready()
        bench.listen(["commands"])
        bench.connect(slot: 1)
        bench.deliver(.topic("a"))
        bench.deliver(.topic("b"))
        bench.refuse(slot: 2)
        #expect(bench.take().orders.contains(.notReady) && bench.channel.health.phase == .waiting)
        bench.say("HTTP/1.1 200 OK\r\n\r\n")
        #expect(bench.channel.health.phase == .connecting && bench.take().dialed == [2])
    }
}
