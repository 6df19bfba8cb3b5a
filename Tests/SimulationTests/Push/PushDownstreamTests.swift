import AlarmModel
import PhoneProtocol
import Simulators
import Testing

@Suite("A push service and the messages of its client")
struct PushDownstreamTests {
    @Test("a message that cannot be read, or has no id, comes back as an error with what it carried and its id")
    func aMessageThatCannotBeRead() {
        var bench = PushBench()
        bench.logIn()
        bench.message("{\"to\":\"T<&\"}", id: "a&amp;b")
        #expect(
            bench.text()
                == "<message id=\"a&amp;b\" type=\"error\" to=\"123456789012@gcm.googleapis.com/box\">"
                + "<gcm xmlns=\"google:mobile:data\">{\"to\":\"T&lt;&amp;\"}</gcm>"
                + "<error code=\"400\" type=\"modify\"><bad-request xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\"/>"
                + "<text xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\">InvalidJson: JSON_PARSING_ERROR : "
                + "Missing Required Field: message_id</text></error></message>")
        for json in ["{", "[]", ""] {
            bench.forget()
            bench.message(json)
            #expect(bench.text().contains("InvalidJson: JSON_PARSING_ERROR"), "\(json)")
        }
        bench.forget()
        bench.say("<message id=''><gcm xmlns='google:mobile:data'>{}</gcm></message>")
        #expect(bench.text().hasPrefix("<message type=\"error\""))
        #expect(bench.push.truth.tally.stanzaErrors == 5)
    }

    @Test(
        "a message is refused with the code of its first fault",
        arguments: [
            (#""to":5"#, "INVALID_JSON", "must be a JSON string"),
            (#""to":"TOKEN","time_to_live":"60""#, "INVALID_JSON", "must be a JSON number"),
            (#""to":"TOKEN","time_to_live":1.5"#, "INVALID_JSON", "must be a JSON number"),
            (#""to":"TOKEN","content_available":"true""#, "INVALID_JSON", "must be a JSON boolean"),
            (#""to":"TOKEN","data":"x""#, "INVALID_JSON", "must be a JSON object"),
            (#""to":"TOKEN","data":{"n":1}"#, "INVALID_JSON", "\"n\" of \"data\" must be a JSON string"),
            (#""to":"TOKEN","priority":"max""#, "INVALID_JSON", "priority"),
            (#""registration_ids":["TOKEN"]"#, "INVALID_JSON", "not supported"),
            (#""to":"TOKEN","dry_run":true"#, "INVALID_JSON", "not supported"),
            (#""data":{}"#, "INVALID_JSON", "Missing Required Field: to"),
            (#""condition":"'a' in topics""#, "INVALID_JSON", "not supported"),
            (#""to":"/topics/a b""#, "INVALID_JSON", "INVALID_TOPIC"),
            (#""to":"TOKEN","time_to_live":-1"#, "INVALID_JSON", "INVALID_TTL"),
            (#""to":"TOKEN","time_to_live":2419201"#, "INVALID_JSON", "INVALID_TTL"),
            // The time to live is looked at before the keys, the keys before the size, the size before the token.
            (#""to":"TOKEN","time_to_live":-1,"data":{"from":"x"}"#, "INVALID_JSON", "INVALID_TTL"),
            (#""to":"TOKEN","data":{"google.x":"y"}"#, "INVALID_JSON", "reserved"),
            (#""to":"TOKEN","data":{"gcm.notification.title":"y"}"#, "INVALID_JSON", "reserved"),
            (#""to":"NOBODY""#, "BAD_REGISTRATION", "token"),
            (#""to":"GONE""#, "DEVICE_UNREGISTERED", "removed"),
        ])
    func aMessageIsRefusedWithTheCodeOfItsFirstFault(_ members: String, _ code: String, _ detail: String) throws {
        var bench = PushBench()
        bench.phone()
        try bench.perform("register GONE android")
        try bench.perform("unregister GONE")
        bench.logIn()
        bench.message("{\(members),\"message_id\":\"m1\"}")
        let nack = bench.payloads().first
        #expect(nack?["message_type"] == .string("nack"))
        #expect(nack?["message_id"] == .string("m1"))
        #expect(nack?["error"] == .string(code))
        #expect(nack?["error_description"]?.stringValue?.contains(detail) == true, "\(String(describing: nack))")
        #expect(bench.arrivals.isEmpty)
    }

    @Test("an id that is a number gives a nack without an id")
    func anIdThatIsANumberGivesANackWithoutAnId() {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        bench.message("{\"to\":\"TOKEN\",\"message_id\":5}")
        #expect(bench.refusals() == ["INVALID_JSON"])
        #expect(bench.payloads().first?["message_id"] == nil)
    }

    @Test("4096 bytes of keys and values go to a phone, not one more")
    func with4096BytesOfKeysAndValuesGoToAPhone() {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        for size in [4096, 4097] {
            let value = String(repeating: "x", count: size - 1)
            bench.message("{\"to\":\"TOKEN\",\"message_id\":\"\(size)\",\"data\":{\"k\":\"\(value)\"}}")
        }
        #expect(bench.ids("ack") == ["4096"])
        #expect(bench.ids("nack") == ["4097"])
    }

    @Test("too many messages a minute for one phone are refused, and later ones are not")
    func tooManyMessagesAMinuteForOnePhoneAreRefused() {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        for number in 0..<241 { bench.down("\(number)") }
        #expect(bench.refusals() == ["DEVICE_MESSAGE_RATE_EXCEEDED"])
        bench.wait(.seconds(61))
        bench.down("later")
        #expect(bench.ids("ack").last == "later")
    }

    @Test("beyond its window a client is not read until an answer left")
    func beyondItsWindowAClientIsNotReadUntilAnAnswerLeft() throws {
        var bench = PushBench { $0.window = 2 }
        bench.phone()
        bench.logIn()
        try bench.perform("delay-acks 10s")
        bench.down("1")
        bench.wait(.seconds(5))
        bench.down("2")
        #expect(!bench.actions.contains(.stopReading(ConnectionID(1))))
        bench.down("3")
        bench.down("4")
        #expect(bench.actions.contains(.stopReading(ConnectionID(1))))
        #expect(bench.arrivals == ["1", "2"])
        #expect(bench.push.truth.tally.beyondWindow == 1)
        bench.wait(.seconds(5))
        // The first answer makes room for the third; the fourth finds the window full again.
        #expect(bench.ids("ack") == ["1"])
        #expect(bench.arrivals == ["1", "2", "3"])
        bench.wait(.seconds(20))
        #expect(bench.ids("ack") == ["1", "2", "3", "4"])
        #expect(bench.actions.last == .send(ConnectionID(1), bench.heard.last?.bytes ?? []))
        #expect(bench.actions.filter { $0 == .resumeReading(ConnectionID(1)) }.count == 2)
        #expect(bench.push.truth.tally.widestWindow == 2)
    }

    @Test("acknowledgements of the client pass a full window")
    func acknowledgementsOfTheClientPassAFullWindow() throws {
        var bench = PushBench { $0.window = 1 }
        bench.phone()
        bench.logIn()
        try bench.perform("delay-acks 1m")
        bench.down("1")
        bench.inbound("u1", ttl: 60)
        bench.acknowledge("u1")
        #expect(bench.push.truth.connections.first?.unacknowledged == [])
    }

    @Test("or messages beyond the window are refused")
    func orMessagesBeyondTheWindowAreRefused() throws {
        var bench = PushBench {
            $0.window = 1
            $0.overWindow = .nack
        }
        bench.phone()
        bench.logIn()
        try bench.perform("delay-acks 10s")
        bench.down("1")
        bench.down("2")
        bench.wait(.seconds(10))
        #expect(bench.ids("ack") == ["1"])
        #expect(bench.refusals() == ["SERVICE_UNAVAILABLE"])
    }

    @Test("what the client never got cannot be acknowledged, and an ack needs both of its words")
    func whatTheClientNeverGotCannotBeAcknowledged() {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        bench.acknowledge("m-1")
        #expect(bench.text().contains("<error code=\"406\" type=\"modify\"><not-acceptable "))
        #expect(bench.text().contains("Received acks for messages not sent over this connection"))
        bench.forget()
        bench.inbound("u1")
        bench.message("{\"message_type\":\"ack\",\"message_id\":\"u1\"}")
        bench.message("{\"message_type\":\"ack\",\"message_id\":\"u1\",\"to\":\"SOMEBODY\"}")
        #expect(bench.refusals() == ["BAD_ACK", "BAD_ACK"])
        bench.forget()
        bench.acknowledge("u1")
        bench.acknowledge("u1")
        #expect(bench.text().isEmpty)
        #expect(bench.push.truth.tally.strayAcknowledgements == 1)
    }

    @Test("the acknowledgement of another connection's message is refused")
    func theAcknowledgementOfAnotherConnectionsMessageIsRefused() {
        var bench = PushBench()
        bench.phone()
        bench.logIn(1)
        bench.logIn(2)
        bench.inbound("u1", ttl: 60)
        #expect(bench.ids(nil, 1) == ["u1"])
        bench.acknowledge("u1", 2)
        #expect(bench.text(2).contains("code=\"406\""))
    }
}
