import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// A service in the simulated network: its machine, its place, and the wires to the box.
struct WayHost: Sendable {
    let kind: WayKind
    let name: String
    let address: IPAddress
    /// Whether connections are encrypted from their beginning.
    let startsEncrypted: Bool
    var peer: any WayPeer
    var wires: [World.Wire] = []
    var isListening = true
    var timerAt: BootTime?
    /// The way there carries nothing before.
    var backAt = BootTime.zero
    /// A fault is on that ends by order only.
    var isFaulty = false
    /// The owner has taken it out of the configuration.
    var isTakenOut = false
    /// When it was put back in.
    var backInAt: BootTime?
    /// Connections that began plain and are encrypted now.
    var secured: [ConnectionID] = []
    /// When the last fault was over.
    var soundSince = BootTime.zero

    init(_ kind: WayKind, name: String, address: IPAddress, startsEncrypted: Bool = true, peer: any WayPeer) {
        self.kind = kind
        self.name = name
        self.address = address
        self.startsEncrypted = startsEncrypted
        self.peer = peer
    }

    /// Which ways the house has beside CCS.
    static func draw(_ wanted: [WayKind]?, from chance: inout Jitter) -> [HousePlan.Way] {
        var drawn: [WayKind] = []
        // A few houses have one way only.
        if chance.next() % 8 != 0 {
            for _ in 0..<2 {
                let kind = WayHost.kinds[Int(chance.next() % UInt64(WayHost.kinds.count))]
                if !drawn.contains(kind) { drawn.append(kind) }
            }
        }
        return (wanted ?? drawn).sorted().filter { $0 != .ccs }
            .map { HousePlan.Way(kind: $0, seed: chance.next()) }
    }

    private static let kinds: [WayKind] = [.ntfy, .fcm, .xmpp, .mqtt, .mail, .url, .program, .beanstalk]
    /// What the house's own addresses are told.
    private static let triggers: [EventType] = [.alarm, .fault, .recovery, .armed, .disarmed]

    /// Sets it up, and tells the box of it.
    static func build(_ way: HousePlan.Way, _ settings: inout PhoneSettings) -> WayHost? {
        let kind = way.kind
        let seed = way.seed
        let secret = Secret(World.mark + kind.rawValue)
        let name = "\(kind.rawValue).example"
        guard let address = IPAddress(bytes: [192, 0, 2, 30 + UInt8(kind.rank)]) else { return nil }
        switch kind {
        case .ntfy:
            let ntfy = NtfySettings(host: name, access: .token(secret))
            settings.ways.append(.ntfy(ntfy))
            settings.isTopicServerTrusted = true
            return WayHost(
                kind, name: name, address: address,
                peer: NtfyPeer(place: ntfy.place, token: secret, seed: seed))
        case .xmpp:
            guard let account = XMPPAddress(XMPPPeer.box) else { return nil }
            var xmpp = XMPPSettings(account: account, password: secret)
            let isDirect = seed % 2 == 0
            xmpp.isDirectTLS = isDirect
            settings.ways.append(.xmpp(xmpp))
            return WayHost(
                kind, name: name, address: address, startsEncrypted: isDirect,
                peer: XMPPPeer(password: secret, startsEncrypted: isDirect))
        case .mqtt:
            var mqtt = MQTTSettings(host: name, user: "box", password: secret, site: MQTTPeer.site)
            mqtt.protocolVersion = seed % 2 == 0 ? .v5 : .automatic
            settings.ways.append(.mqtt(mqtt))
            settings.houseVerbs.append(.init(way: .mqtt, allowed: [.arm, .disarm], code: MQTTPeer.code))
            tell(.broker, MQTTPeer.events, &settings)
            return WayHost(kind, name: name, address: address, peer: MQTTPeer(password: secret))
        case .mail:
            let isDirect = seed % 2 == 0
            let mail = MailSettings(
                host: name, port: isDirect ? 465 : 587, security: isDirect ? .tls : .startTLS, from: "box@mail.example",
                user: "box", password: secret)
            settings.ways.append(.mail(mail))
            tell(.mail, MailPeer.recipient, &settings)
            return WayHost(
                kind, name: name, address: address, startsEncrypted: isDirect,
                peer: MailPeer(password: secret, startsEncrypted: isDirect))
        case .url:
            guard let get = try? URLTarget(URLPeer.get, method: .get),
                let post = try? URLTarget(URLPeer.post, method: .post, secret: secret)
            else { return nil }
            settings.ways.append(.url(URLSettings(targets: [get, post])))
            tell(.url, URLPeer.get, &settings)
            tell(.url, URLPeer.post, &settings)
            return WayHost(kind, name: name, address: address, peer: URLPeer())
        case .program:
            settings.ways.append(.program(ProgramSettings(socket: ProgramPeer.socket)))
            tell(.program, ProgramPeer.name, &settings)
            return WayHost(kind, name: name, address: address, startsEncrypted: false, peer: ProgramPeer())
        case .beanstalk:
            let tubes = BeanstalkSettings(host: name, commandTubes: [BeanstalkPeer.commands])
            settings.ways.append(.beanstalk(tubes))
            settings.houseVerbs.append(.init(way: .beanstalk, allowed: [.arm]))
            tell(.tube, BeanstalkPeer.events, &settings)
            return WayHost(kind, name: name, address: address, startsEncrypted: false, peer: BeanstalkPeer())
        case .fcm:
            let file = JSON.object([
                "project_id": .string("house-1"), "client_email": .string("box@house-1.example"),
                "private_key_id": .string("1"), "token_uri": .string("https://\(name)/token"),
                "private_key": .string("-----BEGIN PRIVATE KEY-----\n\(secret.revealed)\n-----END PRIVATE KEY-----\n"),
            ])
            guard let account = try? ServiceAccount(parsing: file.utf8) else { return nil }
            var fcm = FCMSettings(account: account)
            fcm.host = name
            fcm.databaseURL = try? HTTPURL("https://\(name)\(FCMPeer.place)")
            settings.ways.append(.fcm(fcm))
            return WayHost(kind, name: name, address: address, peer: FCMPeer())
        case .ccs: return nil
        }
    }

    private static func tell(_ kind: HouseAddress.Kind, _ value: String, _ settings: inout PhoneSettings) {
        settings.house.append(.init(kind: kind, value: value, triggers: triggers))
    }

    /// Since when nothing is wrong with it; nil: something is.
    func sound(at now: BootTime) -> BootTime? { isFaulty || isTakenOut || backAt > now ? nil : max(soundSince, backAt) }
}
