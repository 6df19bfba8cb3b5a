import AlarmModel

/// A 502 that comes while one command is in flight and the one before, already acknowledged, can still fail. The clock can:
/// the module acknowledges it before the panel has it.
struct LateErrorWatch: Codable, Equatable, Sendable {
    private struct Held: Codable, Equatable, Sendable {
        var error: Int
        /// Time at which the error is charged to the command in flight if that has no acknowledgement.
        var dueAt: BootTime
    }

    static let patience = Duration.seconds(3)
    static let hold = Duration.seconds(1)

    /// Time until which an error may belong to a command that the module has acknowledged.
    private var until: BootTime?
    private var held: Held?

    var nextDeadline: BootTime? { held?.dueAt }

    /// An error that is held was of the command before.
    mutating func acknowledged(_ command: TPICommand, at now: BootTime) {
        held = nil
        if case .clock = command { until = now + Self.patience } else { until = nil }
    }

    /// - Returns: true if the error waits here
    mutating func holds(_ error: Int, at now: BootTime) -> Bool {
        guard let until, now < until else { return false }
        self.until = nil
        held = Held(error: error, dueAt: now + Self.hold)
        return true
    }

    /// - Returns: the error that belongs to the command in flight
    mutating func timerFired(at now: BootTime) -> Int? {
        guard let late = held, late.dueAt <= now else { return nil }
        held = nil
        return late.error
    }

    mutating func sessionLost() { self = LateErrorWatch() }
}
