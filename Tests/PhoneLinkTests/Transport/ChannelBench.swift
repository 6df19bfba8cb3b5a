import AlarmModel
import PhoneLink
import Testing

/// A way of carrying, a clock and everything that it ordered; connections are numbered as they are made.
final class ChannelBench<Channel: Transport> {
    var channel: Channel
    var now = Moment(boot: .zero + .seconds(1000), wall: WallTime(milliseconds: 1_795_262_400_000), isWallTrusted: true)
    var actions: [TransportAction] = []
    var connections: UInt64 = 0

    init(_ channel: Channel) { self.channel = channel }

    func take() -> [TransportAction] {
        defer { actions = [] }
        return actions
    }

    func start() { channel.start(at: now, into: &actions) }
    func stop() { channel.stop(at: now, into: &actions) }

    @discardableResult func connect(slot: Int = 0) -> ConnectionID {
        connections += 1
        channel.connected(ConnectionID(connections), slot: DialSlot(slot), at: now, into: &actions)
        return ConnectionID(connections)
    }

    func refuse(slot: Int = 0, _ failure: ConnectFailure = .dial(.unreachable(.refused))) {
        channel.connectFailed(failure, slot: DialSlot(slot), at: now, into: &actions)
    }

    /// On the newest connection unless another is named.
    func say(_ text: String, on id: ConnectionID? = nil) {
        channel.received(id ?? ConnectionID(connections), Array(text.utf8), at: now, into: &actions)
    }

    func secure() { channel.secured(ConnectionID(connections), at: now, into: &actions) }

    func lose(_ end: ConnectionEnd = .finished, _ id: ConnectionID? = nil) {
        channel.closed(id ?? ConnectionID(connections), end, at: now, into: &actions)
    }

    @discardableResult func deliver(_ delivery: Delivery) -> Bool {
        channel.deliver(delivery, at: now, into: &actions)
    }

    /// Lets time pass; the timer fires whenever it is due.
    func wait(_ span: Duration) {
        let end = now.boot + span
        while let deadline = channel.nextDeadline, deadline <= end {
            move(to: max(deadline, now.boot))
            channel.timerFired(at: now, into: &actions)
        }
        move(to: end)
    }

    /// Waits until the timer fires next; how long that was, nil if it never does.
    func waitForTimer() -> Duration? {
        guard let deadline = channel.nextDeadline else { return nil }
        let span = max(deadline - now.boot, .zero)
        move(to: max(deadline, now.boot))
        channel.timerFired(at: now, into: &actions)
        return span
    }

    private func move(to time: BootTime) {
        now.wall = now.wall + (time - now.boot)
        now.boot = time
    }
}

extension [TransportAction] {
    /// Everything that was sent, as text.
    var text: String {
        var bytes: [UInt8] = []
        for case .send(_, let more) in self { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Without what was sent, and without logs.
    var orders: [TransportAction] {
        filter { action in
            switch action {
            case .send, .log, .serverTime: false
            case .connect, .cancelConnect, .upgrade, .close, .compute, .locate, .ready, .notReady, .accepted, .received,
                .refused,
                .returned, .inbound, .problem, .presence:
                true
            }
        }
    }

    var connects: Int { count { if case .connect = $0 { true } else { false } } }
    var lastProblem: TransportProblem? {
        compactMap { action -> TransportProblem?? in
            if case .problem(let problem) = action { .some(problem) } else { .none }
        }.last ?? nil
    }
    var lastRefusal: Refusal? {
        compactMap { if case .refused(_, let refusal) = $0 { refusal } else { nil } }.last
    }
}
