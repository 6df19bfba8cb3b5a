package import AlarmModel
package import PhoneLink
import PhoneProtocol
import Simulators

/// A house that is lived twice: with nothing but what happens at the panel, and with one hostile service beside that.
///
/// Knows alarms at the services of all other channels: when each arrived first. Does not know pushes over FCM, whose
/// content is sealed, and people who press or write, because whoever does so may end what goes to himself.
package struct TwinHouses: Sendable {
    /// An alarm at an address, the n-th of its line there.
    package struct Notice: Hashable, Sendable, CustomStringConvertible {
        package var channel: ChannelKind
        package var address: String
        package var raw: String
        package var count: Int

        package var description: String { "\(channel.rawValue) \(address): \(raw), number \(count)" }
    }

    /// Alarms that the services of all other channels took, with the times of their arrival.
    package private(set) var alone: [Notice: BootTime] = [:]
    package private(set) var betrayed: [Notice: BootTime] = [:]
    /// Number of the traitor's faults.
    package private(set) var deeds = 0

    /// - Throws: the promise that one of the two runs has broken
    package init(seed: UInt64, span: Duration, traitor: ChannelKind) throws(Violation) {
        let channels = ChannelKind.allCases.filter { $0 != .webPush }
        let plan = RunPlan(seed: seed, span: span, channels: channels)
        let drawn = plan.happenings
        let panel = drawn.filter { $0.source == .panel }.map(\.number)
        let treason = drawn.filter { $0.source == .service(traitor) }.map(\.number)
        deeds = treason.count
        alone = try Self.live(plan, panel, without: traitor)
        betrayed = try Self.live(plan, (panel + treason).sorted(), without: traitor)
    }

    /// Alarms that came later than without the traitor, by more than that, or not at all.
    package func late(by span: Duration) -> [Notice] {
        alone.filter { notice, time in betrayed[notice].map { $0 - time > span } ?? true }.map(\.key)
    }

    private static func live(
        _ plan: RunPlan, _ numbers: [Int], without traitor: ChannelKind
    ) throws(Violation) -> [Notice: BootTime] {
        var plan = plan
        plan.selection.only = numbers
        let world = plan.preparedWorld()
        var heard: [Notice: BootTime] = [:]
        var counts: [Notice: Int] = [:]
        world.observers.listener = { [unowned world] arrival, kind in
            guard kind != traitor, let raw = alarm(arrival, world.store) else { return }
            var notice = Notice(channel: kind, address: arrival.address, raw: raw, count: 0)
            counts[notice, default: 0] += 1
            notice.count = counts[notice] ?? 0
            heard[notice] = world.now
        }
        try world.live(for: plan.end)
        return heard
    }

    /// The panel's line of an alarm; nil for what is no alarm, or none of the panel's.
    private static func alarm(_ arrival: Arrival, _ store: SimulatedStore) -> String? {
        let raw: String?
        if let message = arrival.message.flatMap({ store.disk.phones.message($0) }) {
            guard message.row.priority == .alarm, !message.isDuress else { return nil }
            raw = store.disk.event(of: message)?.raw
        } else {
            let json = try? JSON(parsing: arrival.text)
            raw = json?["type"]?.stringValue == "alarm" ? json?["raw"]?.stringValue : nil
        }
        return raw.flatMap { $0.first?.isNumber ?? false ? $0 : nil }
    }
}
