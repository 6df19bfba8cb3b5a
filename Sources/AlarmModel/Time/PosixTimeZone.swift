/// The rule of a TZ string as POSIX writes it, with the wider times of RFC 9636 section 3.3.1: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct PosixTimeZone {
    enum Day {
        /// `Jn`: 1…365, the 29th of February is never counted.
        case withoutLeapDay(Int64)
        /// `n`: 0…365, the 29th of February is counted.
        case ofYear(Int64)
        /// `Mm.w.d`: the w-th (5: the last) weekday d (0: Sunday) of month m.
        case weekday(month: Int, week: Int64, day: Int64)

        /// Days since 1970.
        func number(in year: Int64) -> Int64 {
            let start = CivilDate.days(year: year, month: 1, day: 1)
            switch self {
            case .ofYear(let number): return start + number
            case .withoutLeapDay(let number):
                return start + number - 1 + (CivilDate.isLeap(year) && number >= 60 ? 1 : 0)
            case .weekday(let month, let week, let day):
                let first = CivilDate.days(year: year, month: month, day: 1)
                let next = first + (day - CivilDate.weekday(first) + 7) % 7 + (week - 1) * 7
                return next < first + CivilDate.length(year: year, month: month) ? next : next - 7
            }
        }
    }

    struct Change {
        var day: Day
        /// Seconds after local midnight, -167…167 hours.
        var time: Int64
    }

    struct Summer {
        /// Seconds east of UTC.
        var offset: Int32
        var start: Change
        var end: Change
    }

    /// Seconds east of UTC.
    var standard: Int32
    var summer: Summer?

    /// nil for anything that is not such a rule. A summer time without dates is not accepted: TZif always gives them.
    init?(_ text: String) {
        var reader = PosixTimeZoneReader(text)
        guard let zone = reader.zone() else { return nil }
        self = zone
    }

    init(standard: Int32, summer: Summer?) {
        self.standard = standard
        self.summer = summer
    }

    /// Seconds east of UTC at so many seconds since 1970.
    func offset(at seconds: Int64) -> Int32 {
        guard let summer else { return standard }
        // The calendar repeats after 400 years, weekdays included; within them nothing can overflow.
        let cycle: Int64 = 146_097 * 86_400
        let remainder = seconds % cycle
        let time = remainder < 0 ? remainder + cycle : remainder
        let year = CivilDate(days: CivilDate.floorDivide(time + Int64(standard), 86_400)).year
        var latest = (at: Int64.min, isSummer: false)
        // Times beyond the ends of a day can move a change into a neighbouring year. Of two changes at one instant the
        // start counts: that is how a summer time of the whole year is written.
        for year in (year - 1)...(year + 1) {
            let start = summer.start.day.number(in: year) * 86_400 + summer.start.time - Int64(standard)
            let end = summer.end.day.number(in: year) * 86_400 + summer.end.time - Int64(summer.offset)
            if start <= time, start >= latest.at { latest = (start, true) }
            if end <= time, end > latest.at { latest = (end, false) }
        }
        return latest.isSummer ? summer.offset : standard
    }
}

/// Reads the text of a rule from the left.
private struct PosixTimeZoneReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    mutating func zone() -> PosixTimeZone? {
        guard name(), let west = time(hours: 24) else { return nil }
        let standard = Int32(-west)
        if rest.isEmpty { return PosixTimeZone(standard: standard, summer: nil) }
        guard name() else { return nil }
        var offset = standard + 3600
        if rest.first != UInt8(ascii: ",") {
            guard let west = time(hours: 24) else { return nil }
            offset = Int32(-west)
        }
        guard take(","), let start = change(), take(","), let end = change(), rest.isEmpty else { return nil }
        return PosixTimeZone(
            standard: standard, summer: PosixTimeZone.Summer(offset: offset, start: start, end: end))
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    /// Three letters or more, or anything of letters, digits and signs in angle brackets.
    private mutating func name() -> Bool {
        let isQuoted = take("<")
        var length = 0
        while let byte = rest.first, isNameByte(byte, isQuoted: isQuoted) {
            rest.removeFirst()
            length += 1
        }
        return length >= 3 && (!isQuoted || take(">"))
    }

    private func isNameByte(_ byte: UInt8, isQuoted: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
        default: false
        }
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        var value: Int64 = 0
        var digits = 0
        while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), digits < 4 {
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            digits += 1
            rest.removeFirst()
        }
        return digits > 0 && range.contains(value) ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    private mutating func time(hours limit: Int64) -> Int64? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hours = number(0...limit) else { return nil }
        var seconds = hours * 3600
        if take(":") {
            guard let minutes = number(0...59) else { return nil }
            seconds += minutes * 60
            if take(":") {
                guard let rest = number(0...59) else { return nil }
                seconds += rest
            }
        }
        return isNegative ? -seconds : seconds
    }

    private mutating func change() -> PosixTimeZone.Change? {
        guard let day = day() else { return nil }
        guard take("/") else { return PosixTimeZone.Change(day: day, time: 7200) }
        return time(hours: 167).map { PosixTimeZone.Change(day: day, time: $0) }
    }

    private mutating func day() -> PosixTimeZone.Day? {
        if take("J") { return number(1...365).map(PosixTimeZone.Day.withoutLeapDay) }
        guard take("M") else { return number(0...365).map(PosixTimeZone.Day.ofYear) }
        guard let month = number(1...12), take("."), let week = number(1...5), take("."), let day = number(0...6)
        else { return nil }
        return .weekday(month: Int(month), week: week, day: day)
    }
}
