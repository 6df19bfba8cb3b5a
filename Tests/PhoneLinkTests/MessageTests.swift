import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Messages to and from the push server")
struct MessageTests {
    @Test("an accepted message is told once, with the address that replaces its own")
    func anAcceptedMessageIsToldOnce() {
        var bench = Bench.ready()
        bench.push("m1")
        bench.push("m2")
        _ = bench.take()
        bench.say(Server.ack("m2", canonical: "NEW") + Server.ack("m1"))
        #expect(
            bench.take() == [
                .accepted(MessageID("m2"), canonical: "NEW"), .accepted(MessageID("m1"), canonical: nil),
            ])
        bench.say(Server.ack("m1"))
        #expect(bench.take().withoutLogs.isEmpty)
        #expect(bench.link.rejected(.strayAnswer) == 1)
        #expect(bench.link.health.underWay == 0 && bench.link.health.lastAccepted == bench.now.wall)
    }

    @Test("every error of the table reaches the core, but for those that concern the connection")
    func everyErrorOfTheTableReachesTheCore() {
        for (code, error) in CCSError.table {
            var bench = Bench.ready()
            bench.push("m1")
            _ = bench.take()
            bench.say(Server.nack("m1", code))
            let actions = bench.take()
            if error == .connectionDraining || error == .authenticationFailed {
                #expect(actions.returned == ["m1"], "\(code)")
                #expect(bench.link.room(forAlarm: true) == 0, "\(code)")
            } else {
                #expect(actions == [.refusal(MessageID("m1"), error, text: "why")], "\(code)")
                #expect(bench.link.room(forAlarm: true) == 100, "\(code)")
            }
        }
    }

    @Test("an error stanza ends its message only; the echo is not taken for a phone's message")
    func anErrorStanzaEndsItsMessageOnly() {
        var bench = Bench.ready()
        bench.push("m1")
        bench.push("m2")
        _ = bench.take()
        bench.say(Server.errorStanza("m1"))
        #expect(bench.take() == [.refusal(MessageID("m1"), .invalidJSON, text: "InvalidJson: MISSING")])
        #expect(bench.link.health.underWay == 1 && bench.link.health.phase == .ready)
    }

    @Test("a phone's message is acknowledged once, on its connection, when the core says so")
    func aPhonesMessageIsAcknowledgedOnce() {
        var bench = Bench.ready()
        bench.say(Server.inbound("u1"))
        let message = InboundMessage.ccs(
            connection: ConnectionID(1), from: "TOKEN", messageID: "u1", category: "com.example",
            data: .object(["command": .string("ping")]))
        #expect(bench.take() == [.inbound(message)])
        bench.link.acknowledge(message, at: bench.now, into: &bench.actions)
        bench.link.acknowledge(message, at: bench.now, into: &bench.actions)
        let ack =
            "<message><gcm xmlns=\"google:mobile:data\">"
            + "{\"to\":\"TOKEN\",\"message_id\":\"u1\",\"message_type\":\"ack\"}</gcm></message>"
        #expect(bench.take().sent() == [ack])
    }

    @Test("an acknowledgement for a connection that is gone is not sent on another")
    func anAcknowledgementForAConnectionThatIsGoneIsNotSent() {
        var bench = Bench.ready()
        bench.say(Server.inbound("u1"))
        guard case .inbound(let message)? = bench.take().first else {
            Issue.record("no upstream")
            return
        }
        bench.lost(.reset)
        bench.wait(.seconds(2))
        let second = bench.logIn()
        _ = bench.take()
        bench.link.acknowledge(message, at: bench.now, into: &bench.actions)
        #expect(bench.take().isEmpty)
        bench.say(Server.inbound("u1"), on: second)
        let again = bench.take()
        #expect(again.count == 1)
    }

    @Test("acks, nacks and controls are never acknowledged; a receipt is, by the link itself")
    func acksNacksAndControlsAreNeverAcknowledgedAReceipt() {
        var bench = Bench.ready()
        bench.push("m1")
        bench.push("m2")
        _ = bench.take()
        bench.say(Server.ack("m1") + Server.nack("m2", "INVALID_JSON") + Server.errorStanza("x"))
        bench.say(Server.message("{\"message_type\":\"control\",\"control_type\":\"OTHER\"}"))
        #expect(bench.take().sent().isEmpty)
        bench.say(Server.receipt)
        let ack =
            "<message><gcm xmlns=\"google:mobile:data\">"
            + "{\"to\":\"gcm.googleapis.com\",\"message_id\":\"dr2:m1\",\"message_type\":\"ack\"}</gcm></message>"
        #expect(
            bench.take() == [
                .send(ConnectionID(1), Array(ack.utf8)), .received(MessageID("m1")),
            ])
        bench.say(Server.draining)
        #expect(bench.take().sent().isEmpty)
    }

    @Test("100 messages are under way at most, the last 10 places are for alarms, and acks still flow")
    func with100MessagesAreUnderWayAtMost() {
        var bench = Bench.ready()
        for number in 0..<90 { #expect(bench.push("m\(number)") == true) }
        #expect(bench.link.room(forAlarm: false) == 0 && bench.link.room(forAlarm: true) == 10)
        #expect(bench.push("late") == false)
        for number in 90..<100 { #expect(bench.push("a\(number)", isAlarm: true) == true) }
        #expect(bench.push("alarm", isAlarm: true) == false)
        _ = bench.take()
        bench.say(Server.inbound("u1") + Server.receipt)
        guard case .inbound(let message)? = bench.actions.first else {
            Issue.record("no upstream")
            return
        }
        bench.link.acknowledge(message, at: bench.now, into: &bench.actions)
        #expect(bench.take().sent().count == 2)
        bench.say(Server.ack("m0"))
        #expect(bench.link.room(forAlarm: false) == 0 && bench.link.room(forAlarm: true) == 1)
        for number in 1...10 { bench.say(Server.ack("m\(number)")) }
        #expect(bench.link.room(forAlarm: false) == 1)
    }

    @Test("nothing is sent before the login is complete")
    func nothingIsSentBeforeTheLoginIsComplete() {
        var bench = Bench()
        #expect(bench.push("m1", isAlarm: true) == false)
        bench.start()
        bench.connect()
        for piece in Server.login {
            #expect(bench.push("m1", isAlarm: true) == false)
            bench.say(piece)
        }
        #expect(bench.push("m1", isAlarm: true) == true)
    }

    @Test("a message without an answer for 20 s makes a new connection, and all come back in order")
    func aMessageWithoutAnAnswerFor20SMakesANewConnection() {
        var bench = Bench.ready()
        bench.push("m1")
        bench.wait(.seconds(5))
        bench.push("m2")
        _ = bench.take()
        // A nack without a usable id, as for an id that was a number.
        bench.say(Server.message("{\"message_type\":\"nack\",\"error\":\"INVALID_JSON\"}"))
        bench.wait(.milliseconds(14_999))
        #expect(bench.take().withoutLogs.isEmpty)
        bench.wait(.milliseconds(1))
        let actions = bench.take()
        #expect(actions.returned == ["m1", "m2"])
        #expect(actions.problems == [.unanswered()])
        #expect(actions.contains(.close(ConnectionID(1))))
    }

    @Test("phones' messages that nobody acknowledges are bounded and counted; so are repeated ones")
    func phonesMessagesThatNobodyAcknowledgesAreBoundedAndCounted() {
        var bench = Bench.ready()
        for number in 0..<250 { bench.say(Server.inbound("u\(number)")) }
        bench.say(Server.inbound("u7"))
        let passed = bench.take().withoutLogs
        #expect(passed.count == 200)
        #expect(bench.link.rejected(.tooMany) == 50)
        #expect(bench.link.rejected(.repeated) == 1)
        guard case .inbound(let first)? = passed.first else { return }
        bench.link.acknowledge(first, at: bench.now, into: &bench.actions)
        bench.say(Server.inbound("u240"))
        #expect(bench.take().withoutLogs.count == 2)
    }

    @Test("a noisy server does not fill the log")
    func aNoisyServerDoesNotFillTheLog() {
        var bench = Bench.ready()
        for _ in 0..<1000 { bench.say(Server.message("nonsense")) }
        #expect(bench.link.rejected(.notJSON) == 1000)
        #expect(bench.take().count <= 10)
    }
}
