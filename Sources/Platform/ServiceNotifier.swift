// CLinux and Glibc both see timespec; which of them owns it depends on the order in which the compiler loads them.
import CLinux
import CSystemd
import Glibc

/// Tells the service manager how the daemon is. Does nothing when none asked to be told (NOTIFY_SOCKET).
package enum ServiceNotifier {
    package static func ready(status: String) { send(readyMessage(status: status)) }
    package static func status(_ text: String) { send("STATUS=\(line(text))") }
    package static func stopping() { send("STOPPING=1") }

    /// Ends with `ready`. CLOCK_MONOTONIC tells the manager which reload this was.
    package static func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
    }

    package static func watchdog() { send("WATCHDOG=1") }

    /// How often the manager wants to hear from us at the least; nil when it does not watch. Ping at half of it.
    package static var watchdogInterval: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    /// What a text could add to a message is one line of status, nothing else.
    package static func readyMessage(status: String) -> String { "READY=1\nSTATUS=\(line(status))" }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private static func send(_ message: String) { _ = sd_notify(0, message) }
}
