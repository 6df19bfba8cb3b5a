import AlarmModel
package import PhoneProtocol

/// Any of the transports, as a value that can be kept and recorded. In a box of its own: it is large, and the core often
/// passes on what holds it.
package indirect enum Carrier: Codable, Hashable, Sendable {
    case ntfy(NtfyTransport)
    case ccs(CCSTransport)
    case fcm(FCMTransport)
    case xmpp(XMPPTransport)
    case mqtt(MQTTTransport)
    case mail(MailTransport)
    case url(URLTransport)
    case program(ProgramTransport)
    case beanstalk(BeanstalkTransport)

    package init(_ settings: WaySettings, seed: UInt64) {
        switch settings {
        case .ntfy(let settings): self = .ntfy(NtfyTransport(settings: settings, seed: seed))
        case .ccs(let settings): self = .ccs(CCSTransport(settings: settings, seed: seed))
        case .fcm(let settings): self = .fcm(FCMTransport(settings: settings, seed: seed))
        case .xmpp(let settings): self = .xmpp(XMPPTransport(settings: settings, seed: seed))
        case .mqtt(let settings): self = .mqtt(MQTTTransport(settings: settings, seed: seed))
        case .mail(let settings): self = .mail(MailTransport(settings: settings, seed: seed))
        case .url(let settings): self = .url(URLTransport(settings: settings, seed: seed))
        case .program(let settings): self = .program(ProgramTransport(settings: settings, seed: seed))
        case .beanstalk(let settings): self = .beanstalk(BeanstalkTransport(settings: settings, seed: seed))
        }
    }

    package var transport: any Transport {
        switch self {
        case .ntfy(let transport): transport
        case .ccs(let transport): transport
        case .fcm(let transport): transport
        case .xmpp(let transport): transport
        case .mqtt(let transport): transport
        case .mail(let transport): transport
        case .url(let transport): transport
        case .program(let transport): transport
        case .beanstalk(let transport): transport
        }
    }

    /// Lets the transport act.
    package mutating func drive(
        into actions: inout [TransportAction], _ act: (inout any Transport, inout [TransportAction]) -> Void
    ) {
        func driven<T: Transport>(_ transport: inout T) {
            var any: any Transport = transport
            act(&any, &actions)
            if let same = any as? T { transport = same }
        }
        // Taken out while it acts: else all that it changes would be copied first.
        switch consume self {
        case .ntfy(var transport):
            driven(&transport)
            self = .ntfy(transport)
        case .ccs(var transport):
            driven(&transport)
            self = .ccs(transport)
        case .fcm(var transport):
            driven(&transport)
            self = .fcm(transport)
        case .xmpp(var transport):
            driven(&transport)
            self = .xmpp(transport)
        case .mqtt(var transport):
            driven(&transport)
            self = .mqtt(transport)
        case .mail(var transport):
            driven(&transport)
            self = .mail(transport)
        case .url(var transport):
            driven(&transport)
            self = .url(transport)
        case .program(var transport):
            driven(&transport)
            self = .program(transport)
        case .beanstalk(var transport):
            driven(&transport)
            self = .beanstalk(transport)
        }
    }
}

/// What the configuration says about one way.
package indirect enum WaySettings: Codable, Hashable, Sendable {
    case ntfy(NtfySettings)
    case ccs(CCSSettings)
    case fcm(FCMSettings)
    case xmpp(XMPPSettings)
    case mqtt(MQTTSettings)
    case mail(MailSettings)
    case url(URLSettings)
    case program(ProgramSettings)
    case beanstalk(BeanstalkSettings)

    private enum CodingKeys: String, CodingKey {
        case ntfy = "ntfy", ccs = "ccs", fcm = "fcm", xmpp = "xmpp", mqtt = "mqtt", mail = "mail", url = "url",
            program = "program", beanstalk = "beanstalk"
    }

    /// Where a phone of ours and the box can meet for a pairing; nil where they cannot.
    package var rendezvous: RendezvousPlace? {
        switch self {
        case .fcm(let settings):
            settings.databaseURL.map { RendezvousPlace(kind: .database, place: $0.host + $0.target) }
        case .ccs(let settings): RendezvousPlace(kind: .ccsSender, place: settings.senderID)
        case .ntfy, .xmpp, .mqtt, .mail, .url, .program, .beanstalk: nil
        }
    }

    /// What addresses on the topic server begin with; nil for other ways.
    package var topicPlace: String? {
        switch self {
        case .ntfy(let ntfy): ntfy.place
        case .ccs, .fcm, .xmpp, .mqtt, .mail, .url, .program, .beanstalk: nil
        }
    }

    package var kind: WayKind {
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
        }
    }
}
