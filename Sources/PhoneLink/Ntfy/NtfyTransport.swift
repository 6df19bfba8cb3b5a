package import AlarmModel
import PhoneProtocol

/// A topic server as a channel to people and back (docs/push.md C.5): messages are published, each on a connection of
/// its own while others are under way; what phones send comes in on one stream for all command topics, which continues
/// after what was read.
package struct NtfyTransport: Transport {
    struct UnderWay: Codable, Equatable, Sendable {
        var request: HTTPRequestID
        var message: MessageID
    }
    struct ServerClock: Codable, Equatable, Sendable {
        var seconds: Int64
        var boot: BootTime
    }

    package let settings: NtfySettings
    var clients: [HTTPClient]
    var stream: HTTPStream
    var jitter: Jitter
    /// Whether messages can be taken; dialing is a look whether the server is there.
    var attempts: Reconnector
    /// The newest one.
    var look: HTTPRequestID?
    var underWay: [UnderWay] = []
    var nextRequest: UInt64 = 1
    var publishProblem: TransportProblem?
    /// It came with a message and ends when one is taken: that the server answers a look says nothing about it.
    var isOfMessage = false
    var streamProblem: TransportProblem?
    /// That this connection brings what cannot be used.
    var hasToldUnusable = false
    var told = ToldProblem()
    var lastAccepted: WallTime?

    /// Names of topics in their order.
    package internal(set) var topics: [String] = []
    /// The newest message that came: the stream goes on after it. A restart forgets it and hears the last minute again,
    /// of which the core obeys nothing that was sent before it started (docs/pairing.md 10).
    var newest: String?
    var seen: [String] = []
    var serverClock: ServerClock?

    /// How many ids of messages are remembered against duplicates.
    static let memory = 512
    static let streamSlot = DialSlot(1)

    package init(settings: NtfySettings, seed: UInt64) {
        self.settings = settings
        var publishing = HTTPClientSettings()
        publishing.deadline = settings.answerPatience
        publishing.connectPatience = settings.connectPatience
        publishing.idleTime = settings.idleTime
        publishing.limits.bodyBytes = 65_536
        // Slots 0, 2, 3 …; 1 is the stream's.
        clients = (0..<max(2, settings.connections)).map { index in
            HTTPClient(
                origin: settings.origin, slot: DialSlot(index == 0 ? 0 : index + 1), settings: publishing)
        }
        var listening = HTTPStream.Settings()
        listening.backoff = settings.backoff
        listening.connectPatience = settings.connectPatience
        listening.setupDeadline = settings.setupDeadline
        listening.silence = settings.silence
        listening.steadyAfter = settings.steadyAfter
        stream = HTTPStream(
            origin: settings.origin, slot: Self.streamSlot, format: .jsonLines, settings: listening,
            seed: seed &+ 1)
        jitter = Jitter(seed: seed)
        attempts = Reconnector(pace: settings.backoff, steadyAfter: settings.steadyAfter)
    }

    // MARK: How it is

    package var room: TransportRoom {
        guard attempts.isReady else { return .none }
        let free = clients.filter { $0.pendingCount == 0 }.count
        return TransportRoom(alarm: free, other: max(0, free - 1))
    }

    /// `ready` is about publishing; a stream that is away shows as a problem.
    package var health: TransportHealth {
        TransportHealth(
            phase: attempts.shown, problem: problem, underWay: underWay.count, lastAccepted: lastAccepted)
    }

    /// Whether what phones send arrives at this moment.
    package var isListening: Bool { stream.isOpen }

    package var nextDeadline: BootTime? {
        (clients.map(\.nextDeadline) + [stream.nextDeadline, attempts.nextDeadline]).compactMap { $0 }.min()
    }

    // MARK: Orders

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !attempts.isRunning else { return }
        look(at: now, into: &actions)
        if !topics.isEmpty { listen(at: now, into: &actions) { $0.start(at: now, into: &$1) } }
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isRunning else { return }
        leaveReady(into: &actions)
        attempts.stop()
        listen(at: now, into: &actions) { $0.stop(at: now, into: &$1) }
        let given = underWay.map(\.message)
        underWay = []
        for index in clients.indices {
            publish(index, at: now, into: &actions) { $0.stop(at: now, into: &$1) }
        }
        if !given.isEmpty { actions.append(.returned(given)) }
        (publishProblem, streamProblem, isOfMessage) = (nil, nil, false)
        tellProblem(into: &actions)
    }

    /// Which topics phones send to: names without the server; what is no name is left out. Takes effect at once.
    package mutating func listen(
        to names: [String], at now: Moment, into actions: inout [TransportAction]
    ) {
        var wanted: [String] = []
        for name in names.sorted() where NtfySettings.isTopic(name) && wanted.last != name {
            wanted.append(name)
        }
        guard wanted != topics else { return }
        topics = wanted
        guard attempts.isRunning else { return }
        listen(at: now, into: &actions) { stream, orders in
            if wanted.isEmpty {
                stream.stop(at: now, into: &orders)
            } else if stream.isRunning {
                stream.restart(at: now, into: &orders)
            } else {
                stream.start(at: now, into: &orders)
            }
        }
        if topics.isEmpty { streamProblem = nil }
        tellProblem(into: &actions)
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {
        attempts.setUrgent(isUrgent, at: now)
        stream.setUrgent(isUrgent, at: now)
    }

    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isRunning else { return }
        for index in clients.indices {
            publish(index, at: now, into: &actions) { $0.networkChanged(at: now, into: &$1) }
        }
        listen(at: now, into: &actions) { $0.networkChanged(at: now, into: &$1) }
        if attempts.waitsForNetwork { look(at: now, into: &actions) }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isRunning else { return }
        for index in clients.indices {
            publish(index, at: now, into: &actions) { $0.timerFired(at: now, into: &$1) }
        }
        listen(at: now, into: &actions) { $0.timerFired(at: now, into: &$1) }
        if attempts.due(at: now) == .attempt { look(at: now, into: &actions) }
    }

    private var problem: TransportProblem? { publishProblem ?? streamProblem?.inward }

    mutating func tellProblem(into actions: inout [TransportAction]) {
        told.tell(problem, isLogged: false, into: &actions)
    }
}
