package import AlarmModel

/// A machine of the core that does not act: a bug of ours, never the fault of a peer or of the disk.
package enum Ailment: Codable, Equatable, Sendable {
    /// What was due at this time is not done.
    case overdue(TimerID, since: BootTime)
    /// Neither the panel session nor its dialing waits for anything: nothing would ever happen on that link again.
    case panelWaitsForNothing(since: BootTime)

    /// One line for the log and the self-test.
    package func text(at now: BootTime) -> String {
        switch self {
        case .overdue(let id, let since):
            "the part '\(id.rawValue)' has not done for \((now - since).milliseconds / 1000) s what is due"
        case .panelWaitsForNothing(let since):
            "the panel link has waited for nothing for \((now - since).milliseconds / 1000) s"
        }
    }
}

/// What the service manager's watchdog gets to see.
package struct WatchdogReport: Codable, Equatable, Sendable {
    /// The longest silence that the service manager accepts.
    package var interval: Duration
    /// Since the last ping; nil before the first.
    package var sincePing: Duration?
    /// Which parts are stuck, in words; while there is one, no ping leaves.
    package var stuck: [String]

    package init(interval: Duration, sincePing: Duration? = nil, stuck: [String] = []) {
        self.interval = interval
        self.sincePing = sincePing
        self.stuck = stuck
    }
}
