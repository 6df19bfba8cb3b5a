import AlarmModel

/// When the write-ahead log is copied into the database: small steps, and not while an alarm is fresh
/// (docs/ARCHITECTURE.md 2). An event that meets a checkpoint waits for its two syncs.
struct CheckpointPlan {
    /// Pages of the log (4 KiB each) from which a checkpoint is due, and from which it cannot wait.
    static let pagesDue = 250
    static let pagesLatest = 800
    static let alarmQuiet = Duration.seconds(10)
    static let eventQuiet = Duration.seconds(1)

    /// nil: nothing is to be done.
    private(set) var due: BootTime?
    private var lastAlarm: BootTime?

    mutating func alarmCame(at now: BootTime) { lastAlarm = now }

    /// - Parameter pages: that the log has now
    mutating func committed(pages: Int, at now: BootTime) {
        let afterAlarm = lastAlarm.map { $0 + Self.alarmQuiet } ?? now
        due =
            switch pages {
            case ..<Self.pagesDue: nil
            case ..<Self.pagesLatest: max(afterAlarm, now + Self.eventQuiet)
            default: now
            }
    }
}
