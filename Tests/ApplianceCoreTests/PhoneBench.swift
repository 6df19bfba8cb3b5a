import AlarmModel
import ApplianceCore
import Companion
import PhoneProtocol
import Platform
import Testing

/// A phone that says what a test wants. Its pairing is Companion's; after that it holds nothing back.
struct TestPhone {
    var channel: PhoneChannel
    var key1: OpenSSLSigner
    var key2: OpenSSLSigner?
    var token: String
    var counter: UInt64 = 0
    var id: PhoneID { channel.phone }
    static let crypto = OpenSSLCrypto()
}

/// The bench with a push account and phones.
extension Bench {
    static let everything: Roles = [.view, .arm, .disarm, .bypass, .panic, .admin]
    static let apiKey = "AIzaVerySecretKey"

    static func phoneConfiguration(_ change: (inout PhoneSettings) -> Void = { _ in }) -> Configuration {
        var configuration = configuration()
        configuration.phones = PhoneSettings(
            account: .init(senderID: "123456789012", apiKey: Secret(apiKey)), host: "192.0.2.9")
        change(&configuration.phones)
        return configuration
    }

    /// Running, panel and push service reached.
    static func withPush(_ change: (inout PhoneSettings) -> Void = { _ in }) -> Bench {
        var bench = Bench.up(phoneConfiguration(change))
        bench.advance(.seconds(10))
        return bench
    }

    /// With one phone that may do everything and was greeted; nothing waits.
    static func paired(
        roles: Roles = everything, noPresence: Bool = false, presence: Bool = true,
        _ change: (inout PhoneSettings) -> Void = { _ in }
    ) throws -> (Bench, TestPhone) {
        var bench = withPush(change)
        let phone = try bench.pair(roles: roles, noPresence: noPresence, presence: presence)
        bench.advance(.minutes(2))
        return (bench, phone)
    }

    mutating func startPairing(
        _ person: String = "Anna", roles: Roles? = everything, noPresence: Bool = false, as client: UInt64
    ) throws -> Secret {
        ask(.phones(.pair(person: person, roles: roles, noPresence: noPresence)), as: client)
        return try #require(push.vault.pairingText)
    }

    /// A phone that has read the code.
    func handshake(
        _ code: Secret, name: String = "Pixel", token: String = "token-of-anna", signers: PhoneSigners
    ) throws -> PhonePairing<OpenSSLCrypto> {
        try PhonePairing(
            code: code.revealed, name: name, addresses: [ContactAddress(kind: .fcmToken, value: token)],
            signers: signers, crypto: OpenSSLCrypto(), at: PhoneTime(uptime: 1, wall: 1))
    }

    static func signers(presence: Bool = true) throws -> (key1: OpenSSLSigner, key2: OpenSSLSigner?) {
        var crypto = OpenSSLCrypto()
        let key1 = try #require(OpenSSLSigner(ed25519Seed: crypto.random(32)))
        return (key1, presence ? OpenSSLSigner.generateP256() : nil)
    }

    /// The whole way from the order at the box to the phone that has answered its welcome.
    mutating func pair(
        _ name: String = "Pixel", person: String = "Anna", roles: Roles? = everything, noPresence: Bool = false,
        presence: Bool = true, token: String = "token-of-anna", answers: Bool = true
    ) throws -> TestPhone {
        let client = UInt64(500 + replies.count)
        let code = try startPairing(person, roles: roles, noPresence: noPresence, as: client)
        let keys = try Self.signers(presence: presence)
        var pairing = try handshake(
            code, name: name, token: token, signers: PhoneSigners(key1: keys.key1, key2: keys.key2))
        inbound(from: token, pairing.frame)
        pairing.received(try #require(push.server.pushes.last { $0.to == token }?.bytes))
        guard case .digits(let digits, _) = pairing.phase else { throw NotPaired() }
        ask(.phones(.confirm(Secret(digits))), as: client + 1)
        let secrets = try #require(pairing.paired?.secrets)
        let phone = TestPhone(
            channel: try PhoneChannel(bytes: secrets.storage), key1: keys.key1, key2: keys.key2, token: token)
        advance(.milliseconds(10))
        if answers { request(phone, "got", ["seq": "0"]) }
        return phone
    }

    struct NotPaired: Error {}

    // MARK: Upstream

    mutating func inbound(from token: String, _ data: JSON, id: String? = nil) {
        push.sentInbound += 1
        for input in push.server.inbound(id ?? "up-\(push.sentInbound)", from: token, data) { feed(input) }
    }

    mutating func inbound(from token: String, _ bytes: [UInt8]) {
        let members = PhoneWire.inbound(bytes).map { JSON.Member(key: $0.key, value: .string($0.value)) }
        inbound(from: token, .object(members))
    }

    @discardableResult
    mutating func request(
        _ phone: TestPhone, _ verb: String, _ arguments: KeyValuePairs<String, String> = [:], rid: [UInt8]? = nil
    ) -> [UInt8] {
        var crypto = OpenSSLCrypto()
        let rid = rid ?? crypto.random(8)
        let request = PhoneRequest(verb: verb, rid: rid, arguments: Arguments(arguments))
        guard let bytes = try? phone.channel.seal(request, &crypto) else { return rid }
        inbound(from: phone.token, bytes)
        return rid
    }

    /// A challenge for this phone, made now.
    mutating func challenge(for phone: TestPhone) throws -> [UInt8] {
        let rid = request(phone, "snapshot")
        let text = heard(phone).last { $0.rid == rid }?.content["ch"]?.stringValue
        return try Base64URL.decode(try #require(text))
    }

    /// The sealed bytes of a command with everything of the tester's choice.
    func sealed(
        _ phone: TestPhone, _ command: PhoneCommand, signer: OpenSSLSigner? = nil
    ) throws -> [UInt8] {
        var crypto = OpenSSLCrypto()
        let signer = try #require(signer ?? (command.key == 2 ? phone.key2 : phone.key1))
        return try phone.channel.seal(command, signer: signer, &crypto)
    }

    /// Signs and sends a command with a fresh challenge; returns its bytes.
    @discardableResult
    mutating func command(
        _ phone: inout TestPhone, _ verb: String, _ arguments: KeyValuePairs<String, String> = [:],
        condition: KeyValuePairs<String, String> = [:], key: UInt8? = nil, freshness: PhoneCommand.Freshness? = nil
    ) throws -> [UInt8] {
        let freshness = try freshness ?? .challenge(challenge(for: phone))
        phone.counter += 1
        let key = key ?? (["disarm", "bypass", "output", "suspend"].contains(verb) ? 2 : 1)
        let bytes = try sealed(
            phone,
            PhoneCommand(
                key: key, counter: phone.counter, freshness: freshness, verb: verb, arguments: Arguments(arguments),
                condition: Arguments(condition)))
        inbound(from: phone.token, bytes)
        settle()
        return bytes
    }

    // MARK: Downstream

    /// What came to the phone and could be opened, in the order of the wire.
    func heard(_ phone: TestPhone, since: Int = 0) -> [BoxMessage] {
        let crypto = OpenSSLCrypto()
        return push.server.pushes.dropFirst(since).compactMap { push in
            push.bytes.flatMap { try? phone.channel.open($0, crypto) }
        }
    }

    func results(_ phone: TestPhone) -> [JSON] { heard(phone).filter { $0.kind == .result }.map(\.content) }

    /// `ok`, `denied key` …, of the newest result.
    func lastWord(_ phone: TestPhone) -> String? { results(phone).last.map(Self.word) }

    static func word(_ result: JSON) -> String {
        [result["out"]?.stringValue, result["why"]?.stringValue].compactMap { $0 }.joined(separator: " ")
    }

    func eventsHeard(_ phone: TestPhone, since: Int = 0) -> [JSON] {
        heard(phone, since: since).filter { $0.kind == .event }.map(\.content)
    }

    /// Lines to the panel that arm, disarm …: everything but log-in, polls and reports.
    var panelOrders: [String] {
        history.compactMap { effect in
            guard case .send(let id, let bytes) = effect, !PushWorld.owns(id) else { return nil }
            let line = String(decoding: bytes.dropLast(4), as: UTF8.self)
            return ["000", "001", "005", "010", "200"].contains(String(line.prefix(3))) ? nil : line
        }
    }

    func messages(_ code: EventCode) -> [String] { events(code).map(\.message) }

    func hasEvent(_ part: String) -> Bool { stored.contains { $0.event.message.contains(part) } }

    // MARK: Life

    /// The process ends like a pulled plug and starts again on the same disk.
    func restarted(on disk: DiskMode = .answers, _ change: (inout Start) -> Void = { _ in }) -> Bench {
        var next = Bench(configuration)
        next.disk = disk
        next.now = now
        next.stored = stored
        next.duress = duress
        next.ledger = ledger
        next.snapshot = snapshot
        next.push = push.afterRestart()
        next.net = net
        next.ups = ups
        next.receiver = receiver
        next.window = window
        next.failsMessages = failsMessages
        next.failingOutboxReads = failingOutboxReads
        let open = ledger.filter { row in
            row.outcome == nil && !ledger.contains { $0.command == row.command && $0.outcome != nil }
        }
        next.start(configuration) { start in
            start.bootMark = "0000cafe"
            start.snapshot = snapshot
            start.lastSequence = lastSequence
            start.newestEvent = stored.last?.event.time
            start.oldestSequence = SequenceNumber(1)
            start.unfinished = open
            start.lastCommand = ledger.map(\.command).max()
            let digits = String(push.log, radix: 16)
            start.log = String(repeating: "0", count: 8 - digits.count) + digits
            start.phoneBook = push.book ?? PhoneBook()
            start.phoneCounters = push.counters
            start.outboxCounts = push.counts
            change(&start)
        }
        return next
    }
}
