/// Where a service of a domain is to be found: one SRV record (RFC 2782).
package struct ServiceRecord: Codable, Equatable, Sendable {
    /// Without the dot at its end; empty: the domain says that it does not have this service.
    package var target: String
    package var port: UInt16
    /// The lowest is tried first.
    package var priority: UInt16
    /// The share among those of the same priority.
    package var weight: UInt16

    package init(target: String, port: UInt16, priority: UInt16 = 0, weight: UInt16 = 0) {
        self.target = target
        self.port = port
        self.priority = priority
        self.weight = weight
    }

    /// Of one answer so many are looked at.
    package static let limit = 16
}

/// What the name servers say of a service.
package enum ServiceLookup: Codable, Equatable, Sendable {
    /// In the order of the answer; empty when there are none.
    case records([ServiceRecord])
    case failed(ResolveFailure)
}
