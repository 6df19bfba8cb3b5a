package import AlarmModel
import Glibc
import Platform

/// The time zone in which this machine shows times.
package enum LocalTime {
    /// From TZ where it names a zone, else from `/etc/localtime`; UTC when neither can be read.
    package static func rules() -> TimeZoneRules {
        if let name = getenv("TZ").map({ String(cString: $0) }), !name.isEmpty {
            let plain = name.hasPrefix(":") ? String(name.dropFirst()) : name
            if let rules = read(plain.hasPrefix("/") ? plain : "/usr/share/zoneinfo/\(plain)", name: plain) {
                return rules
            }
        }
        return read("/etc/localtime", name: "local") ?? .utc
    }

    /// - Parameter name: of the time zone database, such as `Europe/Vienna`; UTC when it is not known here
    package static func rules(of name: String) -> TimeZoneRules {
        let isPlace = !name.hasPrefix("/") && !name.split(separator: "/").contains("..")
        return isPlace ? read("/usr/share/zoneinfo/\(name)", name: name) ?? .utc : .utc
    }

    private static func read(_ path: String, name: String) -> TimeZoneRules? {
        guard let bytes = try? FileReader.read(path, limit: 256 * 1024) else { return nil }
        return try? TimeZoneRules(name: name, tzif: bytes)
    }
}
