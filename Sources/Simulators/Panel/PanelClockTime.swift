import AlarmModel
package import PanelLink

/// Date and time of the panel's own clock, 2000…2099, in the site's local time.
package struct PanelClockTime: Codable, Equatable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    /// - Parameter year: two digits
    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    package init(_ clock: PanelClock) {
        self.init(
            year: clock.year, month: clock.month, day: clock.day, hour: clock.hour, minute: clock.minute, second: 0)
    }

    /// Whether such a day and time exist.
    package var isValid: Bool {
        (0...99).contains(year) && (1...12).contains(month) && (0...23).contains(hour) && (0...59).contains(minute)
            && (0...59).contains(second) && day >= 1 && day <= Self.daysInMonth(month, year: year)
    }

    /// Seconds since 2000-01-01 00:00:00.
    var seconds: Int64 {
        var days = year * 365 + (year + 3) / 4 + day - 1
        for earlier in 1..<max(1, month) { days += Self.daysInMonth(earlier, year: year) }
        return Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// Wraps after a hundred years, as the panel does.
    init(seconds: Int64) {
        let century: Int64 = 36_525 * 86_400
        let within = Int(((seconds % century) + century) % century)
        var days = within / 86_400
        var year = 0
        while days >= (year % 4 == 0 ? 366 : 365) {
            days -= year % 4 == 0 ? 366 : 365
            year += 1
        }
        var month = 1
        while days >= Self.daysInMonth(month, year: year) {
            days -= Self.daysInMonth(month, year: year)
            month += 1
        }
        let rest = within % 86_400
        self.init(
            year: year, month: month, day: days + 1, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60)
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// `hh:mm:ss`, the stamp of command 055.
    var stamp: String { "\(hour.padded()):\(minute.padded()):\(second.padded())" }

    /// `hhmmMMDDYY`, the data of 550.
    var broadcast: String { "\(hour.padded())\(minute.padded())\(month.padded())\(day.padded())\(year.padded())" }
}
