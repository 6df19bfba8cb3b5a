import AlarmModel

/// A time of day on a day of each month.
package struct MonthlyTime: Recurring, Codable, Equatable, Sendable {
    /// 1…28, so that every month has it.
    package var day: Int
    /// 0…23, local time.
    package var hour: Int
    /// 0…59
    package var minute: Int

    package init(day: Int, hour: Int, minute: Int) {
        self.day = day
        self.hour = hour
        self.minute = minute
    }

    /// `1 07:00`
    var text: String { "\(day) \(hour.padded()):\(minute.padded())" }

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
