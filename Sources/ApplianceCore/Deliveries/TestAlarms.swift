import AlarmModel

/// When the test alarm of the month is due, and who got the last test alarm after how long, whoever asked for it.
struct TestAlarms: Codable, Equatable, Sendable {
    struct Told: Codable, Equatable, Sendable {
        let message: MessageID
        let address: AddressID
        /// How it ended, and after how long; nil: not yet.
        var end: OutboxState?
        var span = Duration.zero
    }

    private struct Trial: Codable, Equatable, Sendable {
        let since: BootTime
        var told: [Told]
        var isOver: Bool { told.allSatisfy { $0.end != nil } }
    }

    private var trial: Trial?
    /// One that is found to be due later than that, after the clock was set, is left out.
    private var occasions = Occasions<MonthlyTime>(lateness: .hours(12))

    /// How long answers are waited for.
    static let patience = Duration.minutes(5)

    // MARK: The month's

    /// Name of the next one in `RemindersRecord.due`.
    static let reminder = "testAlarm"

    /// The next one, for the store; nil: none is wanted, or its time is not known yet.
    func record(in zone: TimeZoneRules) -> RemindersRecord.Due? {
        guard let rule = occasions.wanted, let due = occasions.due else { return nil }
        return RemindersRecord.Due(reminder: Self.reminder, rule: "\(rule.text) \(zone.name)", at: due)
    }

    /// Goes on where the last run ended, so that a restart in its minute leaves none out.
    mutating func restore(_ known: [RemindersRecord.Due], _ wanted: MonthlyTime?, in zone: TimeZoneRules) {
        guard let wanted,
            let due = known.first(where: { $0.reminder == Self.reminder && $0.rule == "\(wanted.text) \(zone.name)" })
        else { return }
        occasions.restore(due.at, of: wanted, in: zone)
    }

    /// Whether it is to be sent now.
    ///
    /// - Parameter isBusy: an alarm is on: it is looked at again later
    mutating func isDue(_ wanted: MonthlyTime?, in zone: TimeZoneRules, isBusy: Bool, at now: Moment) -> Bool {
        switch occasions.look(wanted, in: zone, isBusy: isBusy, at: now) {
        case .due: true
        case .nothing, .missed: false
        }
    }

    func nextDeadline(_ wanted: MonthlyTime?, at now: BootTime) -> BootTime? {
        [
            occasions.nextDeadline(wanted, at: now), trial.map { $0.isOver ? now : $0.since + Self.patience },
        ].compactMap { $0 }.min()
    }

    // MARK: What became of the last one

    mutating func sent(_ rows: [OutboxRow], at now: BootTime) {
        let new = rows.map { Told(message: $0.message, address: $0.address) }
        if trial == nil { trial = Trial(since: now, told: new) } else { trial?.told += new }
    }

    mutating func changed(_ change: OutboxChange, at now: BootTime) {
        guard let since = trial?.since, let index = trial?.told.firstIndex(where: { $0.message == change.message })
        else { return }
        switch change.state {
        case .waiting, .overdue: return
        case .accepted, .received, .seen, .dead, .expired, .spared:
            trial?.told[index].end = change.state
            trial?.told[index].span = now - since
        }
    }

    /// All that it was sent to, once each has ended or the patience is over; nil: not yet.
    mutating func takeResult(at now: BootTime) -> [Told]? {
        guard let trial else { return nil }
        guard trial.isOver || now >= trial.since + Self.patience else { return nil }
        self.trial = nil
        return trial.told
    }
}
