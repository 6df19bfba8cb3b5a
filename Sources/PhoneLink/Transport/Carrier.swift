import AlarmModel

/// Any of the transports, as a value that can be kept and recorded.
package enum Carrier: Codable, Hashable, Sendable {
    case ccs(CCSTransport)

    package init(_ settings: WaySettings, seed: UInt64) {
        switch settings {
        case .ccs(let settings): self = .ccs(CCSTransport(settings: settings, seed: seed))
        }
    }

    package var transport: any Transport {
        switch self {
        case .ccs(let transport): transport
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
        switch self {
        case .ccs(var transport):
            driven(&transport)
            self = .ccs(transport)
        }
    }
}

/// What the configuration says about one way.
package enum WaySettings: Codable, Hashable, Sendable {
    case ccs(CCSSettings)

    /// What addresses on the topic server begin with; nil for other ways.
    package var topicPlace: String? {
        switch self {
        case .ccs: nil
        }
    }

    package var kind: WayKind {
        switch self {
        case .ccs: .ccs
        }
    }
}
