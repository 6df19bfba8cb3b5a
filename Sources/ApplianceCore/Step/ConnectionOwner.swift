package import AlarmModel
import PhoneLink

/// Whom a connection, or a question for a name's addresses, belongs to. It is part of the number, so that whatever
/// comes in is routed by one switch.
enum ConnectionOwner: Equatable, Sendable {
    /// The panel's dialer.
    case panel
    /// A dial line of a channel, of the dead-man ping, to the fetcher, the taker of pictures, the UPS or the provider of calls, by its number.
    case line(UInt64)
    /// A probe of a link.
    case probe
    /// A control client that the shell has let in.
    case client

    private static let firstLine: UInt64 = 1 << 24
    /// So many connections a line may open in its life.
    private static let lineSpan: UInt64 = 1 << 40
    fileprivate static let firstProbe: UInt64 = 1 << 61
    fileprivate static let firstClient: UInt64 = 1 << 62

    fileprivate init(number: UInt64) {
        self =
            switch number {
            case ..<Self.firstLine: .panel
            case ..<Self.firstProbe: .line((number - Self.firstLine) / Self.lineSpan)
            case ..<Self.firstClient: .probe
            default: .client
            }
    }

    /// The number that the first connection of a line gets.
    static func firstConnection(ofLine line: UInt64) -> ConnectionID { ConnectionID(firstLine + line * lineSpan) }

    /// Local sockets of a line are numbered from the middle of what is its own.
    static func localConnection(_ number: UInt64, ofLine line: UInt64) -> ConnectionID {
        ConnectionID(firstLine + line * lineSpan + lineSpan / 2 + number)
    }
}

extension ConnectionID {
    var owner: ConnectionOwner { ConnectionOwner(number: number) }
}

extension ResolveID {
    var owner: ConnectionOwner { ConnectionOwner(number: number) }
}

extension Appliance {
    /// The shell numbers the clients that it lets in from here.
    package static let firstClient = ConnectionID(ConnectionOwner.firstClient)
    package static let firstProbe = ConnectionID(ConnectionOwner.firstProbe)
}

/// What happens to a connection.
enum ConnectionFact: Equatable, Sendable {
    case opened
    /// The peer has proved who it is.
    case secured
    case received([UInt8])
    /// So many bytes, or replies to a client, of all that were ordered have left.
    case sent(upTo: UInt64)
    case closed(ConnectionEnd)
}

/// What whoever wants a connection to the world outside hears of it.
enum LineFact: Equatable, Sendable {
    case connected(ConnectionID, DialSlot)
    case failed(ConnectFailure, DialSlot)
    case secured(ConnectionID)
    case received(ConnectionID, [UInt8])
    case closed(ConnectionID, ConnectionEnd)
}

extension Step {
    /// Channels and the dead-man ping, which try again when the network has changed.
    var lineOwners: [LineOwner] { channels.map { .channel($0) } + [.deadManPing] }
}

/// What becomes of text messages and calls at the modem.
enum LastResortFact: Equatable, Sendable {
    /// Whether a text would leave now, or a call.
    case ready(Bool)
    case sent(TextID)
    case failed(TextID, ModemFailure)
    /// A text has come in.
    case received(number: String, String)
    case call(CallID, VoiceCallFact)
}

/// What a machine orders that talks to somebody outside and has nobody else to tell.
enum LineAction: Equatable, Sendable {
    case transport(TransportAction)
    /// No connection is wanted any more.
    case ended
}

/// Who wants a connection to the world outside.
enum LineOwner: Codable, Equatable, Sendable {
    case channel(ChannelKind)
    case deadManPing
    /// The talk with the fetcher of newer versions.
    case updates
    /// The talks with the taker of pictures.
    case cameras
    /// The talk with whoever mails the history.
    case history
    /// The server of the UPS.
    case ups
    /// The provider of telephone calls.
    case calls

    var channel: ChannelKind? {
        switch self {
        case .channel(let kind): kind
        case .deadManPing, .updates, .cameras, .history, .ups, .calls: nil
        }
    }

    var isInHouse: Bool {
        switch self {
        case .channel(let kind): kind.isInHouse
        case .deadManPing, .calls: false
        case .updates, .cameras, .history, .ups: true
        }
    }
}
