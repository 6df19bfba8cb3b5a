import AlarmModel
import ApplianceCore
import Companion
import PhoneLink
import PhoneProtocol
import Platform
import Simulators
import Testing

/// FCM's web services as the core's tests look at them: sign-in, messages, and the database for what comes back.
typealias FCMServer = Served<FCMSimulator>

extension FCMServer {
    static var port: UInt16 { 8443 }

    init() { self.init(FCMSimulator(), at: Self.port) }

    /// The bytes under `e` of what was sent, in order.
    var envelopes: [[UInt8]] {
        sent.compactMap { $0["message"]?["data"]?["e"]?.stringValue.flatMap { PhoneWire.bytes($0) } }
    }

    /// Messages that were taken, newest last.
    var sent: [JSON] { machine.sent }
    /// What the database holds.
    var nodes: [JSON] { machine.truth["nodes"]?.arrayValue ?? [] }

    mutating func put(_ bytes: [UInt8], key: String, at now: Moment) -> [Input] {
        let members = PhoneWire.inbound(bytes).map { JSON.Member(key: $0.key, value: .string($0.value)) }
        return perform(.put(place: "cmd", key: key, .object(members)), at: now)
    }

    mutating func perform(_ stimulus: FCMStimulus, at now: Moment) -> [Input] {
        act(at: now) { $0.perform(stimulus, at: now, into: &$1) }
    }
}

extension Bench {
    static func fcmConfiguration(at host: String = "192.0.2.9") throws -> Configuration {
        let file = JSON.object([
            "type": .string("service_account"), "project_id": .string("house-1"), "private_key_id": .string("k1"),
            "private_key": .string("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"),
            "client_email": .string("box@house-1.example"),
            "token_uri": .string("https://\(host):\(FCMServer.port)/token"),
        ])
        var settings = FCMSettings(
            account: try ServiceAccount(parsing: Array(file.text.utf8)),
            databaseURL: try HTTPURL("https://\(host):\(FCMServer.port)/cmd"))
        settings.host = host
        settings.port = FCMServer.port
        var configuration = configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = [.fcm(settings)]
        return configuration
    }

    mutating func database(_ stimulus: FCMStimulus) {
        for input in fcm.perform(stimulus, at: now) { feed(input) }
    }

    /// An envelope or a frame of a phone.
    mutating func database(_ bytes: [UInt8], key: String) {
        for input in fcm.put(bytes, key: key, at: now) { feed(input) }
    }

    /// The whole way of a pairing through the database.
    mutating func pairByDatabase() throws -> PhoneChannel {
        let code = try startPairing(as: 70)
        let keys = try Self.signers()
        var pairing = try handshake(code, signers: PhoneSigners(key1: keys.key1, key2: keys.key2))
        database(pairing.frame, key: "a1")
        advance(.seconds(2))
        pairing.received(try #require(fcm.envelopes.last))
        guard case .digits(let digits, _) = pairing.phase else { throw NotPaired() }
        ask(.phones(.confirm(Secret(digits))), as: 71)
        advance(.seconds(2))
        let secrets = try #require(pairing.paired?.secrets)
        return try PhoneChannel(bytes: secrets.storage)
    }
}

@Suite("A phone over FCM's web services")
struct FCMServerTests {
    @Test("a phone pairs through the database, gets a sealed alarm, and is obeyed")
    func aPhonePairsThroughTheDatabase() throws {
        var bench = Bench.up(try Bench.fcmConfiguration())
        bench.advance(.seconds(10))
        let channel = try bench.pairByDatabase()
        func opened(_ bytes: [UInt8]) -> BoxMessage? { try? channel.open(bytes, TestPhone.crypto) }
        #expect(bench.fcm.envelopes.compactMap(opened).last?.kind == .welcome)

        bench.panel("6011003")
        bench.advance(.seconds(2))
        let alarm = bench.fcm.envelopes.compactMap(opened).last { $0.kind == .event }
        #expect(alarm?.content["code"] == .string("601"))

        var crypto = TestPhone.crypto
        let request = PhoneRequest(verb: "snapshot", rid: crypto.random(8), arguments: Arguments())
        let sealed = try channel.seal(request, &crypto)
        bench.database(sealed, key: "a2")
        bench.advance(.seconds(2))
        #expect(bench.fcm.envelopes.compactMap(opened).last { $0.rid == request.rid }?.kind == .status)
    }
}
