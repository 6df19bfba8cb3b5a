import AlarmModel
import Platform

/// How often the daemon crashed lately, in this boot (DESIGN 2, "Poison").
///
/// A crash writes its own record, from the signal's handler; being killed or losing power is no crash.
struct CrashRecord {
    /// The third crash within five minutes starts in safe mode.
    static let limit = 3
    private static let window = Duration.minutes(5)

    /// Crashes within the window before this start.
    let recent: Int

    /// Counts, and has this process write its record if it should crash.
    init(directory: String) {
        let name = "crashes-\((SystemClock.bootIdentifier ?? "unknown").prefix(8))"
        let path = "\(directory)/\(name)"
        let now = SystemClock.bootTime()
        let times = CrashHandler.records(in: path)
        recent = times.filter { now - $0 < Self.window && $0 <= now }.count
        CrashHandler.install(recordingIn: path)
    }
}
