import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Who is at home, as a topic at the broker says it")
struct MQTTPresenceTests {
    private static let topic = "house/presence"
    private static let settings: MQTTSettings = {
        var settings = MQTTBench.settings
        settings.presenceTopic = topic
        return settings
    }()

    private static func publish(_ payload: [UInt8], isRetained: Bool = false, id: UInt16? = nil) -> MQTTPacket {
        .publish(MQTTPublish(topic: topic, payload: payload, id: id, isRetained: isRetained))
    }

    private static func publish(_ word: String) -> MQTTPacket { publish(Array(word.utf8)) }

    @Test("the topic is listened to, kept or live, and a word is told when it changes", arguments: [true, false])
    func theTopicIsListenedTo(isV5: Bool) {
        let version: MQTTVersion = isV5 ? .v5 : .v311
        var settings = Self.settings
        settings.protocolVersion = isV5 ? .v5 : .v311
        var bench = MQTTBench(settings)
        bench.version = version
        bench.start()
        bench.connect()
        bench.say(.connack(MQTTConnack(reason: 0)))
        let filters = bench.packets().compactMap { packet -> [MQTTSubscription]? in
            if case .subscribe(_, let filters) = packet { filters } else { nil }
        }
        #expect(filters.flatMap { $0 }.contains { $0.filter == Self.topic && $0.qos == 1 })
        bench.actions = []
        bench.say(Self.publish(Array("not_home".utf8), isRetained: true, id: 5))
        #expect(bench.packets() == [.puback(MQTTAnswer(id: 5))])
        #expect(bench.take() == [.presence(.notHome)])
        bench.say(Self.publish("not_home"), Self.publish("Not_Home"))
        #expect(bench.take().isEmpty)
        bench.say(Self.publish(" HOME\r\n"))
        #expect(bench.take() == [.presence(.home)])
    }

    @Test("anything else is not known: no word, two, too long, no text, a command")
    func anythingElseIsNotKnown() {
        let rubbish: [[UInt8]] =
            [
                "", " ", "unknown", "unavailable", "Work", "nothome", "not_home not_home", "home\0", "ｈｏｍｅ",
                "no\u{212A}_home",
            ]
            .map { Array($0.utf8) } + [
                Array(#"{"action":"DISARM"}"#.utf8), [0xFF], Array("home".utf8) + [0xC3],
                [0xEF, 0xBB, 0xBF] + Array("home".utf8),
                [UInt8](repeating: 0x20, count: 61) + Array("home".utf8), [UInt8](repeating: 0x20, count: 200_000),
            ]
        for payload in rubbish {
            var bench = MQTTBench.ready(Self.settings)
            bench.say(Self.publish("not_home"))
            #expect(bench.take() == [.presence(.notHome)])
            bench.say(Self.publish(payload))
            #expect(bench.take() == [.presence(.unknown)], "\(payload.prefix(70))")
        }
        #expect(Presence(payload: [UInt8](repeating: 0x20, count: 60) + Array("home".utf8)) == .home)
    }

    @Test("when the connection ends, or is ended, it is not known any more", arguments: [true, false])
    func whenTheConnectionEnds(isStop: Bool) {
        var bench = MQTTBench.ready(Self.settings)
        bench.say(Self.publish("home"))
        #expect(bench.take() == [.presence(.home)])
        if isStop { bench.transport.stop(at: bench.now, into: &bench.actions) } else { bench.end() }
        #expect(bench.take().contains(.presence(.unknown)))
    }

    @Test("a broker that does not let us hear it is a problem; without the setting nothing is asked for or heard")
    func aBrokerThatDoesNotLetUsHearIt() throws {
        var bench = MQTTBench.ready(Self.settings)
        bench.say(.suback(id: 1, [1, 1, 0, 0x87]))
        let problem = try #require(bench.transport.health.problem)
        #expect(problem.description.contains("listen to house/presence, so it is not known whether anybody is at home"))
        #expect(bench.transport.health.isHealthy && problem.isInward)
        bench = MQTTBench.ready()
        bench.say(Self.publish("not_home"))
        #expect(bench.take().isEmpty)
    }
}
