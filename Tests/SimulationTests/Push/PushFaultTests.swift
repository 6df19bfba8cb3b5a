import AlarmModel
import PhoneProtocol
import Simulators
import Testing

@Suite("A push service that misbehaves")
struct PushFaultTests {
    private let one = ConnectionID(1)

    private func bench(_ change: (inout PushSettings) -> Void = { _ in }) -> PushBench {
        var bench = PushBench(seed: 3, change)
        bench.phone()
        bench.logIn()
        return bench
    }

    @Test("draining is announced without a sender or an id, answers go on, and the connection ends in time")
    func drainingIsAnnouncedWithoutASenderOrAnId() throws {
        var bench = bench()
        try bench.perform("drain 20s")
        #expect(
            bench.payloads().first?.text == "{\"message_type\":\"control\",\"control_type\":\"CONNECTION_DRAINING\"}")
        bench.down("m")
        #expect(bench.ids("ack") == ["m"])
        bench.wait(.milliseconds(19_999))
        #expect(!bench.actions.contains(.close(one)))
        bench.wait(.milliseconds(1))
        #expect(bench.text().hasSuffix("</stream:stream>"))
        #expect(bench.actions.last == .close(one))
    }

    @Test("or it is told by refusals of new messages, on that connection alone")
    func orItIsToldByRefusalsOfNewMessages() throws {
        var bench = bench()
        try bench.perform("drain-nack")
        bench.down("m")
        #expect(bench.refusals() == ["CONNECTION_DRAINING"])
        #expect(bench.payloads().first?["message_id"] == .string("m"))
        bench.logIn(2)
        bench.down("m", client: 2)
        #expect(bench.ids("ack", 2) == ["m"])
        #expect(bench.arrivals == ["m"])
    }

    @Test("an end is graceful or abrupt, and both give back what was not acknowledged")
    func anEndIsGracefulOrAbrupt() throws {
        var bench = bench()
        bench.inbound("u", ttl: 60)
        bench.forget()
        try bench.perform("close-graceful")
        #expect(bench.actions == [.send(one, Array("</stream:stream>".utf8)), .close(one)])
        bench.logIn(2)
        bench.forget()
        try bench.perform("close-abrupt")
        #expect(bench.actions == [.reset(ConnectionID(2))])
        #expect(bench.push.truth.inbound == ["u"])
        bench.lose(2)
        #expect(bench.push.truth.inbound == ["u"])
    }

    @Test("a half-open connection reads nothing and says nothing, and messages for it are in limbo until it ends")
    func aHalfOpenConnectionReadsNothingAndSaysNothing() throws {
        var bench = bench()
        try bench.perform("half-open")
        #expect(bench.actions == [.stopReading(one)])
        bench.forget()
        bench.down("m")
        bench.inbound("u", ttl: 600)
        bench.wait(.minutes(5))
        #expect(bench.actions.isEmpty)
        bench.lose()
        bench.logIn(2)
        #expect(bench.push.truth.connections.first?.unacknowledged == ["u"])
        try bench.perform("half-open on")
        bench.forget()
        bench.connect(3)
        bench.say(PushBench.header, 3)
        #expect(bench.actions == [.stopReading(ConnectionID(3))])
    }

    @Test("spaces alone come every ten seconds")
    func spacesAloneComeEveryTenSeconds() throws {
        var bench = bench()
        try bench.perform("whitespace-only on")
        bench.down("m")
        bench.wait(.seconds(35))
        #expect(bench.actions == Array(repeating: .send(one, [32]), count: 3))
        bench.forget()
        bench.connect(2)
        bench.say(PushBench.header, 2)
        bench.wait(.seconds(10))
        #expect(bench.text(2) == " ")
    }

    @Test("bytes come one at a time, a millisecond apart, and a graceful end after them")
    func bytesComeOneAtATime() throws {
        var bench = bench()
        try bench.perform("slow-drip on")
        bench.say("<iq id='p' type='get'><ping xmlns='urn:xmpp:ping'/></iq>")
        try bench.perform("close-graceful")
        #expect(bench.actions.isEmpty)
        bench.wait(.milliseconds(3))
        #expect(bench.heard.map(\.bytes) == Array("<iq".utf8).map { [$0] })
        bench.wait(.seconds(1))
        #expect(bench.text().hasSuffix("type=\"result\"/></stream:stream>"))
        #expect(bench.actions.last == .close(one))
        #expect(bench.heard.allSatisfy { $0.bytes.count == 1 })
    }

    @Test("stanzas are split anywhere")
    func stanzasAreSplitAnywhere() throws {
        var bench = bench()
        bench.down("m")
        let whole = bench.text()
        try bench.perform("split on")
        bench.forget()
        bench.down("m")
        #expect(bench.heard.count > 1)
        #expect(bench.text() == whole)
    }

    @Test("the next messages are refused with any code, and not delivered")
    func theNextMessagesAreRefusedWithAnyCode() throws {
        var bench = bench()
        try bench.perform("nack INTERNAL_SERVER_ERROR 2")
        for id in ["1", "2", "3"] { bench.down(id) }
        try bench.perform("nack NEVER_HEARD_OF")
        bench.down("4")
        #expect(bench.refusals() == ["INTERNAL_SERVER_ERROR", "INTERNAL_SERVER_ERROR", "NEVER_HEARD_OF"])
        #expect(bench.ids("ack") == ["3"])
        #expect(bench.arrivals == ["3"])
    }

    @Test("an answer that is late is lost with its connection, though the phone has the message")
    func anAnswerThatIsLateIsLostWithItsConnection() throws {
        var bench = bench()
        try bench.perform("delay-acks 2s")
        bench.down("1")
        #expect(bench.arrivals == ["1"])
        #expect(bench.text().isEmpty)
        bench.wait(.seconds(2))
        #expect(bench.ids("ack") == ["1"])
        bench.down("2")
        bench.lose()
        bench.wait(.seconds(10))
        #expect(bench.ids("ack") == ["1"])
    }

    @Test("a stream error has its condition and ends the stream")
    func aStreamErrorHasItsConditionAndEndsTheStream() throws {
        var bench = bench()
        try bench.perform("stream-error conflict")
        #expect(
            bench.text()
                == "<stream:error><conflict xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\"/></stream:error></stream:stream>"
        )
        #expect(bench.actions.last == .close(one))
        #expect(bench.push.truth.tally.streamErrors == 0)
    }

    @Test("logins fail as often as asked")
    func loginsFailAsOftenAsAsked() throws {
        var bench = PushBench()
        try bench.perform("auth-fail 2")
        for client in UInt64(1)...3 { bench.logIn(client) }
        #expect(bench.push.truth.tally.refusedLogins == 2)
        #expect(bench.push.truth.connections.map(\.id) == [3])
    }

    @Test("connections are refused, by the mount and by the service itself")
    func connectionsAreRefused() throws {
        var bench = PushBench()
        try bench.perform("refuse-connect on")
        bench.connect()
        #expect(bench.actions == [.listen(.refuse), .reset(one)])
        try bench.perform("refuse-connect off")
        #expect(bench.actions.last == .listen(.accept))
    }

    @Test("the mount is told which certificate to show")
    func theMountIsToldWhichCertificateToShow() throws {
        var bench = PushBench()
        try bench.perform("certificate expired")
        try bench.perform("certificate wrong-host")
        #expect(bench.actions == [.certificate(.expired), .certificate(.wrongHost)])
    }

    @Test("the service asks for a sign of life and takes any answer")
    func theServiceAsksForASignOfLifeAndTakesAnyAnswer() throws {
        var bench = bench()
        try bench.perform("ping")
        #expect(
            bench.text()
                == "<iq to=\"123456789012@gcm.googleapis.com/box\" from=\"gcm.googleapis.com\" id=\"ping1\" type=\"get\">"
                + "<ping xmlns=\"urn:xmpp:ping\"/></iq>")
        bench.forget()
        bench.say("<iq id='ping1' type='error'><error type='cancel'/></iq>")
        #expect(bench.text().isEmpty)
        #expect(bench.push.truth.connections.count == 1)
    }

    @Test("all switches go back at once")
    func allSwitchesGoBackAtOnce() throws {
        var bench = bench()
        for verb in ["slow-drip on", "split on", "nack X 5", "delay-acks 5s", "auth-fail on", "refuse-connect on"] {
            try bench.perform(verb)
        }
        try bench.perform("faults off")
        #expect(bench.push.faults == PushFaults())
        bench.down("m")
        #expect(bench.ids("ack") == ["m"])
    }
}
