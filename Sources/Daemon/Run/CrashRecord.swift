import AlarmModel
import EventStore
import Glibc
import PhoneLink
import Platform

/// How often the daemon crashed lately, in this boot (docs/ARCHITECTURE.md 2, "Poison").
///
/// A crash writes its own record, from the signal's handler; being killed or losing power is no crash.
struct CrashRecord {
    /// The third crash within five minutes starts in safe mode.
    static let limit = 3
    private static let window = Duration.minutes(5)
    private static let prefix = "crashed-"
    /// Of versions before, which wrote down no mark.
    private static let formerPrefix = "crashes-"

    /// Crashes within the window before this start.
    let recent: Int
    /// The channels that were at work in them.
    let suspects: [ChannelKind]

    /// Counts, and has this process write its record if it should crash.
    init(directory: String) {
        let name = "\(Self.prefix)\((SystemClock.bootIdentifier ?? "unknown").prefix(8))"
        let path = "\(directory)/\(name)"
        let now = SystemClock.bootTime()
        let crashes = CrashHandler.records(in: path).filter { now - $0.time < Self.window && $0.time <= now }
        recent = crashes.count
        suspects = ChannelKind.allCases.filter { kind in crashes.contains { $0.mark == Self.mark(kind) } }
        CrashHandler.install(recordingIn: path)
        Self.removeOthers(than: name, in: directory)
    }

    /// A fact is given to the core; a crash may be the doing of this channel.
    static func begins(_ channel: ChannelKind?) {
        CrashHandler.mark(channel.map { mark($0) } ?? 0)
        #if SABOTAGE
            guard let channel, channel == crashing else { return }
            if getenv("HOWALARMING_CRASH_DEEP") != nil { _ = dive(0) }
            preconditionFailure("crashed on purpose")
        #endif
    }

    #if SABOTAGE
        /// A channel whose facts crash this process, for tests of safe mode: HOWALARMING_CRASH=ntfy.
        private static let crashing = getenv("HOWALARMING_CRASH").flatMap {
            ChannelKind(rawValue: String(cString: $0))
        }

        /// The stack is at its end before it returns: HOWALARMING_CRASH_DEEP=1.
        private static func dive(_ depth: Int) -> Int {
            guard depth < 1 << 40 else { return 0 }
            return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { bytes in
                bytes[0] = UInt8(truncatingIfNeeded: depth)
                return dive(depth + 1) + Int(bytes[0])
            }
        }
    #endif

    private static func mark(_ kind: ChannelKind) -> Int { kind.rank + 1 }

    /// Records of earlier boots, whose times mean nothing in this one.
    static func removeOthers(than name: String, in directory: String) {
        let names = (try? StateFile.names(in: directory)) ?? []
        for other in names where other != name && (other.hasPrefix(prefix) || other.hasPrefix(formerPrefix)) {
            unlink("\(directory)/\(other)")
        }
    }
}
