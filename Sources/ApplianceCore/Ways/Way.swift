import AlarmModel
import PhoneLink
import Uplinks

/// One configured way to people.
struct Way: Codable, Hashable, Sendable {
    var settings: WaySettings
    var carrier: Carrier
    var isReady = false
    /// What comes in by one way must not use up what another may bring (docs/pairing.md 7.4).
    var openings = Allowance()
    /// As it was told last.
    var isUrgent = false
    /// Since when it has been out of reach, and what was told of it.
    var offlineSince: BootTime?
    var offlineTold: TransportProblem?
    /// Addresses of which it was told that messages are refused there.
    var refused: [RefusedAddress] = []
    /// Since when something is known against it.
    var unhealthySince: BootTime?
    /// What people send by it does not come in, while what goes to them goes out.
    var deafness: Deafness?

    struct Deafness: Codable, Hashable, Sendable {
        var problem: TransportProblem
        var since: BootTime
        var told: TransportProblem?
    }

    struct RefusedAddress: Codable, Hashable, Sendable {
        var address: AddressID
        /// What was told of the service as a whole; nil: only this address is concerned.
        var service: TransportProblem?
    }

    var kind: WayKind { settings.kind }

    init(_ settings: WaySettings, seed: UInt64) {
        self.settings = settings
        carrier = Carrier(settings, seed: seed)
    }
}

/// Who wants a connection.
enum LineOwner: Codable, Hashable, Sendable {
    case way(WayKind)
    case beacon

    var isInHouse: Bool {
        switch self {
        case .way(let kind): kind.isInHouse
        case .beacon: false
        }
    }
}

/// One of its connections: how it comes about.
struct DialLine: Codable, Hashable, Sendable {
    var owner: LineOwner
    var slot: DialSlot
    var dialer: Dialer
    /// Its connections and questions have numbers of this range.
    var range: UInt64
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

    /// So many connections a line may open in its life; lines are numbered by it.
    static let span: UInt64 = 1 << 40

    init(_ owner: LineOwner, _ slot: DialSlot, range: UInt64, target: DialTarget) {
        self.owner = owner
        self.slot = slot
        self.range = range
        self.target = target
        let base = PhoneHall.firstConnection.number + range * Self.span
        dialer = Dialer(firstConnection: ConnectionID(base), firstQuestion: ResolveID(base))
    }

    static func range(of number: UInt64) -> UInt64 { (number - PhoneHall.firstConnection.number) / span }

    /// Local sockets are numbered from the middle of the range.
    mutating func nextLocalConnection() -> ConnectionID {
        nextLocal += 1
        return ConnectionID(PhoneHall.firstConnection.number + range * Self.span + Self.span / 2 + nextLocal)
    }
}
