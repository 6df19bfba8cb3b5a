import AlarmModel
import Companion
import PhoneProtocol
import Simulators

/// A phone of the simulated house. It may be off or restarted; what it has stored it never loses.
struct HousePhone: Sendable {
    let name: String
    let person: String
    let kind: PushClient.Kind
    var app: VirtualPhone<ToyCrypto>
    var token: String
    var isOn = true
    var timerAt: BootTime?
    /// As of the last `Action.store`.
    private(set) var stored: (secrets: PhoneSecrets, memory: PhoneMemory)?
    private(set) var restarts: UInt64 = 0
    let seed: UInt64
    /// How it lives by the topic server; nil: by the push service.
    var topics: TopicLife?

    init(name: String, person: String, kind: PushClient.Kind, seed: UInt64, topics: TopicLife? = nil) {
        self.name = name
        self.person = person
        self.kind = kind
        self.seed = seed
        self.topics = topics
        token = topics?.topic ?? "token-of-\(name)"
        app = VirtualPhone(
            token: token, addressKind: topics == nil ? .fcmToken : .topic, name: name, signers: Self.signers(seed),
            crypto: ToyCrypto(seed: seed), stored: nil)
    }

    private static let all: [(name: String, person: String, kind: PushClient.Kind)] = [
        ("Annas iPhone", "Anna", .ios), ("Bens iPhone", World.contact, .ios), ("Annas tablet", "Anna", .android),
        ("Claras phone", "Clara", .android), ("Bens old phone", World.contact, .android),
    ]

    /// One to five phones of one to three people.
    static func household(seed: UInt64) -> [(name: String, person: String, kind: PushClient.Kind)] {
        var chance = Jitter(seed: seed ^ 0x63_72_6F_77_64)
        return Array(all.prefix(Int(chance.next() % UInt64(all.count)) + 1))
    }

    init(_ plan: HousePlan.PhoneOfHouse, _ topics: HousePlan.Topics?) {
        let known = Self.all[min(max(0, plan.place), Self.all.count - 1)]
        let life = topics.map {
            TopicLife(topic: TopicLife.topic(plan), takesPushes: $0.browsers.contains(plan.place))
        }
        self.init(name: known.name, person: known.person, kind: known.kind, seed: plan.seed, topics: life)
    }

    /// How the box names it; nil before its first pairing.
    var id: PhoneID? { app.phone?.secrets.flatMap { PhoneID($0.phone) } }

    func isPaired(in shelf: PhoneShelf) -> Bool {
        guard let id, let phone = shelf.book?.phone(id) else { return false }
        return phone.addresses.contains { address in
            if case .gone = address.state { false } else { true }
        }
    }

    /// Whether the box sends to its browser; nil: it takes no pushes.
    func takesPushes(in shelf: PhoneShelf) -> Bool? {
        guard let topics, topics.takesPushes else { return nil }
        let addresses = id.flatMap { shelf.book?.phone($0) }?.addresses ?? []
        return addresses.contains { $0.value == topics.subscription?.text && $0.state == .inUse }
    }

    /// What it has is kept over its restarts.
    mutating func store() {
        if let paired = app.phone, let secrets = paired.secrets { stored = (secrets, paired.memory) }
    }

    mutating func restart() {
        restarts += 1
        app = VirtualPhone(
            token: token, addressKind: topics == nil ? .fcmToken : .topic, name: name, signers: Self.signers(seed),
            crypto: ToyCrypto(seed: seed &+ restarts << 32), stored: stored)
        topics?.open()
        timerAt = nil
    }

    private static func signers(_ seed: UInt64) -> PhoneSigners {
        PhoneSigners(key1: ToySigner(seed: seed &+ 1), key2: ToySigner(seed: seed &+ 2))
    }
}

/// A pairing as somebody at the box goes through it.
struct PairingAffair: Sendable {
    var phone: Int
    var client: ConnectionID
    var since: BootTime
    var isHeard = false
    var confirmedAt: BootTime?
    var hasMistyped = false
}
