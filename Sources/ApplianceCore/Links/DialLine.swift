import AlarmModel
import PhoneLink
import Uplinks

/// One of a channel's connections: how it comes about.
struct DialLine: Codable, Equatable, Sendable {
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
    /// Where the present dial came about.
    var reached: RememberedAddress?
    /// The last connection ended before the address that the name servers gave had proved itself: the next dial tries
    /// the remembered ones first.
    var doubtsNames = false
    /// The present or last dial tries the remembered ones first.
    var isByMemory = false
    /// Those of the present or last dial, in turn.
    var triedLinks: [Link] = []
    /// Time since which the line dials by the link of its last dial.
    var dialedAt = BootTime.zero
    var dialedBy: Link?
    /// The family of the addresses that the present dial tries.
    var attempts: [Attempt] = []
    /// Connections that stand, and the links they go by.
    var standing: [Standing] = []
    /// By which link a connection opened and then was not answered, or could not be encrypted: the next begins with
    /// another.
    var doubted: Link?
    /// Time of the last doubt: signs that come in one step are one doubt.
    var doubtedAt: BootTime?
    /// The link that was left for the present connection because of such a doubt.
    var detouredFrom: Link?
    /// When another link was tried last for such a reason; each try costs a metered one some kilobytes. nil: never since
    /// something was answered.
    var lastDetour: BootTime?
    /// From that try to the next.
    var detourPause = Self.firstDetourPause
    /// How long connections go by another link before they try the usual one again; nil: as the failover holds links.
    var detourHold: Duration?
    /// Before, the usual link is not tried: it did not answer.
    var detourUntil = BootTime.zero

    struct Standing: Codable, Equatable, Sendable {
        var connection: ConnectionID
        var link: Link
        var since: BootTime
        /// Encrypted, and the other side has proved who it is.
        var isSecured = false
        var hasBeenAnswered = false
        /// A message was accepted on it, and nothing was sent since.
        var hasCarried = false
        /// Since when something that was sent has not been answered by anything.
        var unansweredSince: BootTime?
        /// Where it leads, to be remembered when the other side has proved who it is: a forged answer of a name server
        /// takes no good address's place.
        var address: RememberedAddress?
        /// Addresses of the box that the connection may come from; empty where that is not known.
        var sources: [IPAddress] = []

        init(connection: ConnectionID, link: Link, since: BootTime, address: RememberedAddress? = nil) {
            self.connection = connection
            self.link = link
            self.since = since
            self.address = address
        }

        /// True if the connection is dead once these addresses of the box are gone; empty: they are not known.
        func mayComeFrom(_ gone: [IPAddress]) -> Bool {
            gone.isEmpty || sources.isEmpty || gone.contains { sources.contains($0) }
        }
    }

    /// A connection that a dial opens.
    struct Attempt: Codable, Equatable, Sendable {
        var connection: ConnectionID
        var isIPv6: Bool
    }

    /// After so long without an answer the link is asked, and one that sleeps is woken if an alarm waits; a connection
    /// that its owner gives up after so long was let down by its link.
    static let answerPatience = Duration.seconds(8)

    /// While an alarm waits, a line tries so long by the usual link, dialing and logging in included. Services that take
    /// longer over a message are given their time by the next link.
    static let alarmPatience = Duration.seconds(15)

    /// What it leads to is in the house or on this machine, and not to be looked for by another link.
    var isInHouse: Bool { target.isLocalSocket || owner.isInHouse || HouseName.isInHouse(target.host) }

    /// Doubled with each detour on which nothing was secured either, for then it is the server that is wrong.
    static let firstDetourPause = Duration.seconds(30)
    static let longestDetourPause = Duration.minutes(10)

    /// While an alarm waits: so short that of two attempts one goes by the other link, also where that one was cut by
    /// chance and the usual one keeps what it is given.
    static let hurriedDetourPause = Duration.seconds(10)
    /// While an alarm waits and so many tries were in vain that it is the server.
    static let alarmDetourPause = Duration.minutes(5)

    /// When another link may be tried again; nil: at once.
    func detourDue(isAlarmWaiting: Bool) -> BootTime? {
        guard let lastDetour else { return nil }
        guard isAlarmWaiting else { return lastDetour + detourPause }
        let isHurried = detourPause < Self.longestDetourPause
        return lastDetour + (isHurried ? Self.hurriedDetourPause : Self.alarmDetourPause)
    }

    mutating func beginDetour(at now: BootTime) {
        detourPause = lastDetour == nil ? Self.firstDetourPause : min(detourPause * 2, Self.longestDetourPause)
        lastDetour = now
    }

    /// True if the present dial is in vain once these addresses of the box are gone; empty: they are not known.
    func isDialDead(without gone: [IPAddress]) -> Bool {
        if let securing { return standing.first { $0.connection == securing }?.mayComeFrom(gone) ?? true }
        if attempts.isEmpty { return gone.isEmpty || gone.contains { !$0.isIPv6 } }
        return gone.isEmpty || attempts.allSatisfy { attempt in gone.contains { $0.isIPv6 == attempt.isIPv6 } }
    }

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
