import AlarmModel
import PhoneLink

extension ConfigurationReading {
    private static let oftenEnough = Duration.minutes(1)

    /// `heartbeat`: an address that is asked for regularly, so that a service there notices when this box is dead.
    mutating func readBeacon(_ section: ConfigurationSection) {
        let expected = "an address such as https://hc.example.org/ping/…"
        let caFile = authorityFile(section["ca_file"])
        let interval = section["every"].map { duration($0, in: .seconds(1) ... .hours(24)) } ?? .minutes(15)
        if let field = section["every"], let interval, interval < Self.oftenEnough {
            report(
                .warning, at: place(ofValue: field), field.path,
                "'\(field.path)' is \(Self.words(interval)): each time is a connection of its own, of some kilobytes",
                expected: "\(Self.words(Self.oftenEnough)) or more, but for tests")
        }
        let isPlainMeant = section["plain"].flatMap { flag($0) } ?? false
        guard let field = section["url"] else {
            return missing(
                "url", in: section, "'heartbeat' has no url",
                expected: "'url' in 'heartbeat' or in the secrets file: \(expected)")
        }
        // Whoever knows it can say that this box lives.
        holdsSecret = true
        guard let url = url(field, expected: expected) else { return }
        if !url.isEncrypted, !Self.isNearby(url.host), !isPlainMeant {
            report(
                at: place(ofValue: field), field.path,
                "'\(field.path)' begins with http://, so everybody on the way can read it and speak for this box",
                expected: "https://, or 'plain: true' in 'heartbeat' if that is meant")
            return
        }
        guard let interval else { return }
        draft.beacon = BeaconSettings(url, every: interval, authorityFile: caFile)
    }
}
