import AlarmModel

/// Days and minutes by the house's clock, for times that mostly follow one another: the rules are asked once for each
/// week, and at each change of the clock.
struct HouseClock: Equatable, Sendable {
    let rules: TimeZoneRules
    /// Seconds since 1970 for which `offset` holds.
    private var known: Range<Int64> = 0..<0
    private var offset: Int64 = 0
    private static let span: Duration = .hours(24 * 7)

    init(_ rules: TimeZoneRules) {
        self.rules = rules
    }

    /// - Parameter time: between the years 1 and 9999
    /// - Returns: days since 1970-01-01, and the minute of that day, 0…1439
    mutating func place(_ time: WallTime) -> (day: Int64, minute: Int) {
        let seconds = time.seconds
        if !known.contains(seconds) {
            offset = Int64(rules.offset(at: seconds))
            let end = rules.nextChange(after: time, within: Self.span) ?? time + Self.span
            known = seconds..<max(end.seconds, seconds + 1)
        }
        let local = seconds + offset
        let day = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
        return (day, Int(local - day * 86_400) / 60)
    }
}
