package import AlarmModel

/// Tries one connection for ever: when to dial, how long a step may take, how long to wait after a failure.
///
/// The owner makes the connection and tells what became of it. The generator for the jitter is the owner's, because two
/// connections may share one.
package struct Reconnector: Codable, Equatable, Sendable {
    package enum Phase: Codable, Equatable, Sendable {
        case stopped
        /// Nothing is under way: the owner says when the next attempt is made.
        case idle
        case waiting(until: BootTime, isRefusal: Bool)
        case dialing(since: BootTime)
        /// The connection stands and is not ready.
        case settingUp(since: BootTime)
        case ready(since: BootTime)
    }

    /// What the time has come for.
    package enum Due: Codable, Equatable, Sendable {
        case attempt, dialStalled, setupStalled
    }

    package var pace: ReconnectPace
    /// For an attempt to be answered at all; nil: the owner looks after that.
    package var dialPatience: Duration?
    /// From the connection until it is ready; nil: the owner looks after that.
    package var setupPatience: Duration?
    /// A connection that was ready for so long makes the back-off start anew; nil: only `succeeded` does.
    package var steadyAfter: Duration?
    package private(set) var phase = Phase.stopped
    package private(set) var isUrgent = false
    private var tries = ReconnectTries()

    package init(
        pace: ReconnectPace, dialPatience: Duration? = nil, setupPatience: Duration? = nil,
        steadyAfter: Duration? = nil
    ) {
        self.pace = pace
        self.dialPatience = dialPatience
        self.setupPatience = setupPatience
        self.steadyAfter = steadyAfter
    }

    package var isRunning: Bool { phase != .stopped }
    package var isDialing: Bool { if case .dialing = phase { true } else { false } }
    package var isReady: Bool { if case .ready = phase { true } else { false } }
    package var isWaiting: Bool { if case .waiting = phase { true } else { false } }
    /// It waits, and another network may change what it waits for.
    package var waitsForNetwork: Bool { if case .waiting(_, isRefusal: false) = phase { true } else { false } }

    package var shown: TransportHealth.Phase {
        switch phase {
        case .stopped: .stopped
        case .idle, .waiting: .waiting
        case .dialing: .connecting
        case .settingUp: .loggingIn
        case .ready: .ready
        }
    }

    // MARK: What happened

    package mutating func dial(at now: Moment) { phase = .dialing(since: now.boot) }

    /// - Returns: false if it came too late: the attempt was given up
    package mutating func connected(at now: Moment) -> Bool {
        guard isDialing else { return false }
        phase = .settingUp(since: now.boot)
        return true
    }

    /// - Parameter since: steadiness counts from then
    package mutating func becameReady(since: BootTime) { phase = .ready(since: since) }

    /// What was under way is over, and no other attempt is planned.
    package mutating func rest() { phase = .idle }

    package mutating func stop() { phase = .stopped }

    /// The attempt or the connection is over, and the next attempt has its time.
    ///
    /// - Parameters:
    ///   - isRefusal: only a person can change it
    ///   - least: the wait is no shorter than that
    package mutating func fail(
        isRefusal: Bool = false, atLeast least: Duration = .zero, at now: Moment, _ jitter: inout Jitter
    ) {
        noteSteady(at: now)
        wait(max(delay(isRefusal: isRefusal, &jitter), least), isRefusal: isRefusal, at: now)
    }

    /// Waits without counting it as an attempt in vain.
    package mutating func wait(_ span: Duration, isRefusal: Bool, at now: Moment) {
        phase = .waiting(until: now.boot + span, isRefusal: isRefusal)
    }

    /// The wait after one more failure, for what has no phases.
    package mutating func delay(isRefusal: Bool = false, _ jitter: inout Jitter) -> Duration {
        tries.delay(isRefusal: isRefusal, isUrgent: isUrgent, pace: pace, jitter: &jitter)
    }

    /// It did what it is for: the next trouble begins anew.
    package mutating func succeeded() { tries.reset() }

    /// A connection that has been ready for long counts as a success.
    package mutating func noteSteady(at now: Moment) {
        guard case .ready(let since) = phase, let span = steadyAfter, now.boot - since >= span else { return }
        tries.reset()
    }

    /// Whether an alarm or a fault waits: a longer wait is cut to `urgentMaximum` once, also one after a refusal, because
    /// it may be years since a person has seen to that; later ones are short.
    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {
        guard self.isUrgent != isUrgent else { return }
        self.isUrgent = isUrgent
        guard isUrgent, case .waiting(let until, let isRefusal) = phase else { return }
        phase = .waiting(until: min(until, now.boot + pace.urgentMaximum), isRefusal: isRefusal)
    }

    // MARK: Time

    package var nextDeadline: BootTime? {
        switch phase {
        case .stopped, .idle, .ready: nil
        case .waiting(let until, _): until
        case .dialing(let since): dialPatience.map { since + $0 }
        case .settingUp(let since): setupPatience.map { since + $0 }
        }
    }

    package func due(at now: Moment) -> Due? {
        guard let nextDeadline, nextDeadline <= now.boot else { return nil }
        switch phase {
        case .stopped, .idle, .ready: return nil
        case .waiting: return .attempt
        case .dialing: return .dialStalled
        case .settingUp: return .setupStalled
        }
    }
}
