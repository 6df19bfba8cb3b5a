import AlarmModel

/// Asks again whether the module reaches the panel, after one error that says it does not (502 014).
///
/// One 014 may come in a quiet house, and no line of the panel for hours behind it. The clock is set (010), which only the
/// panel can do, 5, 20 and 50 s after the error: before the loss becomes an alarm after 60 s. An acknowledgement counts if
/// no error follows it within 3 s, because the module acknowledges some commands before it has reached the panel.
struct BusWatch: Codable, Equatable, Sendable {
    enum Finding: Sendable {
        /// The clock is to be set.
        case ask
        /// The module reaches the panel.
        case answered
    }

    static let settlesAfter = Duration.seconds(3)

    private var isLost = false
    private var dueAt: [BootTime] = []
    private var acceptedAt: BootTime?

    var nextDeadline: BootTime? {
        [dueAt.first, acceptedAt.map { $0 + Self.settlesAfter }].compactMap { $0 }.min()
    }

    mutating func busLost(at now: BootTime) {
        isLost = true
        dueAt = [5, 20, 50].map { now + .seconds($0) }
    }

    /// A line of the panel came, or the session is lost.
    mutating func stop() { self = BusWatch() }

    mutating func acknowledged(_ command: TPICommand, at now: BootTime) {
        if case .clock = command, isLost { acceptedAt = now }
    }

    /// 011 to 014: the panel did not get what the module acknowledged.
    mutating func refused(error: Int) {
        if (11...14).contains(error) { acceptedAt = nil }
    }

    mutating func timerFired(at now: BootTime) -> Finding? {
        if let acceptedAt, acceptedAt + Self.settlesAfter <= now {
            stop()
            return .answered
        }
        let count = dueAt.count
        dueAt.removeAll { $0 <= now }
        return dueAt.count < count ? .ask : nil
    }
}
