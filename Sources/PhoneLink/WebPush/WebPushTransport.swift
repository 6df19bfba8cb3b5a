package import AlarmModel
package import PhoneProtocol

/// The push services of the browsers, for phones that run the web app: each over a connection of its own, encrypted to
/// the phone (RFC 8291) and signed by the box (RFC 8292).
///
/// Guarantees: nothing goes to another host than a push service's, and no redirect is followed; every body has the same
/// size; a message is never without words, for a push that shows nothing costs a phone its subscription. Knows nothing
/// of what is in an envelope, and of receipts: those come from the app itself, by another channel.
package struct WebPushTransport: HTTPLines {
    /// Requests to one service that wait or are under way; some places are kept for alarms.
    static let queueLimit = 24
    static let reservedForAlarms = 8
    /// Services at a time. A phone may name many hosts of the same one.
    static let lineLimit = 16
    static let keyRetry = Duration.minutes(1)

    /// One message, from being taken to its answer.
    struct Pending: Codable, Equatable, Sendable {
        var message: MessageID
        var line: Int
        var target: String
        var fields: [HTTPField]
        var isUrgent: Bool
        /// Its sealing; nil: done.
        var job: TransportJobID?
        var due: BootTime
        var body: [UInt8] = []
        var request: HTTPRequestID?
        /// Once with another token already.
        var isRepeated = false

        /// It waits for a token alone.
        var isUnsent: Bool { job == nil && request == nil }
    }
    package struct Line: HTTPLine, Codable, Equatable, Sendable {
        package var client: HTTPClient
        var token: WebPushToken?
        var signing: Signing?
        package var problem: TransportProblem?
    }
    struct Signing: Codable, Equatable, Sendable {
        var job: TransportJobID
        var input: String
        var issued: WallTime
        var due: BootTime
    }

    package let settings: WebPushSettings
    /// The box's key as phones subscribe with it, 65 bytes; nil until the shell has told it.
    package private(set) var publicKey: [UInt8]?
    var keyJob: TransportJobID?
    /// When the answer is too late, or the key is asked for again.
    var keyDue: BootTime?
    var keyProblem: TransportProblem?
    package var lines: [Line] = []
    /// In the order in which they were taken.
    var pending: [Pending] = []
    var nextRequest: UInt64 = 1
    var nextJob: UInt64 = 1
    var isRunning = false
    var isUrgent = false
    package var lastAccepted: WallTime?
    package var told = ToldProblem()

    /// - Parameter seed: not needed, because the wait before another try is not decided here
    package init(settings: WebPushSettings, seed: UInt64) { self.settings = settings }

    package var room: TransportRoom {
        isReady ? TransportRoom(alarm: 64, other: 48) : .none
    }

    var isReady: Bool { isRunning && publicKey != nil }

    package var health: TransportHealth {
        let phase: TransportHealth.Phase =
            !isRunning ? .stopped : publicKey != nil ? .ready : keyJob == nil ? .waiting : .connecting
        return TransportHealth(phase: phase, problem: problem, underWay: pending.count, lastAccepted: lastAccepted)
    }

    package var problem: TransportProblem? { keyProblem ?? lines.lazy.compactMap(\.problem).first }

    package var nextDeadline: BootTime? {
        guard isRunning else { return nil }
        let waits = pending.filter { $0.job != nil }.map(\.due)
        return (lines.compactMap(\.client.nextDeadline) + lines.compactMap(\.signing?.due) + waits + [keyDue])
            .compactMap { $0 }.min()
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !isRunning else { return }
        isRunning = true
        if publicKey == nil { askForKey(at: now, into: &actions) } else { actions.append(.ready) }
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard isRunning else { return }
        let wasReady = isReady
        isRunning = false
        let back = pending.map(\.message)
        pending = []
        (keyJob, keyDue, keyProblem) = (nil, nil, nil)
        for index in lines.indices {
            lines[index].signing = nil
            lines[index].problem = nil
            drive(index, at: now, into: &actions) { $0.stop(at: now, into: &$1) }
        }
        if wasReady { actions.append(.notReady) }
        if !back.isEmpty { actions.append(.returned(back)) }
        tellProblem(into: &actions)
    }

    private mutating func askForKey(at now: Moment, into actions: inout [TransportAction]) {
        let job = newJob()
        keyJob = job
        keyDue = now.boot + settings.signPatience
        actions.append(.compute(job, .pushKey))
    }

    private mutating func gotKey(
        _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) {
        keyJob = nil
        if case .bytes(let key) = answer, key.count == 65 {
            (publicKey, keyDue, keyProblem) = (key, nil, nil)
            actions.append(.ready)
        } else {
            keyDue = now.boot + Self.keyRetry
            keyProblem = TransportProblem(
                .notComputed, "this box has no key for push services: \(answer.why)", isRefusal: true)
        }
        tellProblem(into: &actions)
    }

    package mutating func computed(
        _ job: TransportJobID, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard isRunning else { return }
        if job == keyJob {
            gotKey(answer, at: now, into: &actions)
        } else if let index = pending.firstIndex(where: { $0.job == job }) {
            sealed(index, answer, at: now, into: &actions)
        } else if let index = lines.firstIndex(where: { $0.signing?.job == job }) {
            signed(index, answer, at: now, into: &actions)
        }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        guard isRunning else { return }
        if let due = keyDue, due <= now.boot {
            if keyJob == nil {
                askForKey(at: now, into: &actions)
            } else {
                gotKey(.failed("it took too long; we try again"), at: now, into: &actions)
            }
        }
        for job in lines.compactMap(\.signing).filter({ $0.due <= now.boot }).map(\.job) {
            computed(job, .failed("it took too long"), at: now, into: &actions)
        }
        for job in pending.filter({ $0.due <= now.boot }).compactMap(\.job) {
            computed(job, .failed("it took too long"), at: now, into: &actions)
        }
        for index in lines.indices { drive(index, at: now, into: &actions) { $0.timerFired(at: now, into: &$1) } }
    }

    /// Nothing waits here before it is tried; how long a service may make us wait is another matter.
    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) { self.isUrgent = isUrgent }

    mutating func newJob() -> TransportJobID {
        defer { nextJob += 1 }
        return TransportJobID(nextJob)
    }
}

extension TransportAnswer {
    /// Why it is not what was asked for.
    var why: String {
        switch self {
        case .failed(let why): why
        case .bytes, .scram, .capabilities: "the answer is none; this is a fault of this program"
        }
    }
}
