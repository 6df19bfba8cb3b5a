import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("The broker as a way")
struct MQTTTransportTests {
    static let set = "howalarming/home/partition/1/set"

    @Test("it connects with TLS, a last will, user and password, a clean session and bounds of its own")
    func login() throws {
        var bench = MQTTBench()
        bench.start()
        let target = DialTarget(host: "broker.example", port: 8883, security: .tls(authorityFile: nil))
        #expect(bench.take() == [.connect(DialSlot(0), target)])
        bench.connect()
        guard case .connect(let connect) = try #require(bench.packets().first) else {
            Issue.record("no CONNECT")
            return
        }
        #expect(connect.version == .v5)
        #expect(connect.isClean)
        #expect(connect.keepAlive == 60)
        #expect(connect.clientID == "howalarming-home")
        #expect(
            connect.will
                == MQTTConnect.Will(topic: "howalarming/home/availability", payload: Array("offline".utf8), qos: 1))
        #expect(connect.user == "alarm")
        #expect(connect.password?.revealed == "s3cret")
        #expect(connect.properties.receiveMaximum == 16)
        #expect(connect.properties.maximumPacketSize == 65536)
        #expect(bench.transport.health.phase == .loggingIn)
        #expect(bench.transport.room == .none)
        bench.say(.connack(MQTTConnack(reason: 0)))
        #expect(bench.take() == [.ready])
        #expect(bench.transport.health.isHealthy)
    }

    @Test("logged in, it listens and says that it is there", arguments: [true, false])
    func listens(commands: Bool) {
        var settings = MQTTBench.settings
        settings.commandsAllowed = commands
        var bench = MQTTBench(settings)
        bench.start()
        bench.connect()
        _ = bench.packets()
        bench.say(.connack(MQTTConnack(reason: 0)))
        let packets = bench.packets()
        var wanted = [
            MQTTSubscription(filter: "homeassistant/status", qos: 1),
            MQTTSubscription(filter: "homeassistant/device/howalarming_home/config", qos: 0, isNoLocal: true),
        ]
        if commands {
            let filter = "howalarming/home/partition/+/set"
            wanted.insert(MQTTSubscription(filter: filter, qos: 1, showsRetained: true), at: 0)
        }
        #expect(packets.first == .subscribe(id: 1, wanted))
        let online = MQTTPublish(
            topic: "howalarming/home/availability", payload: Array("online".utf8), id: 2, isRetained: true)
        #expect(packets.last == .publish(online))
    }

    @Test("plain connections carry no commands unless they are allowed in words")
    func plain() {
        #expect(!MQTTSettings(host: "h", security: .plain, site: "s").commandsAllowed)
        #expect(MQTTSettings(host: "h", security: .plain, site: "s").port == 1883)
        #expect(MQTTSettings(host: "h", security: .plain, site: "s", commandsAllowed: true).commandsAllowed)
        #expect(MQTTSettings(host: "h", site: "s").commandsAllowed)
    }

    @Test("an event goes out once with QoS 1, not retained, and is accepted when it is acknowledged")
    func event() {
        var bench = MQTTBench.ready()
        let isTaken1 = bench.deliver("m1", timeToLive: 600)
        #expect(isTaken1)
        var wanted = MQTTPublish(topic: "howalarming/home/event", payload: Array(#"{"id":"m1"}"#.utf8), id: 4)
        wanted.properties.messageExpiry = 600
        #expect(bench.packets() == [.publish(wanted)])
        #expect(bench.take().isEmpty)
        #expect(bench.transport.health.underWay == 1)
        bench.say(.puback(MQTTAnswer(id: 99)), .puback(MQTTAnswer(id: 4, reason: 0x10)), .puback(MQTTAnswer(id: 4)))
        #expect(bench.take() == [.accepted(MessageID("m1"), canonical: nil)])
        #expect(bench.transport.health.lastAccepted == bench.now.wall)
    }

    @Test("a refusal says why, and what becomes of the message follows from it")
    func refused() throws {
        var bench = MQTTBench.ready()
        for (number, reason) in [UInt8(0x87), 0x97, 0x99, 0x80].enumerated() {
            bench.deliver("m\(number)")
            var properties = MQTTProperties()
            properties.reasonText = "rule s3cret\n"
            bench.say(.puback(MQTTAnswer(id: UInt16(4 + number), reason: reason, properties: properties)))
        }
        let refusals = bench.take().compactMap { action in
            if case .refused(_, let refusal) = action { return refusal } else { return nil }
        }
        #expect(
            refusals.map(\.reaction) == [
                .serviceFault, .retry(first: .minutes(1), attempts: nil), .giveUp,
                .retry(first: .seconds(5), attempts: nil),
            ])
        #expect(refusals[0].why.contains("not authorised (rule ****?); allow this user to publish"))
    }

    @Test("what is no event, and what is too large for the broker, is refused")
    func unfit() {
        var properties = MQTTProperties()
        properties.maximumPacketSize = 60
        var bench = MQTTBench.ready(MQTTBench.settings, MQTTConnack(reason: 0, properties: properties))
        let words = Delivery(
            message: MessageID("w"), address: DeliveryAddress(.house(.broker), "x"),
            content: .words(Notice(title: "t", text: "x", tone: .info, time: bench.now.wall)), priority: .alarm,
            timeToLive: 0)
        let isTaken2 = bench.transport.deliver(words, at: bench.now, into: &bench.actions)
        #expect(isTaken2)
        let isTaken3 = bench.deliver(String(repeating: "m", count: 60))
        #expect(isTaken3)
        let refused = bench.take().filter { action in
            if case .refused(_, let refusal) = action { return refusal.reaction == .giveUp } else { return false }
        }
        #expect(refused.count == 2)
        #expect(bench.packets().isEmpty)
    }

    @Test("what was not acknowledged is given back in order when the connection ends")
    func returned() {
        var bench = MQTTBench.ready()
        for id in ["m1", "m2", "m3"] { bench.deliver(id) }
        bench.say(.puback(MQTTAnswer(id: 5)))
        _ = bench.take()
        bench.end()
        let actions = bench.take()
        #expect(actions.prefix(2) == [.notReady, .returned([MessageID("m1"), MessageID("m3")])])
        let isTaken4 = bench.deliver("m4")
        #expect(!isTaken4)
        #expect(bench.transport.health.phase == .waiting)
        bench.wait(.seconds(1))
        #expect(bench.transport.health.phase == .connecting)
    }

    private func fill(_ bench: inout MQTTBench, _ name: String, _ count: Int, _ priority: PriorityClass) {
        for number in 0..<count {
            let isTaken = bench.deliver("\(name)\(number)", priority)
            #expect(isTaken)
        }
        let isTaken = bench.deliver(name, priority)
        #expect(!isTaken)
    }

    @Test("room is kept for alarms, and the broker's own bound holds")
    func room() {
        var bench = MQTTBench.ready()
        fill(&bench, "i", 15, .info)
        fill(&bench, "a", 5, .alarm)

        var properties = MQTTProperties()
        properties.receiveMaximum = 2
        var narrow = MQTTBench.ready(MQTTBench.settings, MQTTConnack(reason: 0, properties: properties))
        #expect(narrow.transport.room == TransportRoom(alarm: 2, other: 1))
        fill(&narrow, "a", 2, .alarm)
        narrow.change(HomeAssistantTests.house)
        #expect(narrow.packets().count == 2)
    }

    @Test("a half-open connection is noticed after 75 seconds, an unanswered message after 60")
    func halfOpen() {
        var bench = MQTTBench.ready()
        // The last word was heard two seconds ago.
        bench.wait(.milliseconds(57_999))
        #expect(bench.packets().isEmpty)
        bench.wait(.milliseconds(1))
        #expect(bench.packets() == [.pingreq])
        bench.wait(.milliseconds(14_999))
        #expect(bench.take().isEmpty)
        bench.wait(.milliseconds(1))
        #expect(bench.take().prefix(2) == [.close(ConnectionID(1)), .notReady])

        var other = MQTTBench.ready()
        other.deliver("m1")
        for _ in 0..<59 {
            other.wait(.seconds(1))
            other.say(.pingresp)
        }
        #expect(other.take().isEmpty)
        other.wait(.seconds(1))
        #expect(other.take().contains(.returned([MessageID("m1")])))
    }

    @Test("the broker's keep alive is kept")
    func keepAlive() {
        var properties = MQTTProperties()
        properties.serverKeepAlive = 10
        var bench = MQTTBench.ready(MQTTBench.settings, MQTTConnack(reason: 0, properties: properties))
        bench.wait(.seconds(8))
        bench.say(.pingresp)
        bench.wait(.seconds(2))
        #expect(bench.packets() == [.pingreq])
    }

    @Test("a broker that does not know version 5 is asked with 3.1.1 at once")
    func fallback() throws {
        for answer in [[0x20, 2, 0, 1], MQTTPacket.connack(MQTTConnack(reason: 0x84)).bytes(.v5)] {
            var bench = MQTTBench()
            bench.start()
            bench.connect()
            _ = bench.take()
            bench.bytes(answer)
            #expect(bench.take().first == .close(ConnectionID(1)))
            #expect(bench.transport.health.phase == .connecting)
            bench.connection = ConnectionID(2)
            bench.version = .v311
            bench.connect()
            guard case .connect(let connect) = try #require(bench.packets().first) else { continue }
            #expect(connect.version == .v311)
            bench.say(.connack(MQTTConnack(reason: 0)))
            #expect(bench.take() == [.ready])
        }
        // One that hangs up without a word is asked with the other version next time.
        var bench = MQTTBench()
        bench.start()
        bench.connect()
        bench.end(.finished)
        bench.wait(.seconds(1))
        _ = bench.take()
        bench.connect()
        #expect(
            bench.packets().contains {
                if case .connect(let connect) = $0 { connect.version == .v311 } else { false }
            })
    }

    @Test(
        "why the broker does not let us in is told with the remedy, and what only a person can change has time",
        arguments: [
            (UInt8(4), "check user and password", true), (5, "check user and password", true),
            (3, "tried again", false),
            (2, "another client id", true), (0x86, "check user and password", true), (0x8A, "ask who runs", true),
            (0x9C, "set the new host", true), (0x97, "tried again", false), (0x8C, "ask who runs", true),
        ])
    func notLetIn(reason: UInt8, remedy: String, isRefusal: Bool) throws {
        var bench = MQTTBench()
        bench.start()
        bench.connect()
        bench.say(.connack(MQTTConnack(reason: reason)))
        let problem = try #require(bench.transport.health.problem)
        #expect(problem.description.contains(remedy))
        #expect(!problem.description.contains("s3cret"))
        #expect(problem.isRefusal == isRefusal)
        let wait = try #require(bench.transport.nextDeadline) - bench.now.boot
        #expect(isRefusal ? wait == .minutes(5) : wait <= .seconds(1))
        bench.transport.setUrgent(true, at: bench.now)
        #expect(try #require(bench.transport.nextDeadline) - bench.now.boot <= .seconds(5))
    }

    @Test("a broker that lies, stalls, or wants another login is left, and the next attempt comes")
    func lies() {
        let wrong: [[UInt8]] = [
            Array("HTTP/1.1 400 Bad Request\r\n".utf8), MQTTPacket.pingresp.bytes(.v5),
            MQTTPacket.auth(reason: 0x18).bytes(.v5), [0x20, 0xFF, 0xFF, 0xFF, 0x7F],
        ]
        for bytes in wrong {
            var bench = MQTTBench()
            bench.start()
            bench.connect()
            _ = bench.take()
            bench.bytes(bytes)
            #expect(bench.take().first == .close(ConnectionID(1)))
            #expect(bench.transport.health.problem?.description.isEmpty == false)
        }
        var bench = MQTTBench()
        bench.start()
        bench.connect()
        _ = bench.take()
        bench.wait(.seconds(15))
        #expect(bench.take().first == .close(ConnectionID(1)))

        var none = MQTTBench.ready()
        var properties = MQTTProperties()
        properties.reasonText = "bye"
        none.say(.disconnect(reason: 0x8E, properties))
        #expect(none.transport.health.problem?.description.contains("same client id") == true)
        #expect(none.take().prefix(2) == [.close(ConnectionID(1)), .notReady])
    }

    @Test("a certificate that is wrong has time; what cannot be reached is tried again soon")
    func unreachable() throws {
        for (failure, isRefusal) in [(ConnectFailure.tls(.unknownAuthority), true), (.tls(.stalled), false)] {
            var bench = MQTTBench()
            bench.start()
            bench.transport.connectFailed(failure, slot: DialSlot(0), at: bench.now, into: &bench.actions)
            #expect(bench.transport.health.problem?.isRefusal == isRefusal)
        }
        var bench = MQTTBench()
        bench.start()
        var longest = Duration.zero
        for _ in 0..<12 {
            bench.transport.connectFailed(
                .dial(.unreachable(.refused)), slot: DialSlot(0), at: bench.now, into: &bench.actions)
            let wait = try #require(bench.transport.nextDeadline) - bench.now.boot
            longest = max(longest, wait)
            bench.wait(wait)
        }
        #expect(longest > .seconds(5) && longest <= .seconds(60))
    }

    @Test("a command comes up once and is acknowledged when it has been dealt with")
    func command() {
        var bench = MQTTBench.ready()
        let publish = MQTTPublish(topic: Self.set, payload: Array(#"{"action":"ARM_AWAY"}"#.utf8), id: 77)
        bench.say(.publish(publish))
        #expect(bench.packets().isEmpty)
        guard case .upstream(let upstream)? = bench.take().first else {
            Issue.record("no command came up")
            return
        }
        #expect(upstream.way == .mqtt)
        #expect(upstream.from == Self.set)
        #expect(upstream.body == .text(#"{"action":"ARM_AWAY"}"#))
        bench.transport.acknowledge(upstream, at: bench.now, into: &bench.actions)
        #expect(bench.packets() == [.puback(MQTTAnswer(id: 77))])
        bench.transport.acknowledge(upstream, at: bench.now, into: &bench.actions)
        #expect(bench.packets().isEmpty)

        bench.say(.publish(publish))
        guard case .upstream(let second)? = bench.take().first else { return }
        #expect(second.id != upstream.id)
    }

    @Test("a broker that does not let us hear commands is a problem until it does, over a new connection, too")
    func deaf() throws {
        var bench = MQTTBench.ready()
        bench.say(.suback(id: 1, [0x87, 1, 0]))
        let problem = try #require(bench.transport.health.problem)
        #expect(problem.description.contains("howalarming/home/partition/+/set") && problem.isRefusal)
        // What is sent to people goes out all the same.
        #expect(bench.transport.health.isHealthy && problem.isInward)
        #expect(bench.take() == [.problem(problem)])
        bench.end()
        bench.wait(.seconds(1))
        bench.connect()
        _ = bench.packets()
        bench.say(.connack(MQTTConnack(reason: 0)))
        #expect(bench.transport.health.problem == problem)
        guard case .subscribe(let id, _)? = bench.packets().first else {
            Issue.record("it asks again")
            return
        }
        bench.actions = []
        bench.say(.suback(id: id, [1, 0x87, 0]))
        #expect(bench.take() == [.problem(nil)])
        #expect(bench.transport.health.isHealthy)
    }

    @Test("a broker that lets us in and acknowledges nothing is asked ever more rarely, and well with its first word")
    func mute() throws {
        var bench = MQTTBench.ready()
        bench.deliver("m1")
        var longest = Duration.zero
        for _ in 0..<12 {
            while bench.transport.health.phase == .ready {
                bench.say(.pingresp)
                bench.wait(.seconds(1))
            }
            let span = try #require(bench.transport.nextDeadline) - bench.now.boot
            longest = max(longest, span)
            bench.wait(span)
            bench.connection = ConnectionID(bench.connection.number + 1)
            bench.connect()
            _ = bench.take()
            bench.say(.connack(MQTTConnack(reason: 0)))
            #expect(bench.transport.health.problem?.description.contains("does not acknowledge") == true)
        }
        #expect(longest > .seconds(5))
        bench.acknowledgeAll()
        #expect(bench.take().contains(.problem(nil)))
        #expect(bench.transport.health.isHealthy)
    }

    @Test("commands that were kept, repeated, are too long, no text or for nothing of ours are not obeyed")
    func badCommands() {
        var bench = MQTTBench.ready()
        let payload = Array(#"{"action":"DISARM"}"#.utf8)
        let bad = [
            MQTTPublish(topic: Self.set, payload: payload, id: 1, isRetained: true),
            MQTTPublish(topic: Self.set, payload: payload, id: 2, isDuplicate: true),
            MQTTPublish(topic: Self.set, payload: [UInt8](repeating: 0x20, count: 513), id: 3),
            MQTTPublish(topic: Self.set, payload: [0xFF], id: 4),
            MQTTPublish(topic: "howalarming/home/partition/9/set", payload: payload, id: 5),
            MQTTPublish(topic: "other", payload: payload, id: 6),
        ]
        for publish in bad { bench.say(.publish(publish)) }
        #expect(bench.packets() == (1...6).map { .puback(MQTTAnswer(id: $0)) })
        #expect(bench.logs().count == 1)
        #expect(bench.take().isEmpty)

        var closed = MQTTBench.settings
        closed.commandsAllowed = false
        var other = MQTTBench.ready(closed)
        other.say(.publish(MQTTPublish(topic: Self.set, payload: payload)))
        #expect(other.take().isEmpty)
    }

    @Test("an orderly end says offline, takes leave and gives back")
    func stop() {
        var bench = MQTTBench.ready()
        bench.deliver("m1")
        _ = bench.packets()
        bench.transport.stop(at: bench.now, into: &bench.actions)
        let offline = MQTTPublish(
            topic: "howalarming/home/availability", payload: Array("offline".utf8), isRetained: true)
        #expect(bench.packets() == [.publish(offline), .disconnect(reason: 0, MQTTProperties())])
        #expect(bench.take() == [.close(ConnectionID(1)), .notReady, .returned([MessageID("m1")])])
        #expect(bench.transport.nextDeadline == nil)
    }
}
