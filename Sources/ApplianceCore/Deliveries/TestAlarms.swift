import AlarmModel

/// `phones.test_alarm`: when each month a test alarm goes to everybody.
package struct MonthlyTest: Recurring, Codable, Hashable, Sendable {
    /// 1…28, so that every month has it.
    package var day: Int
    /// 0…23, local time.
    package var hour: Int
    /// 0…59
    package var minute: Int

    private enum CodingKeys: String, CodingKey { case day = "day", hour = "hour", minute = "minute" }

    package init(day: Int, hour: Int, minute: Int) {
        self.day = day
        self.hour = hour
        self.minute = minute
    }

    /// The first time after this instant.
    func next(after time: WallTime, in zone: TimeZoneRules) -> WallTime {
        let today = zone.civilTime(at: time)
        let due = instant(year: today.year, month: today.month, zone)
        if due > time { return due }
        return today.month == 12
            ? instant(year: today.year + 1, month: 1, zone) : instant(year: today.year, month: today.month + 1, zone)
    }

    private func instant(year: Int, month: Int, _ zone: TimeZoneRules) -> WallTime {
        zone.wallTime(year: year, month: month, day: day, hour: hour, minute: minute, second: 0)
    }
}

/// When the test alarm of the month is due, and who got the last test alarm after how long, whoever asked for it.
struct TestAlarms: Codable, Hashable, Sendable {
    struct Told: Codable, Hashable, Sendable {
        let message: MessageID
        let address: AddressID
        /// How it ended, and after how long; nil: not yet.
        var end: OutboxState?
        var span = Duration.zero
    }

    private struct Trial: Codable, Hashable, Sendable {
        let since: BootTime
        var told: [Told]
        var isOver: Bool { told.allSatisfy { $0.end != nil } }
    }

    private var trial: Trial?
    /// One that is found to be due later than that, after the clock was set, is left out.
    private var occasions = Occasions<MonthlyTest>(lateness: .hours(12))

    /// How long answers are waited for.
    static let patience = Duration.minutes(5)

    // MARK: The month's

    /// Whether it is to be sent now.
    ///
    /// - Parameter isBusy: an alarm is on: it is looked at again later
    mutating func isDue(_ wanted: MonthlyTest?, in zone: TimeZoneRules, isBusy: Bool, at now: Moment) -> Bool {
        switch occasions.look(wanted, in: zone, isBusy: isBusy, at: now) {
        case .due: true
        case .nothing, .missed: false
        }
    }

    func nextDeadline(_ wanted: MonthlyTest?, at now: BootTime) -> BootTime? {
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
