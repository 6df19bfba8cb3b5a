package import AlarmModel

/// How the link to the service is.
package struct CCSReport: Codable, Hashable, Sendable {
    package var phase: TransportHealth.Phase
    package var phaseSince: WallTime
    package var problem: CCSProblem?
    package var problemSince: WallTime?
    /// The last answer to "can the server be reached?", apart from the account; nil when not known.
    package var isReachable: Bool?
    /// The last answer to "does it accept the account?"
    package var isAuthorized: Bool?
    /// Messages sent and not answered, on all connections.
    package var underWay: Int
    /// Old connections that are still read.
    package var draining: Int
    package var lastAccepted: WallTime?
    package var counters: CCSCounters
}

/// Since the start.
package struct CCSCounters: Codable, Hashable, Sendable {
    package var connections = 0
    package var drains = 0
    package var sent = 0
    package var accepted = 0
    package var refused = 0
    package var returned = 0
    package var receipts = 0
    package var upstream = 0
    package var malformed = 0
    private var rejected = [Int](repeating: 0, count: CCSRejection.allCases.count)

    package init() {}

    /// How many inputs of a kind meant nothing to us.
    package func rejected(_ kind: CCSRejection) -> Int { rejected[Self.index(of: kind)] }

    /// - Returns: the new count
    mutating func count(_ kind: CCSRejection) -> Int {
        let index = Self.index(of: kind)
        if rejected[index] < Int.max { rejected[index] += 1 }
        return rejected[index]
    }

    private static func index(of kind: CCSRejection) -> Int {
        switch kind {
        case .foreignStanza: 0
        case .notJSON: 1
        case .unknownType: 2
        case .unknownControl: 3
        case .missingField: 4
        case .strayAnswer: 5
        case .repeated: 6
        case .tooMany: 7
        }
    }
}
