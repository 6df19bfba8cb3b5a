import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

extension ChannelBench where Channel == CCSTransport {
    /// Logged in, and what was ordered until then forgotten.
    static func ready(window: Int = 100) -> ChannelBench {
        var settings = CCSSettings(senderID: "123456789012", apiKey: Secret("AIzaTESTKEY"))
        settings.window = window
        let bench = ChannelBench(CCSTransport(settings: settings, seed: 1))
        bench.start()
        bench.logIn()
        _ = bench.take()
        return bench
    }

    func logIn() {
        connect()
        for piece in Server.login { say(piece) }
    }
}

@Suite("The push server as a channel to phones")
struct CCSTransportTests {
    private func delivery(_ id: String, _ content: DeliveryContent, priority: PriorityClass = .alarm) -> Delivery {
        Delivery(
            message: MessageID(id), address: DeliveryAddress(.phone(.fcmToken), "TOKEN"), content: content,
            priority: priority, timeToLive: 3600)
    }

    private let words = DeliveryContent.words(
        Notice(title: "t", text: "x", subject: .otherAlarm, time: WallTime(milliseconds: 0)))

    @Test("it is ready when it is logged in, and each step towards that shows")
    func itIsReadyWhenItIsLoggedIn() {
        var settings = CCSSettings(senderID: "123456789012", apiKey: Secret("AIzaTESTKEY"), host: "push.test", port: 7)
        settings.caFile = "/etc/ca.pem"
        let bench = ChannelBench(CCSTransport(settings: settings, seed: 1))
        #expect(bench.channel.health.phase == .stopped && bench.channel.room == .none)
        bench.start()
        let target = DialTarget(host: "push.test", port: 7, security: .tls(authorityFile: "/etc/ca.pem"))
        #expect(bench.take() == [.connect(DialSlot(0), target)])
        #expect(bench.channel.health.phase == .connecting)
        bench.refuse()
        #expect(bench.channel.health.phase == .waiting && bench.channel.health.problem?.isPassing == true)
        _ = bench.waitForTimer()
        bench.connect()
        #expect(bench.channel.health.phase == .loggingIn)
        for piece in Server.login { bench.say(piece) }
        #expect(bench.take().orders.suffix(2) == [.problem(nil), .ready])
        #expect(bench.channel.health.isHealthy && bench.channel.room == TransportRoom(alarm: 100, other: 90))
        bench.stop()
        #expect(bench.take().orders == [.notReady, .close(ConnectionID(1))])
        #expect(bench.channel.health.phase == .stopped && bench.channel.nextDeadline == nil)
    }

    @Test("a message that the service takes is accepted with the address that replaces its own")
    func aMessageThatTheServiceTakesIsAcceptedWithTheAddress() {
        let bench = ChannelBench<CCSTransport>.ready()
        #expect(bench.deliver(delivery("m1", .sealed([1, 2, 3]))))
        #expect(bench.take().text.contains("\"e\":\"AQID\""))
        #expect(bench.channel.health.underWay == 1)
        bench.say(Server.ack("m1", canonical: "NEW"))
        #expect(bench.take() == [.accepted(MessageID("m1"), canonical: "NEW")])
        #expect(bench.channel.health.lastAccepted == bench.now.wall)
        bench.say(Server.receipt)
        #expect(bench.take().orders == [.received(MessageID("m1"))])
    }

    @Test("a message that it refuses is refused with our words and with its own")
    func aMessageThatItRefusesIsRefusedWithOurWordsAndWithItsOwn() {
        let bench = ChannelBench<CCSTransport>.ready()
        bench.deliver(delivery("m1", .sealed([1])))
        _ = bench.take()
        bench.say(Server.nack("m1", "DEVICE_UNREGISTERED"))
        let why = "\(CCSError.deviceUnregistered) (why)"
        #expect(bench.take() == [.refused(MessageID("m1"), Refusal(.dropAddress, why: why))])
    }

    @Test("what no app reads is refused, where there would have been room for it")
    func whatNoAppReadsIsRefused() {
        let bench = ChannelBench<CCSTransport>.ready(window: 11)
        #expect(bench.deliver(delivery("m1", .frame([1]), priority: .info)))
        _ = bench.take()
        #expect(!bench.deliver(delivery("m2", words, priority: .info)))
        #expect(bench.take().isEmpty)
        let event = DeliveryContent.event(.object([:]), type: "alarm")
        for (content, kind) in [(words, "messages in words"), (event, "events for programs")] {
            #expect(bench.deliver(delivery("m3", content)))
            let why = "the push service carries messages for apps only, not \(kind)"
            #expect(bench.take() == [.refused(MessageID("m3"), Refusal(.giveUp, why: why))])
        }
    }

    @Test("what a phone sends is told with its connection, on which alone it is acknowledged")
    func whatAPhoneSendsIsToldWithItsConnection() {
        let bench = ChannelBench<CCSTransport>.ready()
        bench.say(Server.inbound("u1"))
        var message = InboundMessage(
            channel: .ccs, connection: ConnectionID(1), from: "TOKEN", id: "u1",
            body: .data(.object(["command": .string("ping")])), category: "com.example")
        #expect(bench.take() == [.inbound(message)])
        let connection = message.connection
        message.connection = nil
        bench.channel.acknowledge(message, at: bench.now, into: &bench.actions)
        #expect(bench.take().isEmpty)
        message.connection = connection
        bench.channel.acknowledge(message, at: bench.now, into: &bench.actions)
        #expect(bench.take().text.contains("\"message_id\":\"u1\",\"message_type\":\"ack\""))
    }

    @Test("a connection that breaks gives back what was under way, and is made again; urgently while an alarm waits")
    func aConnectionThatBreaksGivesBackWhatWasUnderWay() throws {
        let bench = ChannelBench<CCSTransport>.ready()
        bench.deliver(delivery("m1", .sealed([1])))
        _ = bench.take()
        bench.lose(.reset)
        let problem = try #require(bench.actions.lastProblem)
        #expect(bench.take().orders == [.notReady, .problem(problem), .returned([MessageID("m1")])])
        #expect(problem.isPassing && !problem.isRefusal)
        for _ in 0..<12 {
            _ = bench.waitForTimer()
            bench.refuse()
        }
        bench.channel.setUrgent(true, at: bench.now)
        #expect(try #require(bench.waitForTimer()) <= .seconds(5))
        bench.refuse(.tls(.wrongHost))
        #expect(bench.channel.health.problem?.isPassing == false && bench.channel.health.problem?.isRefusal == false)
        _ = bench.take()
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().connects == 1)
        // An attempt that nobody answers is given up.
        bench.wait(.seconds(90))
        #expect(bench.take().contains(.cancelConnect(DialSlot(0))))
    }

    @Test("another key begins anew at once")
    func anotherKeyBeginsAnewAtOnce() {
        let bench = ChannelBench<CCSTransport>.ready()
        var settings = bench.channel.settings
        settings.apiKey = Secret("another")
        settings.host = "push.test"
        bench.channel.reconfigure(settings, at: bench.now, into: &bench.actions)
        let target = DialTarget(host: "push.test", port: 5235, security: .tls(authorityFile: nil))
        #expect(bench.take().orders == [.notReady, .close(ConnectionID(1)), .connect(DialSlot(0), target)])
    }
}
