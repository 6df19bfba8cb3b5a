package import AlarmModel
package import PhoneProtocol

/// The protocol of one channel, messages to people and back: a machine without I/O, driven by the core, which dials for it,
/// gives it bytes and time, and carries out its actions.
///
/// The contract: a message that `deliver` took is in the end `accepted`, `refused` or `returned`, and never two of
/// them; a message keeps its id however often it is delivered. A connection that the transport closes is heard of no
/// more. No peer is waited for without a deadline; every attempt to connect is repeated for ever, with a back-off.
package protocol Transport: Codable, Equatable, Sendable {
    /// How many messages `deliver` takes at this moment; nothing while it is not ready.
    var room: TransportRoom { get }
    var health: TransportHealth { get }
    /// When `timerFired` is due; nil: never.
    var nextDeadline: BootTime? { get }

    mutating func start(at now: Moment, into actions: inout [TransportAction])
    /// Ends everything; what was under way is given back.
    mutating func stop(at now: Moment, into actions: inout [TransportAction])

    /// - Returns: false if it was not taken: there is no room, or it is not ready any more, and says so
    mutating func deliver(_ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]) -> Bool
    /// What a person sent has been stored or dealt with: tell the service, where it wants to know.
    mutating func acknowledge(_ inbound: InboundMessage, at now: Moment, into actions: inout [TransportAction])

    /// Answer to `connect`: the connection stands, encrypted if that was asked for.
    mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction])
    mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction])
    /// Answer to `upgrade`: from here on the connection is encrypted.
    mutating func secured(_ connection: ConnectionID, at now: Moment, into actions: inout [TransportAction])
    mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction])
    mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction])
    /// Answer to `compute`.
    mutating func computed(
        _ job: TransportJobID, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction])

    /// Answer to `locate`.
    mutating func located(
        _ job: TransportJobID, _ lookup: ServiceLookup, at now: Moment, into actions: inout [TransportAction])

    mutating func timerFired(at now: Moment, into actions: inout [TransportAction])
    /// Whether an alarm or a fault waits: the waits before new attempts get short.
    mutating func setUrgent(_ isUrgent: Bool, at now: Moment)
    /// A link came, went or changed: try at once, ask existing connections for a sign of life.
    mutating func networkChanged(at now: Moment, into actions: inout [TransportAction])
    /// From whom messages may come, ascending: bare JIDs, or names of topics without the server. For channels that have
    /// to ask for them.
    mutating func listen(to senders: [String], at now: Moment, into actions: inout [TransportAction])
    /// The house as it is now, for channels that show it as a whole. Called with each change of it.
    mutating func houseChanged(_ house: HousePicture, at now: Moment, into actions: inout [TransportAction])
}

extension Transport {
    package mutating func acknowledge(_ inbound: InboundMessage, at now: Moment, into actions: inout [TransportAction])
    {}
    package mutating func secured(_ connection: ConnectionID, at now: Moment, into actions: inout [TransportAction]) {}
    package mutating func computed(
        _ job: TransportJobID, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) {}
    package mutating func located(
        _ job: TransportJobID, _ lookup: ServiceLookup, at now: Moment, into actions: inout [TransportAction]
    ) {}
    package mutating func listen(to senders: [String], at now: Moment, into actions: inout [TransportAction]) {}
    package mutating func houseChanged(
        _ house: HousePicture, at now: Moment, into actions: inout [TransportAction]
    ) {}
}

/// The channels that there are. One of each at most.
package enum ChannelKind: String, Codable, Equatable, Sendable, CaseIterable, Comparable {
    case ntfy
    /// FCM HTTP v1, and the Realtime Database for what comes back.
    case fcm
    /// FCM's XMPP connection server.
    case ccs
    case xmpp
    case mqtt
    case mail
    case url
    case program
    case beanstalk
    /// The push services of the browsers.
    case webPush = "web_push"
    /// An alarm receiver, as a station has one (SIA DC-09).
    case receiver

    package static func < (a: ChannelKind, b: ChannelKind) -> Bool { a.rank < b.rank }
    /// Its service says after it took a message, too, that the message did not reach its address.
    package var mayBounce: Bool { self == .xmpp }
    /// Its place among all of them.
    package var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

package struct TransportRoom: Codable, Equatable, Sendable {
    package var alarm: Int
    /// At most `alarm`: some places are kept for alarms.
    package var other: Int
    package init(alarm: Int, other: Int) {
        self.alarm = alarm
        self.other = other
    }
    package static let none = TransportRoom(alarm: 0, other: 0)
}

/// How a channel is, for `status` and for the router.
package struct TransportHealth: Codable, Equatable, Sendable {
    package enum Phase: String, Codable, Equatable, Sendable {
        case stopped
        /// For the next attempt.
        case waiting
        case connecting
        case loggingIn = "logging in"
        case ready
    }
    package var phase: Phase
    package var problem: TransportProblem?
    /// Messages taken and not answered.
    package var underWay: Int
    package var lastAccepted: WallTime?
    package init(
        phase: Phase, problem: TransportProblem? = nil, underWay: Int = 0, lastAccepted: WallTime? = nil
    ) {
        self.phase = phase
        self.problem = problem
        self.underWay = underWay
        self.lastAccepted = lastAccepted
    }
    /// The router may rely on it: it takes messages, and nothing is known against their arrival.
    package var isHealthy: Bool { phase == .ready && problem?.isInward ?? true }
}
