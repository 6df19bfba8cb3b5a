import AlarmModel

/// A time of day by the clock of the house. Where the clock is put forward and the time never is, it comes the same span
/// after the leap; where it is put back and the time comes twice, the first time.
package struct DailyTime: Recurring, Codable, Equatable, Sendable {
    /// 0…23
    package var hour: Int
    /// 0…59
    package var minute: Int
    /// So long before that time.
    package var lead: Duration

    package init(hour: Int, minute: Int, lead: Duration = .zero) {
        self.hour = hour
        self.minute = minute
        self.lead = lead
    }

    func next(after time: WallTime, in zone: TimeZoneRules) -> WallTime {
        let end = time + lead
        let today = CalendarDay(zone.civilTime(at: end))
        let due = instant(today, zone)
        return (due > end ? due : instant(today.next, zone)) + (.zero - lead)
    }

    private func instant(_ day: CalendarDay, _ zone: TimeZoneRules) -> WallTime {
        zone.wallTime(year: day.year, month: day.month, day: day.day, hour: hour, minute: minute, second: 0)
    }

    /// `23:00`; with a lead `23:30-600`.
    package var text: String {
        let time = "\(hour.padded()):\(minute.padded())"
        return lead == .zero ? time : "\(time)-\(lead.components.seconds)"
    }
}

/// A day of the calendar of the house.
package struct CalendarDay: Codable, Equatable, Comparable, Sendable {
    package var year: Int
    /// 1…12
    package var month: Int
    /// 1…31
    package var day: Int

    /// nil: there is no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1970...9999).contains(year), (1...12).contains(month),
            (1...TimeZoneRules.daysInMonth(year: year, month: month)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    init(_ time: CivilTime) { (year, month, day) = (time.year, time.month, time.day) }

    var next: CalendarDay {
        var next = self
        next.day += 1
        guard next.day > TimeZoneRules.daysInMonth(year: year, month: month) else { return next }
        (next.month, next.day) = (month + 1, 1)
        if next.month > 12 { (next.year, next.month) = (year + 1, 1) }
        return next
    }

    /// `2026-12-24`
    package var text: String { "\(year.padded(4))-\(month.padded())-\(day.padded())" }

    package static func < (a: CalendarDay, b: CalendarDay) -> Bool {
        (a.year, a.month, a.day) < (b.year, b.month, b.day)
    }
}
