import AlarmModel

/// What is lost of the panel at this moment, and when it becomes an alarm.
///
/// Guarantees: each loss that stands has one hold-off at most. What was told lives in `SystemState`, which survives a
/// restart.
struct LossWatch: Codable, Equatable, Sendable {
    struct Loss: Codable, Equatable, Sendable {
        let kind: PanelLoss
        let since: BootTime
        /// When it is told; nil: it is no alarm, or was told.
        var alarmAt: BootTime?
    }

    private struct Return: Codable, Equatable, Sendable {
        let kind: PanelLoss
        let at: BootTime
    }

    static let holdOff = Duration.seconds(60)
    /// A module may hold the session that the box has left behind for some minutes.
    static let holdOffAfterStart = Duration.minutes(5)
    /// Attempts to connect are no further apart during the hold-off.
    static let attemptPace = Duration.seconds(5)
    static let shortestPause = Duration.milliseconds(200)
    /// In a house that is not armed, a loss so long after the return from the last is another one.
    static let quiet = Duration.hours(1)

    private(set) var standing: [Loss] = []
    private var returns: [Return] = []
    /// Partitions that were guarded when last looked at.
    private var guarded: [Int]
    private var startedAt: BootTime?

    /// - Parameter known: the state of before the restart: going on is no new arming
    init(known: PanelState) { guarded = known.guardedPartitions }

    var nextDeadline: BootTime? { standing.compactMap(\.alarmAt).min() }

    /// Nothing that is lost from here on was had in this run.
    mutating func begin(at now: BootTime) { startedAt = now }

    /// We end the session ourselves.
    mutating func end() {
        standing = []
        startedAt = nil
    }

    func stands(_ kind: PanelLoss) -> Bool { standing.contains { $0.kind == kind } }

    /// Whether the loss will be an alarm unless the panel is back soon. After a start attempts come as usual.
    func isHoldingOff(_ kind: PanelLoss) -> Bool {
        standing.contains { $0.kind == kind && $0.alarmAt != nil && $0.since != startedAt }
    }

    /// - Returns: whether partitions were armed, or none is any more: what was told before counts no longer
    mutating func sees(_ now: [Int]) -> Bool {
        defer { guarded = now }
        return now.contains { !guarded.contains($0) } || now.isEmpty && !guarded.isEmpty
    }

    /// A loss begins.
    ///
    /// - Parameters:
    ///   - isAlarm: it is one where it lasts
    ///   - isUrgent: soon it may be too late to tell it
    ///   - told: what was told since a partition was armed last
    /// - Returns: what of `told` still counts
    mutating func began(
        _ kind: PanelLoss, isAlarm: Bool, isUrgent: Bool, told: [PanelLoss], at now: BootTime
    ) -> [PanelLoss] {
        let last = returns.first { $0.kind == kind }?.at
        let isOther = guarded.isEmpty && last.map { now - $0 >= Self.quiet } ?? true
        let told = isOther ? told.filter { $0 != kind } : told
        let span = isUrgent ? .zero : now == startedAt ? Self.holdOffAfterStart : Self.holdOff
        standing.append(Loss(kind: kind, since: now, alarmAt: isAlarm && !told.contains(kind) ? now + span : nil))
        return told
    }

    /// What is held off is told at once.
    mutating func hurry(_ kind: PanelLoss, at now: BootTime) {
        for index in standing.indices where standing[index].kind == kind && standing[index].alarmAt != nil {
            standing[index].alarmAt = now
        }
    }

    mutating func ended(_ kind: PanelLoss, at now: BootTime) {
        standing.removeAll { $0.kind == kind }
        returns.removeAll { $0.kind == kind }
        returns.append(Return(kind: kind, at: now))
    }

    /// Those whose hold-off is over; each is given once.
    mutating func takeDue(at now: BootTime) -> [Loss] {
        let due = standing.filter { $0.alarmAt.map { $0 <= now } ?? false }
        for index in standing.indices where due.contains(standing[index]) { standing[index].alarmAt = nil }
        return due
    }
}

extension PanelState {
    /// Those that are, or were when last heard of, armed, in exit or entry delay, or in alarm; ascending.
    var guardedPartitions: [Int] { partitions.filter { $0.status.last?.isGuarded ?? false }.map(\.number) }
}
