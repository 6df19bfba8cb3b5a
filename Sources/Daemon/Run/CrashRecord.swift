import AlarmModel
import EventStore
import Glibc
import Platform

/// How often the daemon crashed lately, in this boot (docs/ARCHITECTURE.md 2, "Poison").
///
/// A crash writes its own record, from the signal's handler; being killed or losing power is no crash.
struct CrashRecord {
    /// The third crash within five minutes starts in safe mode.
    static let limit = 3
    private static let window = Duration.minutes(5)
    private static let prefix = "crashes-"

    /// Crashes within the window before this start.
    let recent: Int

    /// Counts, and has this process write its record if it should crash.
    init(directory: String) {
        let name = "\(Self.prefix)\((SystemClock.bootIdentifier ?? "unknown").prefix(8))"
        let path = "\(directory)/\(name)"
        let now = SystemClock.bootTime()
        let times = CrashHandler.records(in: path)
        recent = times.filter { now - $0 < Self.window && $0 <= now }.count
        CrashHandler.install(recordingIn: path)
        Self.removeOthers(than: name, in: directory)
    }

    /// Records of earlier boots, whose times mean nothing in this one.
    static func removeOthers(than name: String, in directory: String) {
        let names = (try? StateFile.names(in: directory)) ?? []
        for other in names where other.hasPrefix(prefix) && other != name { unlink("\(directory)/\(other)") }
    }
}
