import AlarmModel

/// What `--since` takes: a span back from now, a local date or time, or seconds since 1970.
enum SinceText: Equatable, Sendable {
    case ago(Duration)
    case local(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int)
    case seconds(Int64)

    /// nil for a text that is none of these. `2h`, `30min`, `3d`, `90s`, `2w`; `2026-11-21`, `2026-11-21T06:00`,
    /// `2026-11-21T06:00:30` (a blank for the T, too); `1795219200`.
    init?(_ text: String) {
        if let span = Self.span(text) {
            self = .ago(span)
        } else if let seconds = Self.digits(text), seconds <= Int64.max / 1000 {
            self = .seconds(seconds)
        } else if let local = Self.civil(text) {
            self = local
        } else {
            return nil
        }
    }

    /// The instant it means.
    func time(now: WallTime, in zone: TimeZoneRules) -> WallTime {
        switch self {
        case .ago(let span): WallTime(milliseconds: max(0, now.milliseconds - span.milliseconds))
        case .seconds(let seconds): WallTime(milliseconds: seconds * 1000)
        case .local(let year, let month, let day, let hour, let minute, let second):
            max(
                WallTime(milliseconds: 0),
                zone.wallTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second))
        }
    }

    private static let units: [(name: String, seconds: Int64)] = [
        ("min", 60), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800),
    ]

    private static func span(_ text: String) -> Duration? {
        for unit in units where text.hasSuffix(unit.name) {
            guard let count = digits(String(text.dropLast(unit.name.count))), count <= 10_000_000 else { return nil }
            return .seconds(count * unit.seconds)
        }
        return nil
    }

    private static func digits(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }

    private static func civil(_ text: String) -> SinceText? {
        let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        let date = fields(String(halves[0]), separator: "-", widths: [4, 2, 2])
        guard let date, (1970...9999).contains(date[0]), (1...12).contains(date[1]),
            (1...TimeZoneRules.daysInMonth(year: date[0], month: date[1])).contains(date[2])
        else { return nil }
        var time = [0, 0, 0]
        if halves.count == 2 {
            let written = String(halves[1])
            guard
                let found = fields(written, separator: ":", widths: [2, 2, 2])
                    ?? fields(written, separator: ":", widths: [2, 2]).map({ $0 + [0] }),
                found[0] <= 23, found[1] <= 59, found[2] <= 59
            else { return nil }
            time = found
        }
        return .local(
            year: date[0], month: date[1], day: date[2], hour: time[0], minute: time[1], second: time[2])
    }

    private static func fields(_ text: String, separator: Character, widths: [Int]) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count == widths.count else { return nil }
        var numbers: [Int] = []
        for (part, width) in zip(parts, widths) {
            guard part.utf8.count == width, let number = digits(String(part)) else { return nil }
            numbers.append(Int(number))
        }
        return numbers
    }
}
