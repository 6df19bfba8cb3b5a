extension TimeZoneRules {
    /// The instant of a civil time in this zone. Where the clock was put back and the time came twice, the first; where
    /// it was put forward and the time never was, the same span after the leap.
    package func wallTime(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> WallTime {
        let days = CivilDate.days(year: Int64(year), month: month, day: Int64(day))
        let local = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        let before = Int64(offset(at: local - 86_400))
        let after = Int64(offset(at: local + 86_400))
        for candidate in [max(before, after), min(before, after)]
        where Int64(offset(at: local - candidate)) == candidate {
            return WallTime(milliseconds: (local - candidate) * 1000)
        }
        return WallTime(milliseconds: (local - before) * 1000)
    }

    /// 28…31
    package static func daysInMonth(year: Int, month: Int) -> Int {
        Int(CivilDate.length(year: Int64(year), month: month))
    }
}
