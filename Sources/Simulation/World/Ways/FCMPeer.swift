import AlarmModel
import PhoneProtocol

/// The push service by its other door: messages for the same phones, without a connection that stands, and the database
/// for what phones have for the box.
struct FCMPeer: WayPeer {
    /// A message of a phone that the box has not removed.
    struct Lying: Hashable, Sendable {
        var key: String
        var since: BootTime
    }

    /// Of the database.
    static let place = "/up/box1"

    private var server = FCMSimulator()
    private var arrivals: [Arrival] = []
    private var port = PeerPort()
    private var taken = 0
    private(set) var lying: [Lying] = []
    private(set) var putCount = 0
    /// What streams would say is lost at the moment.
    private var swallows = false

    var nextDeadline: BootTime? { [server.nextDeadline, port.nextDeadline].compactMap { $0 }.min() }

    mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        server.accepted(id, at: now, into: &actions)
    }

    mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        server.received(id, bytes, at: now, into: &actions)
        lying.removeAll { message in !server.nodes.contains { $0.key == message.key } }
        for message in server.takeSent() {
            guard let message = message["message"], let token = message["token"]?.stringValue else { continue }
            taken += 1
            arrivals.append(
                Arrival(
                    address: token, message: nil,
                    text: JSON.object([
                        "to": .string(token), "message_id": .string("fcm-\(taken)"), "data": message["data"],
                        "time_to_live": message["android"]?["ttl"]?.stringValue.flatMap { Int64($0.dropLast()) }
                            .map { .integer($0) },
                    ]).text))
        }
    }

    mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        server.closed(id, at: now, into: &actions)
    }

    mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        server.timerFired(at: now, into: &actions)
    }

    /// A phone, or anybody who may write there, puts it under a key that is later than all before.
    mutating func put(_ data: JSON, at now: Moment, into actions: inout [HTTPServiceAction]) {
        putCount += 1
        let key = "-p\(String(1_000_000 + putCount).dropFirst())"
        lying.append(Lying(key: key, since: now.boot))
        server.perform(.put(place: Self.place, key: key, data), at: now, into: &actions)
    }

    mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    /// An app has another token: this one is of no use any more.
    mutating func unregister(_ token: String) { server.settings.unregistered.append(token) }

    mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        func order(_ stimulus: FCMStimulus) { server.perform(stimulus, at: now, into: &actions) }
        func answer(_ status: Int, _ code: String, _ count: Int, after: Int? = nil) -> FCMFaults.Answer {
            FCMFaults.Answer(status: status, code: code, text: "simulated", retryAfter: after, count: count)
        }
        switch fault {
        case .refuse:
            order(.refuseConnect(true))
            order(.reset)
        case .reset: order(.reset)
        case .ends:
            order(.authRevoked)
            order(.closeStreams)
        case .blackHole:
            swallows = true
            order(.blackHole(true))
        case .silent:
            swallows = true
            order(.silent(true))
        case .slow, .noAnswer: order(.mute(true))
        case .garbage(let count):
            order(.tokenError(answer(500, "", count)))
            order(.databaseError(answer(500, "", count)))
        case .lies: order(.revokeTokens)
        case .closesMidway(let count): order(.sendError(answer(500, "INTERNAL", count)))
        case .failure(let count): order(.sendError(answer(503, "UNAVAILABLE", count, after: 5)))
        case .tooMany(let count), .quota(let count): order(.sendError(answer(429, "QUOTA_EXCEEDED", count)))
        case .repeats(let count):
            order(.tokenLife(90))
            order(.repeatChanges(count))
        case .off:
            order(.faultsOff)
            // TCP loses nothing without the connection.
            if swallows { order(.closeStreams) }
            swallows = false
        }
    }
}
