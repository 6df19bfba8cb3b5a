import AlarmModel
import ApplianceCore
import Companion
import PhoneLink
import PhoneProtocol
import Platform
import Simulators
import Testing

/// Phones with an app of ours whose only way is a topic server: as the web app pairs (docs/pairing.md 3, 4 and 7).
@Suite("Paired phones on a topic server")
struct PhonesTopicTests {
    static let topic = "annasphonetopic"

    /// What the box has published on a topic as sealed bytes.
    static func sealed(_ bench: Bench, _ topic: String) -> [[UInt8]] {
        bench.topics.machine.texts(on: topic).compactMap { try? Base64URL.decode($0) }
    }

    static func post(_ bytes: [UInt8], to topic: String, _ bench: inout Bench) {
        for input in bench.topics.post(Base64URL.encode(bytes), to: topic, at: bench.now) { bench.feed(input) }
    }

    /// The phone, paired and not welcomed.
    static func pair(_ bench: inout Bench, topic: String = topic) throws -> PairedPhone<OpenSSLCrypto> {
        bench.ask(.phones(.pair(person: "Anna", roles: Bench.everything, noPresence: false)), as: 1)
        bench.advance(.seconds(1))
        let code = try #require(bench.push.vault.pairingText)
        let keys = try Bench.signers()
        let signers = PhoneSigners(key1: keys.key1, key2: keys.key2)
        var pairing = try PhonePairing(
            code: code.revealed, name: "Browser",
            addresses: [ContactAddress(kind: .topic, value: "192.0.2.9/\(topic)")],
            signers: signers, crypto: OpenSSLCrypto(), at: PhoneTime(uptime: 1, wall: 1))
        #expect(pairing.servers.map(\.place) == ["192.0.2.9"])
        post(pairing.frame, to: pairing.topicUp, &bench)
        bench.advance(.seconds(1))
        pairing.received(try #require(sealed(bench, pairing.topicDown).last))
        guard case .digits(let digits, _) = pairing.phase else { throw Bench.NotPaired() }
        bench.ask(.phones(.confirm(Secret(digits))), as: 2)
        bench.advance(.seconds(1))
        let paired = try #require(pairing.paired)
        return PairedPhone(secrets: paired.secrets, memory: paired.memory, crypto: OpenSSLCrypto(), signers: signers)
    }

    static func time(_ bench: Bench) -> PhoneTime {
        PhoneTime(uptime: bench.now.boot.nanoseconds / 1_000_000, wall: bench.now.wall.seconds)
    }

    /// The phone hears what is new on its topic, and what it says goes to its command topic.
    static func talk(
        _ phone: inout PairedPhone<OpenSSLCrypto>, _ taken: inout Set<[UInt8]>, _ bench: inout Bench,
        topic: String = topic
    ) {
        for _ in 0..<20 {
            var actions: [PhoneAction] = []
            for bytes in sealed(bench, topic) where taken.insert(bytes).inserted {
                phone.received(bytes, at: time(bench), into: &actions)
            }
            phone.timerFired(at: time(bench), into: &actions)
            for case .send(let bytes) in actions { post(bytes, to: topic + "--", &bench) }
            bench.advance(.milliseconds(250))
        }
    }

    @Test("the topic alone pairs a phone; it is welcomed there, told an alarm, and what it signs is done")
    func theTopicAlonePairsAPhone() throws {
        var bench = Bench.withTopics()
        var phone = try Self.pair(&bench)
        var taken: Set<[UInt8]> = []
        Self.talk(&phone, &taken, &bench)
        #expect(phone.memory.roles != nil)
        #expect(phone.memory.commandAddresses == "[{\"k\":\"1\",\"v\":\"192.0.2.9/\(Self.topic)--\"}]")
        bench.panel("6011003", "6541")
        bench.advance(.seconds(1))
        Self.talk(&phone, &taken, &bench)
        #expect(phone.memory.log.events.contains { $0.isAlarm && $0.zone == 3 })
        var actions: [PhoneAction] = []
        phone.prepareCommand(at: Self.time(bench), into: &actions)
        for case .send(let bytes) in actions { Self.post(bytes, to: Self.topic + "--", &bench) }
        Self.talk(&phone, &taken, &bench)
        actions = []
        _ = phone.give(.disarm(partition: 1), at: Self.time(bench), into: &actions)
        for case .send(let bytes) in actions { Self.post(bytes, to: Self.topic + "--", &bench) }
        Self.talk(&phone, &taken, &bench)
        #expect(bench.panelOrders.contains { $0.hasPrefix("040") })
    }

    @Test(
        "where a code has no room for all places the topic server gives way, and keeps its place where there is a web app"
    )
    func whereACodeHasNoRoomForAllPlaces() throws {
        func places(hasApp: Bool) throws -> [RendezvousPlace.Kind] {
            var configuration = try Bench.fcmConfiguration()
            guard case .fcm(var fcm) = configuration.phones.channels[0] else { throw Bench.NotPaired() }
            fcm.databaseURL = try HTTPURL("https://192.0.2.9:8443/commands-of-house-1")
            configuration.phones.channels = [.fcm(fcm), .ntfy(NtfySettings(host: "192.0.2.9"))]
            if hasApp { configuration.app = .init(url: try HTTPURL("https://app.test/")) }
            var bench = Bench.up(configuration)
            bench.advance(.seconds(1))
            let code = try bench.startPairing(as: 1)
            return try PairingText(parsing: code.revealed, OpenSSLCrypto()).servers.map(\.kind)
        }
        #expect(try places(hasApp: false) == [.database])
        #expect(try places(hasApp: true) == [.topicServer])
    }

    @Test("after a restart the box listens to the phone's command topic again; a revoked phone is not heard any more")
    func afterARestartTheBoxListensToThePhonesCommandTopic() throws {
        var bench = Bench.withTopics()
        var phone = try Self.pair(&bench)
        var taken: Set<[UInt8]> = []
        Self.talk(&phone, &taken, &bench)
        bench = bench.restarted()
        bench.advance(.seconds(10))
        #expect(bench.topics.machine.truth.streams == [Self.topic + "--"])
        let id = try #require(bench.push.book?.phones.first?.id)
        bench.ask(.phones(.revoke(phone: id.description)), as: 3)
        bench.advance(.seconds(1))
        #expect(bench.topics.machine.truth.streams == [])
    }

    @Test("what anybody posts on the topics is dropped; the pairing and the phone go on")
    func whatAnybodyPostsOnTheTopicsIsDropped() throws {
        var bench = Bench.withTopics()
        var phone = try Self.pair(&bench)
        var taken: Set<[UInt8]> = []
        Self.talk(&phone, &taken, &bench)
        let orders = bench.panelOrders.count
        let rubbish: [[UInt8]] = [
            [2], [2, 1], [2, 16], Array(repeating: 2, count: 256), [2, 1] + Array(repeating: 9, count: 200),
        ]
        for bytes in rubbish { Self.post(bytes, to: Self.topic + "--", &bench) }
        bench.advance(.seconds(5))
        #expect(bench.panelOrders.count == orders)
        bench.panel("6011003")
        bench.advance(.seconds(1))
        Self.talk(&phone, &taken, &bench)
        #expect(phone.memory.log.events.contains { $0.isAlarm })
    }
}
