import AlarmModel
import Companion
import PhoneProtocol
import Platform
import Testing

/// A box and a phone that are paired.
struct PairedHouse {
    var box: ModelBox
    var phone: PairedPhone<SeededCrypto>
    var time = PhoneTime(uptime: 5_000_000, wall: 1_795_228_190)
    var actions: [PhoneAction] = []

    static let address = ContactAddress(kind: .fcmToken, value: "token-of-anna")
    static let server = RendezvousPlace(kind: .topicServer, place: "ntfy.sh")

    static func signers(presence: Bool = true) throws -> PhoneSigners {
        PhoneSigners(
            key1: try #require(OpenSSLSigner(ed25519Seed: [UInt8](0xA0..<0xC0))),
            key2: presence ? OpenSSLSigner.generateP256() : nil)
    }

    init(seed: UInt64 = 1, presence: Bool = true) throws {
        box = ModelBox(seed: seed)
        let signers = try Self.signers(presence: presence)
        #expect(box.vault.carryOut(.beginPairing(servers: [Self.server])) == .pairingReady(box.vault.pairingTopics))
        let code = try #require(box.vault.pairingText)
        var pairing = try PhonePairing(
            code: code.revealed, name: "Anna", addresses: [Self.address], signers: signers,
            crypto: SeededCrypto(seed: seed &+ 1), at: time)
        let heard = box.vault.carryOut(.handshake(frame: pairing.frame, siteName: "Home"))
        guard case .pairingHeard(let answer) = heard else { throw Unpaired() }
        pairing.received(answer.answer)
        guard case .digits(let digits, let site) = pairing.phase else { throw Unpaired() }
        #expect(site == "Home")
        guard case .confirmed(let id) = box.vault.carryOut(.confirm(Secret(digits))) else { throw Unpaired() }
        box.phone = id
        let (secrets, memory) = try #require(pairing.paired)
        let stored = try #require(PhoneSecrets(storage: secrets.storage))
        phone = PairedPhone(
            secrets: stored, memory: memory, crypto: SeededCrypto(seed: seed &+ 2), signers: signers)
    }

    struct Unpaired: Error {}

    /// What the phone wants to send, taken out of its actions.
    mutating func sent() -> [[UInt8]] {
        let envelopes = actions.compactMap { action in
            if case .send(let bytes) = action { bytes } else { nil }
        }
        actions = []
        return envelopes
    }

    mutating func phoneHears(_ envelope: [UInt8]) { phone.received(envelope, at: time, into: &actions) }

    /// Everything that the phone sends is answered at once, until nothing more is said.
    mutating func talk() {
        for _ in 0..<100 {
            let envelopes = sent()
            guard !envelopes.isEmpty else { return }
            for envelope in envelopes {
                for answer in box.heard(envelope) { phoneHears(answer) }
            }
        }
    }

    mutating func pass(seconds: Int64) {
        time.uptime += seconds * 1000
        time.wall += seconds
        box.up += seconds
        box.now += seconds
        phone.timerFired(at: time, into: &actions)
    }

    /// The box's first word, and the receipt for it.
    mutating func welcome() {
        guard case .object(let status) = box.statusContent() else { return }
        phoneHears(box.seal(.welcome, .object(status + [JSON.Member(key: "roles", value: "view")])))
        talk()
        box.receipts = []
    }

    mutating func meet() {
        phone.becameReachable(at: time, into: &actions)
        talk()
    }

    /// The newest command that reached the box.
    func lastCommand() throws -> PhoneCommand { try #require(box.commands.last?.0) }

    func outcome(_ id: CommandRecord.ID) -> CommandOutcome? {
        phone.memory.commands.first { $0.id == id }?.outcome
    }

    func row(_ number: Int, mark: String? = nil, state: String = "a=a;r=0;al=1;t=0;z=1;x=") -> ModelBox.Row {
        ModelBox.Row(raw: "6011\(number)", mark: mark, timestamp: box.now, state: state)
    }
}
