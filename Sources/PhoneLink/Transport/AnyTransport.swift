import AlarmModel
package import PhoneProtocol

/// Any of the transports, as a value that can be compared and recorded.
package struct AnyTransport: Codable, Equatable, Sendable {
    package let kind: ChannelKind
    package var transport: any Transport

    private enum CodingKeys: String, CodingKey {
        case kind = "kind", transport = "transport"
    }

    package init(_ settings: ChannelSettings, seed: UInt64) {
        kind = settings.kind
        transport = settings.transport(seed: seed)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func transport<T: Transport>(_ type: T.Type) throws -> any Transport {
            try container.decode(type, forKey: .transport)
        }
        kind = try container.decode(ChannelKind.self, forKey: .kind)
        self.transport = try transport(kind.transport)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(transport, forKey: .transport)
    }

    package static func == (a: AnyTransport, b: AnyTransport) -> Bool {
        func isEqual<T: Transport>(_ transport: T) -> Bool { transport == b.transport as? T }
        return isEqual(a.transport)
    }

}

extension ChannelKind {
    fileprivate var transport: any Transport.Type {
        switch self {
        case .ntfy: NtfyTransport.self
        case .fcm: FCMTransport.self
        case .ccs: CCSTransport.self
        case .xmpp: XMPPTransport.self
        case .mqtt: MQTTTransport.self
        case .mail: MailTransport.self
        case .url: URLTransport.self
        case .program: ProgramTransport.self
        case .beanstalk: BeanstalkTransport.self
        case .webPush: WebPushTransport.self
        case .receiver: ReceiverTransport.self
        }
    }
}

/// What the configuration says about one channel.
package indirect enum ChannelSettings: Codable, Equatable, Sendable {
    case ntfy(NtfySettings)
    case ccs(CCSSettings)
    case fcm(FCMSettings)
    case xmpp(XMPPSettings)
    case mqtt(MQTTSettings)
    case mail(MailSettings)
    case url(URLSettings)
    case program(ProgramSettings)
    case beanstalk(BeanstalkSettings)
    case webPush(WebPushSettings)
    case receiver(ReceiverSettings)

    private enum CodingKeys: String, CodingKey {
        case ntfy = "ntfy", ccs = "ccs", fcm = "fcm", xmpp = "xmpp", mqtt = "mqtt", mail = "mail", url = "url",
            program = "program", beanstalk = "beanstalk", webPush = "web_push", receiver = "receiver"
    }

    /// Where a phone of ours and the box can meet for a pairing; nil where they cannot.
    package var rendezvous: RendezvousPlace? {
        switch self {
        case .fcm(let settings):
            settings.databaseURL.map { RendezvousPlace(kind: .database, place: $0.host + $0.target) }
        case .ccs(let settings): RendezvousPlace(kind: .ccsSender, place: settings.senderID)
        // A phone has no account there.
        case .ntfy(let settings):
            settings.isEncrypted && settings.access == .open
                ? RendezvousPlace(kind: .topicServer, place: settings.place) : nil
        case .xmpp, .mqtt, .mail, .url, .program, .beanstalk, .webPush, .receiver: nil
        }
    }

    /// What addresses on the topic server begin with; nil for other channels.
    package var topicPlace: String? { if case .ntfy(let ntfy) = self { ntfy.place } else { nil } }

    /// Whether the place that a phone names is one of this channel's; nil: another channel looks at it.
    package func takesPush(to address: String) -> WebPushSubscription? {
        guard case .webPush(let settings) = self, let subscription = try? WebPushSubscription(address),
            settings.takes(subscription.endpoint)
        else { return nil }
        return subscription
    }

    package var kind: ChannelKind {
        switch self {
        case .ntfy: .ntfy
        case .ccs: .ccs
        case .fcm: .fcm
        case .xmpp: .xmpp
        case .mqtt: .mqtt
        case .mail: .mail
        case .url: .url
        case .program: .program
        case .beanstalk: .beanstalk
        case .webPush: .webPush
        case .receiver: .receiver
        }
    }

    fileprivate func transport(seed: UInt64) -> any Transport {
        switch self {
        case .ntfy(let settings): NtfyTransport(settings: settings, seed: seed)
        case .ccs(let settings): CCSTransport(settings: settings, seed: seed)
        case .fcm(let settings): FCMTransport(settings: settings, seed: seed)
        case .xmpp(let settings): XMPPTransport(settings: settings, seed: seed)
        case .mqtt(let settings): MQTTTransport(settings: settings, seed: seed)
        case .mail(let settings): MailTransport(settings: settings, seed: seed)
        case .url(let settings): URLTransport(settings: settings, seed: seed)
        case .program(let settings): ProgramTransport(settings: settings, seed: seed)
        case .beanstalk(let settings): BeanstalkTransport(settings: settings, seed: seed)
        case .webPush(let settings): WebPushTransport(settings: settings, seed: seed)
        case .receiver(let settings): ReceiverTransport(settings: settings, seed: seed)
        }
    }
}
