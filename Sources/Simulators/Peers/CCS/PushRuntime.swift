package import AlarmModel
import PhoneLink
import PhoneProtocol

/// A client's connection as the service has it.
package struct PushConnection: Sendable {
    package enum Stage: Equatable, Sendable {
        case header
        case login
        case secondHeader
        case bind
        case session
        case ready
        /// The stream is over; what is left goes out, nothing is read.
        case over
    }

    /// How it can be dead without an end.
    package enum Silence: Equatable, Sendable {
        case off
        /// Nothing is read and nothing is sent.
        case halfOpen
        /// Is read, and answered by a space now and then only.
        case whitespace
    }

    package let id: ConnectionID
    package var stage = Stage.header
    var reader = XMLReader()
    var resource = ""
    package var silence = Silence.off
    package var isDraining = false
    /// New messages are refused with CONNECTION_DRAINING.
    var refusesAsDraining = false
    /// Messages of the client without an answer so far.
    var unanswered = 0
    /// A message beyond the window, not looked at yet; while it waits nothing is read.
    var stalled: XMLElement?
    /// Sent to the client, not acknowledged; in the order of sending.
    var unacknowledged: [PushInbound] = []
    /// Acknowledged already, the newest last.
    var acknowledged: [String] = []
    /// Waits while bytes go out one at a time.
    var dripping: [UInt8] = []

    init(id: ConnectionID) { self.id = id }

    var isLoggedIn: Bool { stage == .session || stage == .ready }
}

/// A message from a phone, or a receipt, on its way to the client.
struct PushInbound: Equatable, Sendable {
    var from: String
    var messageID: String
    var envelope: JSON
    /// nil: now or never.
    var expires: BootTime?
}

/// A phone as the service has it.
struct PushPhone: Equatable, Sendable {
    var token: String
    var client: PushClient
    var presence = PushPresence.offline
    /// The app's channel for sending.
    var isChannelUp = false
    /// The channel never comes up by itself.
    var isChannelBroken = false
    var stored: [PushStored] = []
    /// Too much was stored and all of it was dropped.
    var lostMessages = false
    /// When messages for it were accepted, within the last hour.
    var recent: [BootTime] = []

    init(token: String, client: PushClient) {
        self.token = token
        self.client = client
    }
}

struct PushStored: Equatable, Sendable {
    var message: PushMessage
    var expires: BootTime
}

/// Keeps so many items and lets them go in reverse order.
struct PushShuffle<Item: Sendable>: Sendable {
    var wanted = 0
    private var held: [Item] = []

    /// What may go now.
    mutating func pass(_ item: Item) -> [Item] {
        guard wanted > 1 else { return [item] }
        held.append(item)
        return held.count < wanted ? [] : release()
    }

    mutating func release() -> [Item] {
        wanted = 0
        defer { held = [] }
        return held.reversed()
    }
}

/// What is to happen later.
enum PushJob: Equatable, Sendable {
    case answer(ConnectionID, JSON)
    case drip(ConnectionID)
    case space(ConnectionID)
    case drainEnds(ConnectionID)
    case channelUp(String)
    case release
}

struct PushScheduledJob: Sendable {
    var due: BootTime
    var order: UInt64
    var job: PushJob
}

/// An alias: messages for the old token reach the phone, and the answer names the new one.
struct PushAlias: Equatable, Sendable {
    var old: String
    var new: String
}
