import AlarmModel

/// Exit and entry delays. The panel leaves them by itself after 255 s at most; if no line says so, the line was lost.
struct DelayWatch: Codable, Equatable, Sendable {
    private struct Delay: Codable, Equatable, Sendable {
        var partition: Int
        var dueAt: BootTime
    }

    /// 255 s (the longest that the panel can be set to) and time for its line.
    static let longest = Duration.seconds(270)

    private var delays: [Delay] = []

    var nextDeadline: BootTime? { delays.map(\.dueAt).min() }

    mutating func lineArrived(_ message: DSCMessage, at now: BootTime) {
        guard case .partition(let number, let line) = message else { return }
        delays.removeAll { $0.partition == number }
        switch line {
        case .exitDelay, .entryDelay: delays.append(Delay(partition: number, dueAt: now + Self.longest))
        case .ready, .notReady, .readyForce, .alarm, .disarmed, .armed: break
        }
    }

    /// - Returns: true if the panel has to be asked
    mutating func timerFired(at now: BootTime) -> Bool {
        let count = delays.count
        delays.removeAll { $0.dueAt <= now }
        return delays.count < count
    }

    mutating func sessionLost() { delays = [] }
}
