import AlarmModel
import PhoneProtocol
import Simulators
import Testing

@Suite("A push service's stream")
struct PushStreamTests {
    /// The text with the 16 hexadecimal digits of stream ids and resources replaced.
    private func masked(_ text: String) -> String {
        var result = ""
        var run = ""
        for character in text + " " {
            if character.isHexDigit, !character.isLowercase {
                run.append(character)
            } else {
                result += run.count == 16 ? "ID" : run
                run = ""
                result.append(character)
            }
        }
        return String(result.dropLast())
    }

    private static let serverHeader =
        "<stream:stream from=\"gcm.googleapis.com\" id=\"ID\" version=\"1.0\" "
        + "xmlns:stream=\"http://etherx.jabber.org/streams\" xmlns=\"jabber:client\">"

    @Test("the exchange of the original server, from its first byte to the answer to its push, is byte for byte so")
    func theExchangeOfTheOriginalServer() {
        var bench = PushBench()
        bench.phone("TOKEN", .ios)
        bench.forget()
        bench.connect()
        var steps: [(String, String)] = []
        func exchange(_ text: String) {
            bench.forget()
            bench.say(text)
            steps.append((text, masked(bench.text())))
        }
        exchange(
            "<stream:stream to='HowAlarming GCM Server' xmlns='jabber:client' "
                + "xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>")
        exchange(
            "<auth xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\" mechanism=\"PLAIN\">\(PushBench.auth)</auth>")
        exchange(
            "<stream:stream to='gcm.googleapis.com' xmlns='jabber:client' "
                + "xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>")
        exchange("<iq id='b1' type='set'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'></bind></iq>")
        exchange("<iq id='s1' type='set'><session xmlns='urn:ietf:params:xml:ns:xmpp-session'/></iq>")
        exchange(
            "<message id=''><gcm xmlns=\"google:mobile:data\">{\"priority\":\"high\",\"time_to_live\":3600,"
                + "\"data\":{\"code\":\"652\",\"raw\":\"65210\",\"type\":\"armed\",\"message\":\"partition 1 armed\","
                + "\"timestamp\":\"1700000002\"},\"notification\":{\"badge\":\"0\",\"sound\":\"default\",\"title\":"
                + "\"HowAlarming Event armed\",\"body\":\"partition 1 armed\"},\"to\":\"TOKEN\",\"message_id\":"
                + "\"1795227969155\"}</gcm></message>")
        let answers = steps.map(\.1)
        let expected = [
            Self.serverHeader
                + "<stream:features><mechanisms xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"><mechanism>X-OAUTH2"
                + "</mechanism><mechanism>X-GOOGLE-TOKEN</mechanism><mechanism>PLAIN</mechanism></mechanisms>"
                + "</stream:features>",
            "<success xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"/>",
            Self.serverHeader
                + "<stream:features><bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"/>"
                + "<session xmlns=\"urn:ietf:params:xml:ns:xmpp-session\"/></stream:features>",
            "<iq id=\"b1\" type=\"result\"><bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\">"
                + "<jid>123456789012@gcm.googleapis.com/ID</jid></bind></iq>",
            "<iq id=\"s1\" type=\"result\"/>",
            "<message><data:gcm xmlns:data=\"google:mobile:data\">{\"message_type\":\"ack\",\"from\":\"TOKEN\","
                + "\"message_id\":\"1795227969155\"}</data:gcm></message>",
        ]
        #expect(answers == expected)
        let delivered = bench.actions.last
        guard case .deliver("TOKEN", let delivery) = delivered else {
            Issue.record("the phone got nothing: \(String(describing: delivered))")
            return
        }
        #expect(delivery.priority == "high")
        #expect(delivery.data["raw"] == .string("65210"))
        #expect(delivery.notification?["badge"] == .string("0"))
    }

    @Test("a byte at a time is read the same")
    func aByteAtATimeIsReadTheSame() {
        var bench = PushBench()
        bench.connect()
        let text =
            PushBench.header
            + "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(PushBench.auth)</auth>"
            + PushBench.header + " \n<iq id='b' type='set'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>"
            + "<iq id='p&amp;1' type='get'><ping xmlns='urn:xmpp:ping'/></iq>"
        for byte in text.utf8 { bench.step { $0.received(ConnectionID(1), [byte], at: $1, into: &$2) } }
        let bytewise = masked(bench.text())
        var whole = PushBench()
        whole.connect()
        whole.say(text)
        #expect(bytewise == masked(whole.text()))
        let end =
            "<iq to=\"123456789012@gcm.googleapis.com/ID\" from=\"gcm.googleapis.com\" id=\"p&amp;1\" type=\"result\"/>"
        #expect(bytewise.hasSuffix(end))
    }

    @Test(
        "a login is refused unless sender, domain and key are right, and the stream ends",
        arguments: [
            ("\u{0}123456789012@gcm.googleapis.com\u{0}AIzaTESTKEY", true),
            ("\u{0}123456789012@fcm.googleapis.com\u{0}AIzaTESTKEY", true),
            ("\u{0}123456789012@fcm-xmpp.googleapis.com\u{0}AIzaTESTKEY", false),
            ("\u{0}123456789013@gcm.googleapis.com\u{0}AIzaTESTKEY", false),
            ("\u{0}123456789012@gcm.googleapis.com\u{0}AIzaOTHER", false),
            ("me\u{0}123456789012@gcm.googleapis.com\u{0}AIzaTESTKEY", false), ("", false),
        ])
    func aLoginIsRefusedUnlessSender(_ plain: String, _ isRight: Bool) throws {
        var bench = PushBench()
        bench.connect()
        bench.say(PushBench.header)
        bench.forget()
        bench.say(
            "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(base64(Array(plain.utf8)))</auth>")
        if isRight {
            #expect(bench.text() == "<success xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"/>")
        } else {
            #expect(
                bench.text()
                    == "<failure xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"><not-authorized/></failure></stream:stream>"
            )
            #expect(bench.actions.last == .close(ConnectionID(1)))
        }
        #expect(bench.push.truth.tally.refusedLogins == (isRight ? 0 : 1))
    }

    private func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                result.append(place > part.count ? "=" : digits[bits >> (18 - 6 * place) & 63])
            }
        }
        return result
    }

    @Test("a stanza before the login, or before the binding, is a stream error and the end")
    func aStanzaBeforeTheLogin() {
        var bench = PushBench()
        bench.connect()
        bench.say(PushBench.header)
        bench.forget()
        bench.say("<message><gcm xmlns='google:mobile:data'>{}</gcm></message>")
        let end =
            "<stream:error><not-authorized xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\"/></stream:error></stream:stream>"
        #expect(bench.text() == end)
        #expect(bench.actions.last == .close(ConnectionID(1)))
        bench.connect(2)
        bench.say(PushBench.header, 2)
        bench.say("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(PushBench.auth)</auth>", 2)
        bench.say(PushBench.header, 2)
        bench.message("{}", id: "x", 2)
        #expect(bench.text(2).hasSuffix(end))
    }

    @Test("a roster query gets no answer; other queries are not served")
    func aRosterQueryGetsNoAnswer() {
        var bench = PushBench()
        bench.logIn()
        bench.say("<presence/><iq id='r' type='get'><query xmlns='jabber:iq:roster'/></iq>")
        #expect(bench.text().isEmpty)
        bench.say("<iq id='v' type='get'><query xmlns='jabber:iq:version'/></iq>")
        #expect(
            bench.text()
                == "<iq to=\"123456789012@gcm.googleapis.com/box\" from=\"gcm.googleapis.com\" id=\"v\" type=\"error\">"
                + "<error type=\"cancel\"><service-unavailable xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\"/></error></iq>"
        )
    }

    @Test("a client that ends its stream is answered in kind, and the connection is closed")
    func aClientThatEndsItsStreamIsAnsweredInKind() {
        var bench = PushBench()
        bench.logIn()
        bench.say("</stream:stream>")
        #expect(bench.actions == [.send(ConnectionID(1), Array("</stream:stream>".utf8)), .close(ConnectionID(1))])
        #expect(bench.push.truth.connections.isEmpty)
    }

    @Test(
        "what is no XML of XMPP ends the stream with its condition",
        arguments: [
            ("<message></iq>", "not-well-formed"), ("<!-- hello -->", "restricted-xml"),
            ("<?php ?>", "restricted-xml"), ("<!DOCTYPE x>", "restricted-xml"),
            ("<message>&nbsp;</message>", "not-well-formed"), ("<message>&#0;</message>", "not-well-formed"),
            ("text", "not-well-formed"), ("<message a='1' a='2'/>", "not-well-formed"),
            ("<message a=1/>", "not-well-formed"), ("<x:message/>", "not-well-formed"),
            ("<message>]]></message>", "not-well-formed"),
            ("<message><a>\(String(repeating: "x", count: 70_000))", "policy-violation"),
            (String(repeating: "<a>", count: 40), "policy-violation"), ("<unknown/>", "unsupported-stanza-type"),
        ])
    func whatIsNoXMLOfXMPPEndsTheStreamWithItsCondition(_ text: String, _ condition: String) {
        var bench = PushBench()
        bench.logIn()
        bench.say(text)
        #expect(
            bench.text()
                == "<stream:error><\(condition) xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\"/></stream:error></stream:stream>"
        )
        #expect(bench.push.truth.tally.streamErrors == 1)
    }

    @Test("the wire log has both directions with their times, and the key in neither")
    func theWireLogHasBothDirectionsWithTheirTimes() {
        var bench = PushBench { $0.isTraced = true }
        bench.connect()
        bench.say(PushBench.header)
        bench.say("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(PushBench.auth)</auth>")
        bench.say(PushBench.header)
        bench.say("<iq id='b' type='set'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>")
        bench.say("<message><gcm xmlns='google:mobile:data'>{\"x\":\"\(PushBench.key)\"}</gcm></message>")
        let lines = bench.actions.compactMap { action -> PushWireLine? in
            guard case .wire(let line) = action else { return nil }
            return line
        }
        #expect(lines.first?.text == "<stream:stream to=\"gcm.googleapis.com\" version=\"1.0\">")
        #expect(lines.first?.direction == .fromClient)
        #expect(lines.first?.time == bench.now)
        #expect(lines.contains { $0.direction == .fromClient && $0.text.hasSuffix("mechanism=\"PLAIN\">****</auth>") })
        #expect(lines.contains { $0.direction == .fromService && $0.text.hasPrefix("<success") })
        #expect(lines.contains { $0.text.contains("{\"x\":\"****\"}") })
        #expect(!lines.contains { $0.text.contains(PushBench.key) || $0.text.contains(PushBench.auth) })
    }
}
