import AlarmModel
import Uplinks

/// Alarms that no service has accepted for any person, and for how long.
///
/// Guarantees: each alarm is due once, `patience` after it came about, unless a service has accepted it by then; one that
/// all services sent back counts from then on. Only what services accept counts, and no phone's word.
struct UnacceptedAlarms: Codable, Equatable, Sendable {
    static let patience = TextAlarm.unacceptedPatience
    /// Alarms that are known not to be new; of more the earliest are forgotten.
    static let capacity = 1000

    struct Entry: Codable, Equatable, Sendable {
        var id: WaitingAlarmID
        var event: Event
        /// nil: some service has it.
        var due: BootTime?
        /// Services that have it and may send it back.
        var takings = 0
        /// Time at which the last of these services has the alarm for good.
        var settledAt = BootTime.zero
    }

    private var entries: [Entry] = []
    private var known: [WaitingAlarmID] = []

    private enum CodingKeys: String, CodingKey { case entries, known }

    /// An alarm that is told twice counts once.
    mutating func waits(_ id: WaitingAlarmID, _ event: Event, at now: BootTime) {
        entries.removeAll { $0.due == nil && $0.settledAt <= now }
        guard !known.contains(id) else { return }
        known.append(id)
        if known.count > Self.capacity { known.removeFirst() }
        entries.append(Entry(id: id, event: event, due: now + Self.patience))
    }

    /// - Parameter end: until then it may come back; nil: the service has it for good
    mutating func accepted(_ id: WaitingAlarmID, until end: BootTime?) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        guard let end else {
            entries.remove(at: index)
            return
        }
        entries[index].takings += 1
        entries[index].settledAt = max(entries[index].settledAt, end)
        entries[index].due = nil
    }

    mutating func cameBack(_ id: WaitingAlarmID, at now: BootTime) {
        guard let index = entries.firstIndex(where: { $0.id == id }), entries[index].takings > 0 else { return }
        entries[index].takings -= 1
        if entries[index].takings == 0 { entries[index].due = now + Self.patience }
    }

    var nextDeadline: BootTime? { entries.lazy.compactMap(\.due).min() }

    /// Alarms whose time is over, once each.
    mutating func takeDue(at now: BootTime) -> [Entry] {
        func isDue(_ entry: Entry) -> Bool { entry.due.map { $0 <= now } ?? false }
        defer { entries.removeAll(where: isDue) }
        return entries.filter(isDue)
    }
}
