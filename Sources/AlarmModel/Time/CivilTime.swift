/// Date and time of day as people read them, in some time zone.
package struct CivilTime: Codable, Equatable, Sendable {
    package var year: Int
    /// 1…12
    package var month: Int
    /// 1…31
    package var day: Int
    /// 0…23
    package var hour: Int
    /// 0…59
    package var minute: Int
    /// 0…59
    package var second: Int
    /// 1 (Monday) … 7 (Sunday), as ISO 8601 counts.
    package var weekday: Int
    /// Seconds east of UTC.
    package var offset: Int32

    /// The civil time so many seconds after 1970-01-01 00:00 UTC, at this offset. Instants beyond what `WallTime` can
    /// hold are cut there.
    package init(secondsSince1970 seconds: Int64, offset: Int32) {
        let bound = Int64.max / 1000
        let local = min(max(seconds, -bound), bound) + Int64(offset)
        let days = CivilDate.floorDivide(local, 86_400)
        let date = CivilDate(days: days)
        let rest = Int(local - days * 86_400)
        year = Int(date.year)
        month = date.month
        day = date.day
        hour = rest / 3600
        minute = rest / 60 % 60
        second = rest % 60
        weekday = Int((CivilDate.weekday(days) + 6) % 7) + 1
        self.offset = offset
    }

    /// `2026-11-21 06:05:04`
    package var text: String { "\(date) \(time)" }

    /// `2026-11-21T06:05:04+01:00` (RFC 3339); seconds of the offset are added where a zone has such.
    package var textWithOffset: String {
        let seconds = Int(offset.magnitude)
        var text = "\(date)T\(time)\(offset < 0 ? "-" : "+")"
        text += "\((seconds / 3600).padded()):\((seconds / 60 % 60).padded())"
        if seconds % 60 != 0 { text += ":" + (seconds % 60).padded() }
        return text
    }

    /// `2026-11-21`
    package var date: String { "\(year.padded(4))-\(month.padded())-\(day.padded())" }
    /// `06:05:04`
    package var time: String { "\(hour.padded()):\(minute.padded()):\(second.padded())" }
}

extension TimeZoneRules {
    /// Date and time of day in this zone.
    package func civilTime(at time: WallTime) -> CivilTime {
        CivilTime(secondsSince1970: time.seconds, offset: offset(at: time.seconds))
    }

    /// When local time goes another way next, as when summer time begins; nil when it does not within `span`.
    package func nextChange(after time: WallTime, within span: Duration) -> WallTime? {
        var before = time.seconds
        var after = (time + span).seconds
        guard offset(at: before) != offset(at: after) else { return nil }
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if offset(at: middle) == offset(at: before) { before = middle } else { after = middle }
        }
        return WallTime(milliseconds: after * 1000)
    }

    /// Seconds east of UTC at so many seconds since 1970: from the table, after its end from the rule in `footer`.
    package func offset(at seconds: Int64) -> Int32 {
        guard let last = transitions.last else {
            return PosixTimeZone(footer)?.offset(at: seconds) ?? firstOffset
        }
        if seconds >= last.at { return PosixTimeZone(footer)?.offset(at: seconds) ?? last.offset }
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].at <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? firstOffset : transitions[low - 1].offset
    }
}

/// The proleptic Gregorian calendar, in days since 1970-01-01.
package struct CivilDate {
    var year: Int64
    var month: Int
    var day: Int

    /// Years are counted from March, so that the leap day is the last of its year.
    init(days: Int64) {
        let shifted = days + 719_468
        let era = Self.floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01.
    package static func days(year: Int64, month: Int, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let monthFromMarch = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// Of a month, in days.
    package static func length(year: Int64, month: Int) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// 0 (Sunday) … 6
    static func weekday(_ days: Int64) -> Int64 {
        let rest = (days + 4) % 7
        return rest < 0 ? rest + 7 : rest
    }

    static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
        let quotient = a / b
        return a % b < 0 ? quotient - 1 : quotient
    }
}

extension WallTime {
    /// The month that it is in, in UTC: year × 12 + month − 1.
    package var month: Int {
        let date = CivilTime(secondsSince1970: seconds, offset: 0)
        return date.year * 12 + date.month - 1
    }
}
