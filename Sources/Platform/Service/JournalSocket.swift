package import AlarmModel
import Glibc

/// The journal's own way in (systemd-journald, native protocol): one datagram for each entry, each value a field that
/// can be searched for. Never waits.
package final class JournalSocket {
    /// What became of an entry.
    package enum Result: Equatable, Sendable {
        case taken
        /// The journal does not keep up now.
        case full
        /// Nobody listens there.
        case gone
    }

    package static let path = "/run/systemd/journal/socket"
    private let descriptor: Descriptor
    private let address: SocketAddress

    /// nil when the place cannot be a socket.
    package init?(path: String = JournalSocket.path) {
        guard let address = SocketAddress(notifySocket: path) else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        self.descriptor = Descriptor(owning: descriptor)
        self.address = address
    }

    /// - Parameter text: what `journalctl` shows
    package func write(_ entry: LogEntry, text: String) -> Result {
        let bytes = Self.datagram(entry, text: text)
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        while true {
            let sent = address.with { sendto(descriptor.number, bytes, bytes.count, flags, $0, $1) }
            guard sent < 0 else { return .taken }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return .full
            case _: return .gone
            }
        }
    }

    /// MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, and HOWALARMING_… for each field of the entry.
    package static func datagram(_ entry: LogEntry, text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        func put(_ name: String, _ value: String) {
            bytes += name.utf8
            if value.utf8.contains(10) {
                // A value of several lines stands behind its length, eight bytes with the lowest first.
                let count = UInt64(value.utf8.count)
                bytes.append(10)
                bytes += (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * UInt64($0))) }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += value.utf8
            bytes.append(10)
        }
        put("MESSAGE", text)
        put("PRIORITY", String(entry.level.rawValue))
        put("SYSLOG_IDENTIFIER", "howalarming")
        for field in entry.fields { put(name(of: field.key), field.value) }
        return bytes
    }

    /// The journal takes capital letters, digits and underscores, at most 64.
    static func name(of key: String) -> String {
        let letters = key.utf8.prefix(52).map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            case _: UInt8(ascii: "_")
            }
        }
        return "HOWALARMING_" + String(decoding: letters, as: UTF8.self)
    }
}
