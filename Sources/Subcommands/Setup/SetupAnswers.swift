import AlarmModel
import PhoneProtocol
import YAMLConfiguration

/// What a set-up has found out, and the configuration that is made of it.
struct SetupAnswers: Equatable {
    struct Zone: Equatable {
        var number: Int
        var name: String
        /// Setting beside the name in the zone's entry; nil: none.
        var setting: String?
    }

    struct WiFi: Equatable {
        /// Two capital letters.
        var country: String
        var name: String
        /// nil: an open network.
        var password: Secret?
    }

    var module: Endpoint
    var password: Secret
    var siteName = "Home"
    /// nil: the machine does not say; the times are UTC then.
    var timeZone: String?
    var partitions: [Int] = []
    var zones: [Zone] = []
    var person = ""
    var language = NoticeLanguage.english
    /// Of the house, at a box without a cable.
    var wifi: WiFi?
    /// Of the store app, without its server; nil: none is wanted.
    var topic: Secret?

    static let modulePort: UInt16 = 4025
    static let server = "ntfy.sh"

    /// 24 characters of base32, which are 120 bits.
    ///
    /// - Parameter random: 15 bytes
    static func topic(_ random: [UInt8]) -> Secret { Secret(Base32.encode(random).lowercased()) }

    /// `howalarming.yaml`.
    var file: String {
        var lines = [
            "# Made by 'howalarming setup'. The example that came with HowAlarming shows what else can stand here.", "",
        ]
        lines.append("site:")
        lines.append("  name: \(Self.quoted(siteName))")
        lines.append("  language: \(language.rawValue)")
        if let timeZone { lines.append("  time_zone: \(Self.quoted(timeZone))") }
        lines += ["", "panel:", "  host: \(Self.quoted("\(module.address)"))"]
        if module.port != Self.modulePort { lines.append("  port: \(module.port)") }
        lines += ["  password: \(Self.quoted(password.revealed))", ""]
        if let wifi {
            lines += ["network:", "  wifi:", "    country: \(Self.quoted(wifi.country))"]
            lines.append("    ssid: \(Self.quoted(wifi.name))")
            if let password = wifi.password { lines.append("    password: \(Self.quoted(password.revealed))") }
            lines.append("")
        }
        if !partitions.isEmpty {
            lines.append("partitions:")
            lines += partitions.map { "  \($0): \(Self.quoted("Partition \($0)"))" } + [""]
        }
        if !zones.isEmpty {
            lines.append(
                "# What a zone watches gives its alarm the right words: {name: Hall smoke, fire: true}, or device_class."
            )
            lines.append("zones:")
            lines += zones.map { "  \($0.number): \(Self.entry(of: $0))" } + [""]
        }
        if let topic {
            lines += [
                "ntfy:", "  server: https://\(Self.server)", "",
                "# The topic is a secret: whoever knows it reads what is sent.",
                "people:", "  \(Self.quoted(person)):", "    language: \(language.rawValue)", "    store_apps:",
                "      Phone: \(topic.revealed)",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What the file's reader would refuse.
    var errors: [ConfigurationProblem] {
        ConfigurationReader.read(
            bytes: Array(file.utf8), name: "howalarming.yaml", files: SystemConfigurationFiles()
        ).problems.filter { $0.severity == .error }
    }

    private static func entry(of zone: Zone) -> String {
        zone.setting.map { "{name: \(quoted(zone.name)), \($0)}" } ?? quoted(zone.name)
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
