import AlarmModel

/// The minute in the name of a file that is handed out: `2026-11-25-0655`.
enum FileNameTime {
    static func text(_ time: WallTime, rules: TimeZoneRules) -> String {
        let clock = rules.civilTime(at: time).text
        return "\(clock.prefix(10))-\(clock.dropFirst(11).prefix(5).filter { $0 != ":" })"
    }
}
