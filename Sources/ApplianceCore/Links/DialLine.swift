import AlarmModel
import PhoneLink
import Uplinks

/// One of a channel's connections: how it comes about.
struct DialLine: Codable, Hashable, Sendable {
    var owner: LineOwner
    var slot: DialSlot
    var dialer: Dialer
    /// Its connections and questions are numbered by it.
    var number: UInt64
    var target: DialTarget
    /// Connected, and proving who it is.
    var securing: ConnectionID?
    /// A local socket that is being opened.
    var openingLocal: ConnectionID?
    var nextLocal: UInt64 = 0
    /// Those of the present or last dial, in turn.
    var triedLinks: [Link] = []
    /// Connections that stand, and the links they go by.
    var standing: [Standing] = []
    /// By which link a connection opened that could not be encrypted afterwards: the next begins with another.
    var unsecured: Link?
    /// Before, no other link is tried for such a reason; each try costs a metered one some kilobytes.
    var detourAt = BootTime.zero
    var detourPause = Self.firstDetourPause

    struct Standing: Codable, Hashable, Sendable {
        var connection: ConnectionID
        var link: Link
        var since: BootTime
    }

    /// What it leads to is in the house or on this machine, and not to be looked for by another link.
    var isInHouse: Bool { target.isLocalSocket || owner.isInHouse || HouseName.isInHouse(target.host) }

    /// Doubled with each detour on which nothing was secured either, for then it is the server that is wrong.
    static let firstDetourPause = Duration.seconds(30)
    static let longestDetourPause = Duration.minutes(10)

    init(_ owner: LineOwner, _ slot: DialSlot, number: UInt64, target: DialTarget) {
        self.owner = owner
        self.slot = slot
        self.number = number
        self.target = target
        let first = ConnectionOwner.firstConnection(ofLine: number)
        dialer = Dialer(firstConnection: first, firstQuestion: ResolveID(first.number))
    }

    mutating func nextLocalConnection() -> ConnectionID {
        nextLocal += 1
        return ConnectionOwner.localConnection(nextLocal, ofLine: number)
    }
}
