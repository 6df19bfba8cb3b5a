import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Commands of the broker")
struct MQTTCommandTests {
    static let set = "howalarming/home/partition/1/set"

    @Test("a command comes up once and is acknowledged when it has been dealt with")
    func aCommandComesUpOnceAndIsAcknowledgedWhenItHasBeenDealtWith() {
        var bench = MQTTBench.ready()
        let publish = MQTTPublish(topic: Self.set, payload: Array(#"{"action":"ARM_AWAY"}"#.utf8), id: 77)
        bench.say(.publish(publish))
        #expect(bench.packets().isEmpty)
        guard case .inbound(let message)? = bench.take().first else {
            Issue.record("no command came up")
            return
        }
        #expect(message.channel == .mqtt)
        #expect(message.from == Self.set)
        #expect(message.body == .text(#"{"action":"ARM_AWAY"}"#))
        bench.transport.acknowledge(message, at: bench.now, into: &bench.actions)
        #expect(bench.packets() == [.puback(MQTTAnswer(id: 77))])
        bench.transport.acknowledge(message, at: bench.now, into: &bench.actions)
        #expect(bench.packets().isEmpty)

        bench.say(.publish(publish))
        guard case .inbound(let second)? = bench.take().first else { return }
        #expect(second.id != message.id)
    }

    @Test("a broker that does not let us hear commands is a problem until it does, over a new connection, too")
    func aBrokerThatDoesNotLetUsHearCommandsIsAProblemUntilItDoes() throws {
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

    @Test("commands that were kept, repeated, are too long, no text or for nothing of ours are not obeyed")
    func commandsThatWereKept() {
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
}
