package import AlarmModel

/// What the failover orders or tells.
package enum FailoverAction: Codable, Equatable, Sendable {
    /// Ask the name servers of this link; answered by `resolved`.
    case resolve(ResolveID, name: String, Link)
    /// Answered by `opened` or `openFailed`; nothing is sent over it.
    case open(ConnectionID, Endpoint, Link)
    /// Give it up, open or not; nothing that is heard of it later counts.
    case close(ConnectionID)
    /// From now on the names of this link are asked of these.
    case useNameServers([Endpoint], Link)
    /// Report changes of these interfaces, ascending, by `linksChanged`, and of no others.
    case watch(interfaces: [String])
    /// Report the facts of the watched interfaces now.
    case readLinks
    /// A modem link shall be connected, or not be.
    case modem(String, isWanted: Bool)
    /// Probes by the modem's data connection are answered again, or several in a row are not.
    case modemCarries(Bool)
    /// New connections take another link, those that stand move there; nil: no link is good.
    case switched(from: String?, to: String?, SwitchReason)
    /// The link lost these addresses: connections from one of them are to be opened anew.
    case renumbered(String, gone: [IPAddress])
    /// A link can no longer be used, or has not come up in time.
    case pathLost(String, PathProblem)
    case pathRestored(String)
    /// No link is good. They are all tried on.
    case allLost
    case someRestored
    /// Told once a month; the link is used on for what must go out, but is no longer kept ready.
    case budgetExceeded(String, used: UInt64, budget: UInt64)
    /// `usage` is worth storing.
    case usageChanged
}
