/// Why a link cannot be used.
package enum PathProblem: Codable, Equatable, Sendable, CustomStringConvertible {
    /// The interface does not exist, or the modem has not said which it is.
    case absent
    case noCarrier
    case noAddress
    /// So many passes in a row found no target and no name server.
    case unanswered(passes: Int)
    /// Name servers answer, but no target: they may stand before the break, so this proves no path.
    case onlyNames
    /// No pass has succeeded yet.
    case notYetProven
    /// Its addresses went twice within a minute, and each time what was sent from there is lost.
    case unsteady

    package var description: String {
        switch self {
        case .absent: "the interface does not exist"
        case .noCarrier: "no carrier: cable, access point or radio"
        case .noAddress: "it has no address"
        case .unanswered(let passes): "\(passes) probes in a row were not answered"
        case .onlyNames: "names are answered, but no target can be reached"
        case .notYetProven: "no probe has been answered yet"
        case .unsteady: "its address changes again and again; look at the router, which gives it"
        }
    }
}

/// Why another link is used.
package enum SwitchReason: Codable, Equatable, Sendable, CustomStringConvertible {
    /// No link was in use before.
    case found
    /// The one in use was lost.
    case lost(PathProblem)
    /// A preferred one has been good for its hold time.
    case preferredIsGood
    /// The one in use is no longer configured.
    case removed

    package var description: String {
        switch self {
        case .found: "the first that is good"
        case .lost(let problem): problem.description
        case .preferredIsGood: "the preferred link is good again"
        case .removed: "it is no longer configured"
        }
    }
}
