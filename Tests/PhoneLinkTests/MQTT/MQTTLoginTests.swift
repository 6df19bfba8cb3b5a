import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("How the broker lets us in")
struct MQTTLoginTests {
    @Test("it connects with TLS, a last will, user and password, a clean session and bounds of its own")
    func itConnectsWithTLS() throws {
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
    func loggedInItListensAndSaysThatItIsThere(commands: Bool) {
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
        #expect(packets.count == 1, "nothing is told before the house is known")
    }

    @Test("plain connections carry no commands unless they are allowed in words")
    func plainConnectionsCarryNoCommandsUnlessTheyAreAllowedInWords() {
        #expect(!MQTTSettings(host: "h", security: .plain, site: "s").commandsAllowed)
        #expect(MQTTSettings(host: "h", security: .plain, site: "s").port == 1883)
        #expect(MQTTSettings(host: "h", security: .plain, site: "s", commandsAllowed: true).commandsAllowed)
        #expect(MQTTSettings(host: "h", site: "s").commandsAllowed)
    }

    @Test("a broker that does not know version 5 is asked with 3.1.1 at once")
    func aBrokerThatDoesNotKnowVersion5IsAskedWith3() throws {
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
    func whyTheBrokerDoesNotLetUsInIsToldWithTheRemedy(reason: UInt8, remedy: String, isRefusal: Bool) throws {
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
    func aBrokerThatLies() {
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
    func aCertificateThatIsWrongHasTime() throws {
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
}
