import AlarmModel
import PanelLink
import PhoneLink

@testable import ApplianceCore

/// The bench with reminders: zone 1 is a door, zone 3 a window.
extension Bench {
    static func reminding(
        _ reminders: ReminderSettings, _ change: (inout Configuration) -> Void = { _ in }
    ) -> Bench {
        var configuration = Bench.phoneConfiguration { $0.channels = [.ntfy(NtfySettings(host: "192.0.2.9"))] }
        configuration.panel.names = SiteNames(
            partitions: [.init(number: 1, name: "Ground floor")],
            zones: [
                .init(number: 1, name: "Front door", partition: 1, deviceClass: "door"),
                .init(number: 3, name: "Kitchen window", partition: 1),
            ])
        configuration.reminders = reminders
        change(&configuration)
        var bench = Bench.up(configuration)
        bench.advance(.minutes(1))
        return bench
    }

    /// A moment after the next such time of day.
    mutating func advance(to hour: Int, _ minute: Int) {
        let due = DailyTime(hour: hour, minute: minute).next(after: now.wall, in: configuration.panel.timeZone)
        advance(due - now.wall + .seconds(1))
    }

    /// The machine is off for so long, and starts again with what is stored.
    func off(for span: Duration, _ change: (inout Start) -> Void = { _ in }) -> Bench {
        var copy = self
        copy.now.wall = now.wall + span
        var next = copy.restarted(change)
        next.logIn()
        return next
    }

    func told(_ code: EventCode) -> Int { events(code).count }
}

extension ReminderSettings {
    static func daily(_ hour: Int, _ minute: Int = 0) -> DailyTime { DailyTime(hour: hour, minute: minute) }
}
