import AlarmModel

/// Troubles that the panel tells by its light (840, 841) and by the list of 849, never by a line of their own.
///
/// One trouble makes one notice: the light's event waits for the list that says which trouble it is. A trouble is over when
/// the light is off and the next list is overdue.
struct TroubleWatch: Codable, Equatable, Sendable {
    /// A trouble light (840) whose list (849) has not come yet.
    private struct Light: Codable, Equatable, Sendable {
        var event: Event
        /// Time at which the light is reported by itself.
        var dueAt: BootTime
    }

    enum ClockLoss: Sendable {
        case none
        /// The appliance sets the clock now: people need not see to it.
        case beingSet
        /// Setting it has not helped.
        case stays
    }

    /// 840 and 849 of one trouble come within a second.
    static let patience = Duration.seconds(2)
    /// 849 repeats every 5 min while there is trouble.
    static let listRepeat = Duration.seconds(330)
    /// Pause between two attempts to set a clock that the panel calls lost.
    static let clockRetry = Duration.minutes(4)

    private var lights: [Light] = []
    private var lastListAt: BootTime?
    /// Time at which the clock was set last because the panel lost it; nil while the panel has its clock.
    private var clockSetAt: BootTime?
    private var hasReportedClock = false

    var nextDeadline: BootTime? { lights.first?.dueAt }

    /// - Returns: true if the event waits here
    mutating func holds(_ message: DSCMessage, _ event: Event, at now: BootTime) -> Bool {
        guard case .troubleLED(_, true) = message, !event.flags.contains(.repeats) else { return false }
        lights.append(Light(event: event, dueAt: now + Self.patience))
        return true
    }

    mutating func timerFired(at now: BootTime) -> [Event] {
        guard let due = nextDeadline, due <= now else { return [] }
        return release(isExplained: false)
    }

    mutating func sessionLost() -> [Event] {
        lastListAt = nil
        return release(isExplained: false)
    }

    /// A live 840, 841 or 849.
    mutating func lineArrived(_ message: DSCMessage, at now: BootTime) -> [Event] {
        switch message {
        case .troubles(let bits):
            lastListAt = now
            return bits.isEmpty ? [] : release(isExplained: true)
        case .troubleLED(_, false): return release(isExplained: false)
        default: return []
        }
    }

    /// Time at which troubles without a further list are over, while the light is off; nil if no list came.
    func overdueAt(_ now: BootTime) -> BootTime? { lastListAt.map { max($0 + Self.listRepeat, now) } }

    /// 849 that names the clock: the appliance sets it, at once and again while the panel goes on.
    mutating func clockLost(_ message: DSCMessage, canSet: Bool, at now: BootTime) -> ClockLoss {
        guard case .troubles(let bits) = message else { return .none }
        guard bits.contains(.clock) else {
            (clockSetAt, hasReportedClock) = (nil, false)
            return .none
        }
        guard canSet, clockSetAt.map({ now - $0 >= Self.clockRetry }) ?? true else { return .none }
        let isRetry = clockSetAt != nil
        clockSetAt = now
        guard isRetry else { return .beingSet }
        defer { hasReportedClock = true }
        return hasReportedClock ? .beingSet : .stays
    }

    /// - Parameter isExplained: the list has come: the lights are kept in the journal and reported to nobody
    private mutating func release(isExplained: Bool) -> [Event] {
        defer { lights = [] }
        return lights.map { light in
            var event = light.event
            if isExplained { event.flags.insert(.repeats) }
            return event
        }
    }
}
