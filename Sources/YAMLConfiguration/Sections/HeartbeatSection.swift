import AlarmModel
import PhoneLink

/// `heartbeat`: an address that is asked for regularly, so that a service there notices when this box is dead.
struct HeartbeatSection: SettingsSection {
    private var url: HTTPURL?
    private var interval: Duration? = .minutes(15)
    private var caFile: String?
    private var isPlainMeant = false

    static let table: [Setting<Self>] = {
        let addresses = "an address such as https://hc.example.org/ping/…"
        return [
            .init("url", .url(addresses), \.url).secret.required(
                "% has no url", " or in the secrets file: \(addresses)"),
            .init("every", .span(.seconds(1) ... .hours(24)), \.interval),
            .init("ca_file", .authorityFile, \.caFile),
            .init("plain", .flag, \.isPlainMeant),
        ]
    }()

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        let oftenEnough = Duration.minutes(1)
        if let field = section["every"], let interval, interval < oftenEnough {
            reading.valueWarning(
                field,
                "'\(field.path)' is \(ConfigurationText.words(interval)): each time is a connection of its own, of some "
                    + "kilobytes", expected: "\(ConfigurationText.words(oftenEnough)) or more, but for tests")
        }
        guard let field = section["url"], let url else { return }
        if !url.isEncrypted, !HostName.isNearby(url.host), !isPlainMeant {
            return reading.valueError(
                field,
                "'\(field.path)' begins with http://, so everybody on the way can read it and speak for this box",
                expected: "https://, or 'plain: true' in 'heartbeat' if that is meant")
        }
        guard let interval else { return }
        reading.draft.deadManPing = DeadManPingSettings(url, every: interval, authorityFile: caFile)
    }
}
