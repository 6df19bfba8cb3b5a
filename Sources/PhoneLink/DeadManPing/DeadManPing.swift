package import AlarmModel

/// Asks for one address of the web again and again, so that a service there notices when this box is dead. No channel:
/// it carries no message.
///
/// Any answer of 200 to 299 is good; what it says is not looked at. Redirects are not followed, because the address
/// would be told to a server that nobody named.
package struct DeadManPing: Transport {
    package let settings: DeadManPingSettings
    /// Attempts in vain since the last good one.
    package private(set) var misses = 0
    /// What was wrong with the last attempt.
    package private(set) var problem: String?
    /// When it was answered last.
    package private(set) var lastAnswered: WallTime?
    private var client: HTTPClient
    private var nextAt: BootTime?
    private var nextRequest: UInt64 = 1
    private var jitter: Jitter

    package init(settings: DeadManPingSettings, seed: UInt64) {
        self.settings = settings
        client = HTTPClient(origin: settings.origin, slot: DialSlot(0), settings: settings.client)
        jitter = Jitter(seed: seed)
    }

    package var room: TransportRoom { .none }
    package var health: TransportHealth {
        TransportHealth(
            phase: nextAt == nil ? .stopped : misses > 0 ? .waiting : .ready,
            problem: problem.map { TransportProblem(.unreachable, $0) }, lastAccepted: lastAnswered)
    }

    package var nextDeadline: BootTime? {
        guard let nextAt else { return nil }
        return [client.nextDeadline, nextAt].compactMap { $0 }.min()
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard nextAt == nil else { return }
        nextAt = now.boot + jitter.duration(in: .zero..<min(settings.interval, .seconds(5)))
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        nextAt = nil
        drive(at: now, into: &actions) { $0.stop(at: now, into: &$1) }
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool { false }

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(at: now, into: &actions) { $0.connected(connection, slot: slot, at: now, into: &$1) }
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(at: now, into: &actions) { $0.connectFailed(failure, slot: slot, at: now, into: &$1) }
    }

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(at: now, into: &actions) { $0.received(connection, bytes, at: now, into: &$1) }
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(at: now, into: &actions) { $0.closed(connection, end, at: now, into: &$1) }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        drive(at: now, into: &actions) { $0.timerFired(at: now, into: &$1) }
        guard let due = nextAt, due <= now.boot else { return }
        nextAt = now.boot + jitter.duration(in: (settings.interval * 9 / 10)..<settings.interval)
        // One that takes longer than the interval is not doubled.
        guard client.pendingCount == 0 else { return }
        let id = HTTPRequestID(nextRequest)
        nextRequest += 1
        let request = HTTPRequest(.get, settings.target.revealed)
        drive(at: now, into: &actions) { $0.request(request, id: id, at: now, into: &$1) }
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {}

    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        drive(at: now, into: &actions) { $0.networkChanged(at: now, into: &$1) }
        if misses > 0, nextAt != nil { nextAt = now.boot }
    }

    private mutating func drive(
        at now: Moment, into actions: inout [TransportAction],
        _ step: (inout HTTPClient, inout [HTTPAction]) -> Void
    ) {
        var said: [HTTPAction] = []
        step(&client, &said)
        for action in said {
            switch action {
            case .transport(let order): actions.append(order)
            case .answered(_, let response) where response.isSuccess: answered(at: now)
            case .answered(_, let response): missed(Self.words(response.status), at: now)
            case .failed(_, let failure):
                if let status = failure.status, (200...299).contains(status) {
                    answered(at: now)
                } else {
                    missed("\(failure)", at: now)
                }
            }
        }
    }

    private mutating func answered(at now: Moment) {
        misses = 0
        problem = nil
        lastAnswered = now.wall
    }

    private mutating func missed(_ why: String, at now: Moment) {
        // What ends because we stop is no miss.
        guard let planned = nextAt else { return }
        misses = min(misses + 1, 1_000_000)
        problem = "\(settings.place): \(why)"
        var wait = min(settings.retryAfter, settings.interval)
        for _ in 1..<min(misses, 12) { wait = min(wait * 2, settings.interval) }
        nextAt = min(planned, now.boot + wait)
    }

    private static func words(_ status: Int) -> String {
        switch status {
        case 300...399: "it answered \(status), which leads elsewhere; put the address where it leads into 'heartbeat'"
        case 401, 403: "it answered \(status): it does not let this box in; check 'url' in 'heartbeat'"
        case 404, 410: "it answered \(status): there is no such address; check 'url' in 'heartbeat'"
        case 429: "it answered 429: it is asked too often; make 'every' in 'heartbeat' longer"
        case 500...599: "it answered \(status): it has a problem of its own"
        default: "it answered \(status); check 'url' in 'heartbeat'"
        }
    }
}
