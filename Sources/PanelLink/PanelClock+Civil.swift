import AlarmModel

extension PanelClock {
    /// The site's local time at this moment.
    init(at time: WallTime, in zone: TimeZoneRules) {
        let offset = zone.transitions.last { $0.at <= time.seconds }?.offset ?? zone.firstOffset
        let local = time.seconds + Int64(offset)
        let days = local >= 0 ? local / 86400 : (local - 86399) / 86400
        let second = local - days * 86400
        // Days to year, month, day in the proleptic Gregorian calendar, counted from 0000-03-01.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civilMonth = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0)
        self.init(
            hour: Int(second / 3600), minute: Int(second % 3600 / 60), month: Int(civilMonth),
            day: Int(dayOfYear - (153 * month + 2) / 5 + 1), year: Int(((year % 100) + 100) % 100))
    }
}
