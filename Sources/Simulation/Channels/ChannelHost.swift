import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// A service in the simulated network: its machine, its place, and the wires to the box.
///
/// Guarantees: on a wire nothing arrives before what was sent before; the service acts when it is due and once for each
/// time; since when nothing is wrong with it is known.
struct ChannelHost: Sendable {
    let kind: ChannelKind
    let name: String
    let address: IPAddress
    /// Whether connections are encrypted from their beginning.
    let startsEncrypted: Bool
    var peer: any ChannelPeer
    var wires: [SimulatedWire] = []
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

    init(_ kind: ChannelKind, name: String, address: IPAddress, startsEncrypted: Bool = true, peer: any ChannelPeer) {
        self.kind = kind
        self.name = name
        self.address = address
        self.startsEncrypted = startsEncrypted
        self.peer = peer
    }

    /// Which channels the house has: something that carries sealed phones, and one or two more of nine. A list that
    /// is given gets CCS where it names nothing that carries them.
    static func draw(_ wanted: [ChannelKind]?, from chance: inout Jitter) -> [HousePlan.Channel] {
        let first = chance.next()
        // A few houses have two only.
        let more = first % 8 == 0 ? [] : [chance.next(), chance.next()]
        var drawn = wanted ?? [carriers[Int(first >> 3 & 1)]]
        func add(_ draw: UInt64) {
            let kind = ChannelKind.drawn[Int(draw % UInt64(ChannelKind.drawn.count))]
            if !drawn.contains(kind) { drawn.append(kind) }
        }
        if wanted == nil {
            for draw in more { add(draw) }
            while drawn.count < 2 { add(chance.next()) }
        } else if !drawn.contains(where: carriers.contains) {
            drawn.append(.ccs)
        }
        return drawn.sorted().map { HousePlan.Channel(kind: $0, seed: $0 == .ccs ? 0 : chance.next()) }
    }

    /// What phones with sealed messages are reached by.
    static let carriers: [ChannelKind] = [.ccs, .fcm]
    /// What the house's own addresses are told.
    private static let triggers: [EventType] = [.alarm, .fault, .recovery, .armed, .disarmed]

    /// Sets it up, and tells the box of it.
    ///
    /// - Parameter isOpen: anybody may use the topic server
    static func build(
        _ channel: HousePlan.Channel, isOpen: Bool, _ settings: inout PhoneSettings
    ) -> ChannelHost? {
        let kind = channel.kind
        let seed = channel.seed
        let secret = Secret(ChannelChecks.secretMark + kind.rawValue)
        let name = "\(kind.rawValue).example"
        guard let address = IPAddress(bytes: [192, 0, 2, 30 + UInt8(kind.rank)]) else { return nil }
        switch kind {
        case .ntfy:
            let ntfy = NtfySettings(host: name, access: isOpen ? .open : .token(secret))
            settings.channels.append(.ntfy(ntfy))
            settings.isTopicServerTrusted = true
            var server = NtfyServerSettings()
            if !isOpen {
                server.accounts = [.init(token: secret, grants: [.init("*", mayRead: true, mayWrite: true)])]
            }
            server.baseURL = "https://\(ntfy.place)"
            return ChannelHost(kind, name: name, address: address, peer: NtfySimulator(settings: server, seed: seed))
        case .xmpp:
            guard let account = XMPPAddress(XMPPPeer.box) else { return nil }
            var xmpp = XMPPSettings(account: account, password: secret)
            let isDirect = seed % 2 == 0
            xmpp.isDirectTLS = isDirect
            settings.channels.append(.xmpp(xmpp))
            return ChannelHost(
                kind, name: name, address: address, startsEncrypted: isDirect,
                peer: XMPPPeer(password: secret, startsEncrypted: isDirect))
        case .mqtt:
            var mqtt = MQTTSettings(host: name, user: "box", password: secret, site: MQTTPeer.site)
            mqtt.protocolVersion = seed % 2 == 0 ? .v5 : .automatic
            settings.channels.append(.mqtt(mqtt))
            settings.houseVerbs.append(.init(channel: .mqtt, allowed: [.arm, .disarm], code: MQTTPeer.code))
            tell(.broker, MQTTPeer.events, &settings)
            return ChannelHost(kind, name: name, address: address, peer: MQTTPeer(password: secret))
        case .mail:
            let isDirect = seed % 2 == 0
            let mail = MailSettings(
                host: name, port: isDirect ? 465 : 587, security: isDirect ? .tls : .startTLS, from: "box@mail.example",
                user: "box", password: secret)
            settings.channels.append(.mail(mail))
            tell(.mail, MailPeer.recipient, &settings)
            return ChannelHost(
                kind, name: name, address: address, startsEncrypted: isDirect,
                peer: MailPeer(password: secret, startsEncrypted: isDirect))
        case .url:
            guard let get = try? URLTarget(WebPeer.get, method: .get),
                let post = try? URLTarget(WebPeer.post, method: .post, secret: secret)
            else { return nil }
            settings.channels.append(.url(URLSettings(targets: [get, post])))
            tell(.url, WebPeer.get, &settings)
            tell(.url, WebPeer.post, &settings)
            return ChannelHost(kind, name: name, address: address, peer: WebPeer(isHook: true))
        case .program:
            settings.channels.append(.program(ProgramSettings(socket: ProgramPeer.socket)))
            tell(.program, ProgramPeer.name, &settings)
            return ChannelHost(kind, name: name, address: address, startsEncrypted: false, peer: ProgramPeer())
        case .beanstalk:
            let tubes = BeanstalkSettings(host: name, commandTubes: [BeanstalkPeer.commands])
            settings.channels.append(.beanstalk(tubes))
            settings.houseVerbs.append(.init(channel: .beanstalk, allowed: [.arm]))
            tell(.tube, BeanstalkPeer.events, &settings)
            return ChannelHost(kind, name: name, address: address, startsEncrypted: false, peer: BeanstalkPeer())
        case .fcm:
            let file = JSON.object([
                "project_id": .string("house-1"), "client_email": .string("box@house-1.example"),
                "private_key_id": .string("1"), "token_uri": .string("https://\(name)/token"),
                "private_key": .string("-----BEGIN PRIVATE KEY-----\n\(secret.revealed)\n-----END PRIVATE KEY-----\n"),
            ])
            guard let account = try? ServiceAccount(parsing: file.utf8) else { return nil }
            var fcm = FCMSettings(account: account)
            fcm.host = name
            fcm.databaseURL = try? HTTPURL("https://\(name)\(FCMSimulator.place)")
            settings.channels.append(.fcm(fcm))
            return ChannelHost(kind, name: name, address: address, peer: FCMSimulator())
        case .webPush:
            // One of those that the box knows by itself.
            let host = "updates.push.services.mozilla.com"
            settings.channels.append(.webPush(WebPushSettings(contact: "mailto:anna@house.example")))
            var service = WebPushServerSettings(verifies: ToyCrypto.verifiesPush)
            service.origin = "https://\(host)"
            return ChannelHost(
                kind, name: host, address: address, peer: WebPushSimulator(settings: service, seed: seed))
        case .receiver:
            var receiver = ReceiverSettings(host: name, port: 9999, account: ReceiverPeer.account)
            receiver.line = 1
            settings.channels.append(.receiver(receiver))
            settings.house.append(
                .init(
                    kind: .receiver, value: ReceiverPeer.account, triggers: triggers, goesByOwnType: true))
            return ChannelHost(kind, name: name, address: address, startsEncrypted: false, peer: ReceiverPeer())
        case .ccs: return nil
        }
    }

    private static func tell(_ kind: HouseAddress.Kind, _ value: String, _ settings: inout PhoneSettings) {
        settings.house.append(.init(kind: kind, value: value, triggers: triggers))
    }
}

extension ChannelKind {
    /// Channels that any house may draw. Browsers' pushes come with phones that live by a topic server
    /// (`HousePlan.Topics`), a receiver with alarms that are compared with what happened: what seeds draw stays as it was.
    static let drawn = allCases.filter { $0 != .webPush && $0 != .receiver }
}
