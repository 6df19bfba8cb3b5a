import AlarmModel

extension PanelClock {
    /// The site's local time at this moment.
    init(at time: WallTime, in zone: TimeZoneRules) {
        let local = zone.civilTime(at: time)
        self.init(
            hour: local.hour, minute: local.minute, month: local.month, day: local.day,
            year: ((local.year % 100) + 100) % 100)
    }
}
