import AlarmModel

/// When the core looks at itself and whether it has earned the watchdog's ping: one that is not earned is worse than
/// none.
struct Vitals: Codable, Equatable, Sendable {
    /// WatchdogSec; nil when nobody watches.
    var interval: Duration?
    var nextLook: BootTime?
    var lastPing: BootTime?
    /// What the last look found.
    var ailments: [Ailment] = []
    /// Since when the panel link has waited for nothing.
    var panelIdleSince: BootTime?

    /// A machine may be so late. After a pause of the whole process everything is late for one round.
    static let patience: Duration = .seconds(5)
    /// A panel link that waits for nothing so long is stuck.
    static let idlePatience: Duration = .minutes(2)
    /// How soon a machine that was found late is looked at again.
    static let secondLook: Duration = .seconds(1)

    /// What became of a look.
    enum Verdict: Equatable, Sendable {
        case alive
        /// Late for the first time; the next look tells.
        case late
        case stuck
        case recovered
    }

    mutating func look(_ found: [Ailment], at now: BootTime) -> Verdict {
        guard let interval else { return .alive }
        let wasLate = !ailments.isEmpty
        ailments = found
        guard found.isEmpty else {
            nextLook = now + min(Self.secondLook, interval / 2)
            return wasLate ? .stuck : .late
        }
        nextLook = now + interval / 2
        lastPing = now
        return wasLate ? .recovered : .alive
    }
}
