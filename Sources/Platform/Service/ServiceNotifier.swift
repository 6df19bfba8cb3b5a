// CLinux and Glibc both see timespec; which of them owns it depends on the order in which the compiler loads them.
import CLinux
import CSystemd
import Glibc

/// Tells the service manager how the daemon is (sd_notify(3)), without ever waiting for it, which libsystemd's own call
/// does when nobody reads the manager's socket.
///
/// Each call gives false when the manager's queue is full: tell it again a little later. It gives true when there is
/// nobody to be told, or nobody who could be (NOTIFY_SOCKET).
package enum ServiceNotifier {
    @discardableResult
    package static func ready(status: String) -> Bool { send(readyMessage(status: status)) }
    @discardableResult
    package static func status(_ text: String) -> Bool { send("STATUS=\(line(text))") }
    @discardableResult
    package static func stopping() -> Bool { send("STOPPING=1") }

    /// Ends with `ready`. CLOCK_MONOTONIC tells the manager which reload this was.
    @discardableResult
    package static func reloading() -> Bool {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
    }

    @discardableResult
    package static func watchdog() -> Bool { send("WATCHDOG=1") }

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

    private static func send(_ message: String) -> Bool {
        guard let place = getenv("NOTIFY_SOCKET") else { return true }
        return send(message, to: String(cString: place))
    }

    /// One datagram.
    /// - Parameter place: a path, or the name of an abstract socket with `@` before it
    package static func send(_ message: String, to place: String) -> Bool {
        guard let address = SocketAddress(notifySocket: place) else { return true }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return true }
        let owner = Descriptor(owning: descriptor)
        let bytes = Array(message.utf8)
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        while true {
            let sent = address.with { sendto(owner.number, bytes, bytes.count, flags, $0, $1) }
            guard sent < 0 else { return true }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return false
            case _: return true
            }
        }
    }
}
