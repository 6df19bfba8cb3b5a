import AlarmModel

/// Holds back repeated notices about a flapping zone: one when it begins, then at most one per interval, for each
/// class apart, so that an unimportant notice hides no fault. Alarms are never held back.
struct FlapFilter: Codable, Hashable, Sendable {
    private struct Notice: Codable, Hashable, Sendable {
        var zone: Int
        var priority: PriorityClass
        var time: BootTime
    }
    /// Old ones are forgotten, so at most one for each zone and class that flaps.
    private var notices: [Notice] = []

    /// Whether people are told; if so, this is remembered.
    mutating func passes(_ event: Event, interval: Duration, at now: BootTime) -> Bool {
        guard event.priority != .alarm, event.flags.contains(.flapping), let zone = event.zone else { return true }
        notices.removeAll { now - $0.time >= interval }
        guard !notices.contains(where: { $0.zone == zone && $0.priority == event.priority }) else { return false }
        notices.append(Notice(zone: zone, priority: event.priority, time: now))
        return true
    }
}
