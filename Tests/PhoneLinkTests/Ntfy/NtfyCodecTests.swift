import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

/// What goes on the wire to a topic server, and what its settings mean.
@Suite struct NtfyCodecTests {
    private let now = Moment(boot: .zero + .seconds(5), wall: WallTime(milliseconds: 0), isWallTrusted: false)

    /// What is sent for a message, as text: head and body.
    private func sent(
        _ delivery: Delivery, _ settings: NtfySettings = NtfySettings(host: "t.test")
    ) throws -> (head: String, body: String) {
        var channel = NtfyTransport(settings: settings, seed: 1)
        var actions: [TransportAction] = []
        channel.start(at: now, into: &actions)
        channel.connected(ConnectionID(1), slot: DialSlot(0), at: now, into: &actions)
        let healthy = "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"healthy\":true}"
        channel.received(ConnectionID(1), Array(healthy.utf8), at: now, into: &actions)
        actions = []
        let isTaken = channel.deliver(delivery, at: now, into: &actions)
        #expect(isTaken)
        guard case .send(_, let bytes) = actions.first else { return ("", "") }
        let gap = Array("\r\n\r\n".utf8)
        let end = try #require(bytes.indices.first { bytes[$0...].starts(with: gap) })
        return (
            String(decoding: bytes[..<(end + 2)], as: UTF8.self), String(decoding: bytes[(end + 4)...], as: UTF8.self)
        )
    }

    private func delivery(_ content: DeliveryContent, at topic: String = "t.test/alerts") -> Delivery {
        Delivery(
            message: MessageID("b-1"),
            address: DeliveryAddress(.phone(.topic), topic, commandTopic: "t.test/commands"), content: content,
            priority: .fault, timeToLive: 60)
    }

    private func words(_ text: String, title: String = "t", buttons: [Notice.Button] = []) -> DeliveryContent {
        .words(
            Notice(title: title, text: text, subject: .otherTrouble, time: WallTime(milliseconds: 0), buttons: buttons))
    }

    @Test("words are one JSON object to the root, key by key")
    func wordsAreOneJSONObjectToTheRoot() throws {
        var settings = NtfySettings(host: "t.test", pathPrefix: "topics/", access: .token(Secret("tk_1")))
        settings.clickURL = "https://panel.test/"
        var message = delivery(
            words("text", buttons: [Notice.Button(label: "Seen", body: Secret("HA2BX"))]), at: "t.test/topics/alerts")
        message.address.commandTopic = "t.test/topics/commands"
        message.address.commandToken = Secret("tk_2")
        let (head, body) = try sent(message, settings)
        #expect(head.hasPrefix("POST /topics/ HTTP/1.1\r\nHost: t.test\r\nAuthorization: Bearer tk_1\r\n"))
        #expect(
            body
                == "{\"topic\":\"alerts\",\"title\":\"t\",\"message\":\"text\",\"priority\":4,\"tags\":[\"warning\"],"
                + "\"click\":\"https://panel.test/\",\"actions\":[{\"action\":\"http\",\"label\":\"Seen\","
                + "\"url\":\"https://t.test/topics/commands\",\"method\":\"POST\","
                + "\"headers\":{\"Authorization\":\"Bearer tk_2\"},\"body\":\"HA2BX\",\"clear\":true}],"
                + "\"sequence_id\":\"b-1\"}")
        // One token for all phones, where they have none of their own.
        settings.phoneToken = Secret("tk_3")
        #expect(try sent(message, settings).body == body)
        message.address.commandToken = nil
        #expect(try sent(message, settings).body == body.replacing("Bearer tk_2", with: "Bearer tk_3"))
    }

    @Test("sealed bytes are the body of their topic, with a title that says nothing")
    func sealedBytesAreTheBodyOfTheirTopic() throws {
        var message = delivery(.sealed([0xFB, 0xFF]))
        message.timeToLive = 0
        let settings = NtfySettings(host: "t.test", access: .user("box", password: Secret("pass")))
        let (head, body) = try sent(message, settings)
        #expect(body == "-_8")
        #expect(
            head.hasPrefix("POST /alerts HTTP/1.1\r\n") && head.contains("\r\nAuthorization: Basic Ym94OnBhc3M=\r\n"))
        #expect(head.contains("\r\nTitle: HowAlarming: new message\r\nPriority: 4\r\n"))
        #expect(head.contains("\r\nCache: no\r\n"))
    }

    @Test("a long text is cut at a character and says so; what escapes make longer fits too", arguments: [0, 1, 2, 3])
    func aLongTextIsCutAtACharacterAndSaysSo(_ extra: Int) throws {
        let text = String(repeating: "x", count: extra) + String(repeating: "\u{1F6A8}", count: 3000)
        let cut = try JSON(parsing: try sent(delivery(words(text))).body)["message"]?.stringValue ?? ""
        #expect((4088...4096).contains(cut.utf8.count) && cut.hasSuffix("\u{1F6A8}…") && text.hasPrefix(cut.dropLast()))
        let quotes = String(repeating: "\"\u{1}", count: 3000)
        let body = try sent(delivery(words(quotes, title: String(repeating: "Ü", count: 500)))).body
        #expect(body.utf8.count <= 8000 && body.utf8.count > 6000)
        let message = try JSON(parsing: body)["message"]?.stringValue ?? ""
        #expect(message.hasSuffix("…") && quotes.hasPrefix(message.dropLast()))
    }

    @Test("an address is a topic of the server only with the same host, port and path")
    func anAddressIsATopicOfTheServerOnlyWithTheSameHost() {
        let plain = NtfySettings(host: "T.test", port: 8080, isEncrypted: false, pathPrefix: "/a/b/")
        #expect(plain.place == "T.test:8080/a/b" && plain.address(ofTopic: "x") == "T.test:8080/a/b/x")
        #expect(plain.topic(ofAddress: "t.test:8080/a/b/x_-1") == "x_-1")
        for wrong in ["t.test/a/b/x", "t.test:8080/x", "t.test:8080/a/b/", "t.test:8080/a/b/x y", "x", ""] {
            #expect(plain.topic(ofAddress: wrong) == nil, "\(wrong)")
        }
        #expect(NtfySettings(host: "t.test").topic(ofAddress: "t.test/x") == "x")
    }

    @Test(
        "lines are told apart",
        arguments: [
            ("{\"id\":\"a\",\"time\":7,\"event\":\"open\",\"topic\":\"x\"}", NtfyLine.open(time: 7)),
            ("{\"time\":8,\"event\":\"keepalive\"}", .keepalive(time: 8)), ("{\"event\":\"message_delete\"}", .other),
            ("{\"event\":\"poll_request\",\"id\":\"a\"}", .other), ("7", .unusable(.notAnObject)),
            ("{}", .unusable(.noEvent)), ("{\"event\":\"message\",\"id\":\"a b\"}", .unusable(.noID)),
            ("{\"event\":\"message\",\"id\":\"a\"}", .unusable(.noTopic)),
            ("{\"event\":\"message\",\"id\":\"a\",\"topic\":\"x\"}", .unusable(.noText)),
            (
                "{\"event\":\"message\",\"id\":\"a\",\"topic\":\"x\",\"message\":\"eA==\",\"encoding\":\"base64\"}",
                .unusable(.encoded)
            ),
            (
                "{\"event\":\"message\",\"id\":\"a\",\"topic\":\"x\",\"message\":\"m\",\"attachment\":{}}",
                .other
            ),
            (
                "{\"event\":\"message\",\"id\":\"a\",\"time\":9,\"topic\":\"x\",\"message\":\"m\"}",
                .message(NtfyLine.Message(id: "a", time: 9, topic: "x", text: "m"))
            ),
        ])
    func linesAreToldApart(_ text: String, _ line: NtfyLine) throws {
        #expect(NtfyLine(try JSON(parsing: text)) == line)
    }

    @Test("nothing secret shows when the channel is printed or kept")
    func nothingSecretShowsWhenTheChannelIsPrintedOrKept() throws {
        let settings = NtfySettings(host: "t.test", access: .token(Secret("tk_secret")))
        let channel = NtfyTransport(settings: settings, seed: 1)
        #expect(!"\(channel)".contains("tk_secret"))
        #expect(!(try JSON.encoding(channel).text.contains("tk_secret")))
    }
}
