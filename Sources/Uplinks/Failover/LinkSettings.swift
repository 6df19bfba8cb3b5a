package import AlarmModel

/// What a link is made of; it decides who brings it up.
package enum LinkKind: String, Codable, Equatable, Sendable, CaseIterable {
    case ethernet, wifi, modem
}

/// What is done with a link that is not in use.
package enum StandbyPolicy: String, Codable, Equatable, Sendable, CaseIterable {
    /// Connected and probed.
    case hot
    /// A modem stays connected; probed seldom.
    case warm
    /// Connected and probed only when it is needed.
    case cold
}

/// One configured link.
package struct LinkSettings: Codable, Equatable, Sendable {
    /// What the owner calls it, as "ethernet"; no two links have the same.
    package var name: String
    package var kind: LinkKind
    /// nil for a modem, whose interface is told by `modemInterface` once it is connected.
    package var interface: String?
    package var isMetered: Bool
    package var standby: StandbyPolicy
    /// Bytes a month in both directions; nil when there is none.
    package var budget: UInt64?
    /// Instead of those that the network told; empty: those.
    package var nameServers: [Endpoint]

    package init(
        name: String, kind: LinkKind, interface: String? = nil, isMetered: Bool = false,
        standby: StandbyPolicy = .hot, budget: UInt64? = nil, nameServers: [Endpoint] = []
    ) {
        self.name = name
        self.kind = kind
        self.interface = interface
        self.isMetered = isMetered
        self.standby = standby
        self.budget = budget
        self.nameServers = nameServers
    }
}
