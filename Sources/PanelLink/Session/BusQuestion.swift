import AlarmModel

/// Asks again whether the module reaches the panel, after one error that says it does not (502 014).
///
/// One 014 may come in a quiet house, and no line of the panel for hours behind it. The clock is set (010), which only the
/// panel can do, 5, 20 and 50 s after the error: before the loss becomes an alarm after 60 s. An acknowledgement counts if
/// no error follows it within 3 s, because the module acknowledges some commands before it has reached the panel.
struct BusQuestion: Codable, Equatable, Sendable {
    private var dueAt: [BootTime]
    var acceptedAt: BootTime?

    static let settlesAfter = Duration.seconds(3)

    init(at now: BootTime) { dueAt = [5, 20, 50].map { now + .seconds($0) } }

    var nextDeadline: BootTime? {
        [dueAt.first, acceptedAt.map { $0 + Self.settlesAfter }].compactMap { $0 }.min()
    }

    mutating func accepted(at now: BootTime) { acceptedAt = now }

    func isAnswered(at now: BootTime) -> Bool {
        acceptedAt.map { $0 + Self.settlesAfter <= now } ?? false
    }

    /// Removes the questions that are due. Returns true if there was one.
    mutating func takeDue(at now: BootTime) -> Bool {
        let count = dueAt.count
        dueAt.removeAll { $0 <= now }
        return dueAt.count < count
    }
}
