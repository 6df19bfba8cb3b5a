import AlarmModel

@testable import Reports

/// Events of a house in Vienna, made by hand, and the history that comes of them.
struct HistoryHouse {
    static let rules = TimeZoneRules(
        name: "Europe/Vienna", firstOffset: 3600, transitions: [], footer: "CET-1CEST,M3.5.0,M10.5.0/3")

    private(set) var events: [StoredEvent] = []
    var panel = PanelState(link: .up)
    var usage: [LinkUsage] = []
    private var last = WallTime(milliseconds: 0)

    /// By the house's clock, in 2026.
    static func at(_ month: Int, _ day: Int, _ hour: Int, _ minute: Int = 0) -> WallTime {
        rules.wallTime(year: 2026, month: month, day: day, hour: hour, minute: minute, second: 0)
    }

    mutating func add(
        _ type: EventType, _ code: String, at time: WallTime, partition: Int? = nil, zone: Int? = nil,
        name: String? = nil, user: String? = nil, message: String = "", flags: EventFlags = [],
        about: EventSubject? = nil
    ) {
        events.append(
            StoredEvent(
                seq: SequenceNumber(Int64(events.count + 1)),
                event: Event(
                    type: type, code: code, raw: code, message: message, time: time, isTimeTrusted: true,
                    partition: partition, zone: zone, zoneName: name, userName: user, flags: flags,
                    about: about)))
    }

    mutating func add(
        _ type: EventType, _ code: EventCode, at time: WallTime, user: String? = nil, message: String = "",
        about: EventSubject? = nil
    ) {
        add(type, code.rawValue, at: time, user: user, message: message, about: about)
    }

    mutating func arm(_ partition: Int = 1, from: WallTime, to: WallTime) {
        add(.armed, "656", at: from, partition: partition)
        add(.armed, "652", at: from + .minutes(1), partition: partition)
        add(.disarmed, "655", at: to, partition: partition)
    }

    func report(
        until: WallTime, days: Int, rules: TimeZoneRules = Self.rules, journalFrom: WallTime? = nil
    ) -> HistoryReport {
        var accumulator = HistoryAccumulator(
            until: until, days: days, rules: rules, journalFrom: journalFrom ?? events.first?.event.time)
        for event in events { accumulator.take(event) }
        return accumulator.finish(Snapshot(panel: panel, linkUsage: usage))
    }
}
