import AlarmModel
import EventStore
import Glibc
import Platform

/// What the machine says of itself and its network.
enum SystemFacts {
    private static let files = [
        "/etc/os-release", "/proc/version", "/proc/uptime", "/proc/loadavg", "/proc/meminfo", "/proc/mounts",
        "/proc/pressure/io", "/proc/net/dev", "/proc/net/route", "/proc/net/ipv6_route", "/proc/net/if_inet6",
        "/proc/net/sockstat", "/etc/resolv.conf", "/sys/class/thermal/thermal_zone0/temp",
        "/sys/class/watchdog/watchdog0/identity", "/sys/class/watchdog/watchdog0/state",
        "/sys/class/watchdog/watchdog0/timeout",
    ]
    private static let limit = 64 * 1024

    static func text(stateDirectory: String) -> String {
        var sections = files.map { file in
            let content = (try? FileReader.read(file, limit: limit)).map { String(decoding: $0, as: UTF8.self) }
            return "== \(file)\n\(content ?? "(not there)\n")"
        }
        sections.append("== \(stateDirectory)\n" + listing(stateDirectory))
        sections.append(
            "== clock\nsynchronised: \(SystemClock.isSynchronised)\nboot time: "
                + "\(SystemClock.bootTime().nanoseconds / 1_000_000_000) s\n")
        return sections.joined(separator: "\n")
    }

    /// Names, sizes and modes.
    private static func listing(_ directory: String) -> String {
        guard let names = try? StateFile.names(in: directory) else { return "(cannot be listed)\n" }
        return (["."] + names).map { name in
            var status = stat()
            guard lstat("\(directory)/\(name)", &status) == 0 else { return "\(name): gone\n" }
            let mode = String(status.st_mode & 0o7777, radix: 8)
            return "\(mode) \(status.st_uid):\(status.st_gid) \(status.st_size) \(name)\n"
        }.joined()
    }
}
