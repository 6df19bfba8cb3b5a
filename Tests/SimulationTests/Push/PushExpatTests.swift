import AlarmModel
import Foundation
import PhoneProtocol
import Simulators
import Testing

@Suite("A push service's XML, as Python's expat reads it")
struct PushExpatTests {
    /// Reads streams from a JSON array of texts; prints the JSON of the envelopes that expat found.
    private static let program = """
        import json, sys, xml.parsers.expat
        found = []
        for text in json.load(sys.stdin):
            parser = xml.parsers.expat.ParserCreate(namespace_separator=' ')
            inside = []
            def start(name, attributes):
                if name == 'google:mobile:data gcm': inside.append('')
            def data(text):
                if inside: inside[-1] += text
            def end(name):
                if name == 'google:mobile:data gcm': found.append(inside.pop())
            parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = start, data, end
            parser.Parse(text, '</stream:stream>' in text)
        print(json.dumps([json.loads(text) for text in found], separators=(',', ':')))
        """

    @Test(
        "everything that is sent is well-formed with its namespaces, and the JSON inside survives",
        .enabled(if: Python.isAvailable))
    func everythingThatIsSentIsWellFormedWithItsNamespaces() throws {
        let nasty = "Front <door> & \"x\" 'y' ]]> \u{1}\n \u{FFFE} \u{FFFF} 🔥 é \u{2028}"
        var bench = PushBench()
        bench.phone("TOKEN")
        bench.connect()
        bench.say(PushBench.header)
        bench.say("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(PushBench.auth)</auth>")
        let first = bench.text()
        bench.forget()
        bench.say(PushBench.header)
        bench.say(
            "<iq id='&lt;b>' type='set'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>a&amp;\"b</resource></bind></iq>"
        )
        bench.say("<iq id='s' type='set'><session xmlns='urn:ietf:params:xml:ns:xmpp-session'/></iq>")
        bench.say("<iq id='p' type='get'><ping xmlns='urn:xmpp:ping'/></iq>")
        bench.say("<iq id='v' type='get'><query xmlns='jabber:iq:version'/></iq>")
        bench.step {
            $0.phoneSends(
                "TOKEN", messageID: "u&<1>", data: .object(["text": .string(nasty)]), ttl: 60, at: $1, into: &$2)
        }
        try bench.perform("form plain")
        bench.down("m1", ttl: 60, ",\"delivery_receipt_requested\":true")
        bench.down("m2", ttl: -1)
        try bench.perform("drain")
        try bench.perform("ping")
        bench.message("{\"to\":\"x\"}", id: "a&amp;&apos;b")
        bench.acknowledge("never")
        bench.message("{\"message_type\":\"ack\"}")
        try bench.perform("stream-error see-other-host")
        let streams = JSON.array([.string(first), .string(bench.text())])
        let found = try JSON(parsing: try Python.run(Self.program, input: streams.text))
        let envelopes = found.arrayValue ?? []
        #expect(envelopes.count == 8)
        #expect(envelopes.first?["message_id"] == .string("u&<1>"))
        #expect(envelopes.first?["data"]?["text"] == .string(nasty))
        #expect(
            envelopes.map { $0["message_type"]?.stringValue } == [
                nil, "ack", "receipt", "nack", "control", nil, "ack", "nack",
            ])
    }

    @Test("a refused login and an early stanza are whole documents", .enabled(if: Python.isAvailable))
    func aRefusedLoginAndAnEarlyStanzaAreWholeDocuments() throws {
        var texts: [JSON] = []
        for stanza in ["<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>=</auth>", "<message/>"] {
            var bench = PushBench()
            bench.connect()
            bench.say(PushBench.header)
            bench.say(stanza)
            texts.append(.string(bench.text()))
        }
        var bench = PushBench()
        bench.connect()
        bench.say("<stream:stream/>")
        texts.append(.string(bench.text()))
        #expect(try Python.run(Self.program, input: JSON.array(texts).text) == "[]\n")
    }

    @Test("garbage is what expat does not take", .enabled(if: Python.isAvailable))
    func garbageIsWhatExpatDoesNotTake() throws {
        var bench = PushBench()
        bench.connect()
        bench.say(PushBench.header)
        try bench.perform("garbage")
        let text = bench.text()
        #expect(throws: Python.Failed.self) {
            try Python.run(Self.program, input: JSON.array([.string(text)]).text)
        }
    }
}
