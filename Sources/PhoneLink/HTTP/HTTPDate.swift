package import AlarmModel

/// A date of HTTP (RFC 9110 5.6.7) in its three forms: `Sun, 06 Nov 1994 08:49:37 GMT`,
/// `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
package struct HTTPDate: Codable, Equatable, Sendable {
    package var time: WallTime

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// nil when it is none of the three; the name of the weekday is not looked at.
    package init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let words = text.split { $0 == " " || $0 == "\t" || $0 == "," }.map { $0.lowercased() }
        let day: String
        let month: String
        let year: String
        let clock: String
        switch words.count {
        case 6:
            (day, month, year, clock) = (words[1], words[2], words[3], words[4])
            guard words[5] == "gmt" || words[5] == "utc" else { return nil }
        case 4:
            let parts = words[1].split(separator: "-").map(String.init)
            guard parts.count == 3, words[3] == "gmt" || words[3] == "utc" else { return nil }
            (day, month, year, clock) = (parts[0], parts[1], parts[2], words[2])
        case 5: (month, day, clock, year) = (words[1], words[2], words[3], words[4])
        default: return nil
        }
        guard let days = Self.days(day: day, month: month, year: year), let seconds = Self.seconds(clock) else {
            return nil
        }
        time = WallTime(milliseconds: (days * 86_400 + seconds) * 1000)
    }

    private static func days(day: String, month: String, year: String) -> Int64? {
        guard let number = HTTPText.number(Array(day.utf8)), day.utf8.count <= 2,
            let index = months.firstIndex(of: month), var value = HTTPText.number(Array(year.utf8))
        else { return nil }
        switch year.utf8.count {
        // A window of a century around the present.
        case 2: value += value < 70 ? 2000 : 1900
        case 4: guard value >= 1970 else { return nil }
        default: return nil
        }
        guard number >= 1, Int64(number) <= CivilDate.length(year: Int64(value), month: index + 1) else { return nil }
        return CivilDate.days(year: Int64(value), month: index + 1, day: Int64(number))
    }

    private static func seconds(_ clock: String) -> Int64? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.count == 2 }),
            let hour = HTTPText.number(Array(parts[0].utf8)), let minute = HTTPText.number(Array(parts[1].utf8)),
            let second = HTTPText.number(Array(parts[2].utf8)), hour < 24, minute < 60, second <= 60
        else { return nil }
        return Int64(hour * 3600 + minute * 60 + second)
    }
}
