import AlarmModel
import PhoneLink

extension ConfigurationReading {
    /// `heartbeat`: an address that is asked for regularly, so that a service there notices when this box is dead.
    mutating func readBeacon(_ section: ConfigurationSection) {
        let expected = "an address such as https://hc.example.org/ping/…"
        let caFile = authorityFile(section["ca_file"])
        let interval = section["every"].map { duration($0, in: .seconds(1) ... .hours(24)) } ?? .minutes(15)
        let isPlainMeant = section["plain"].flatMap { flag($0) } ?? false
        guard let field = section["url"] else {
            return missing(
                "url", in: section, "'heartbeat' has no url",
                expected: "'url' in 'heartbeat' or in the secrets file: \(expected)")
        }
        // Whoever knows it can say that this box lives.
        holdsSecret = true
        guard let url = url(field, expected: expected), let interval else { return }
        if !url.isEncrypted, !Self.isNearby(url.host), !isPlainMeant {
            report(
                at: place(ofValue: field), field.path,
                "'\(field.path)' begins with http://, so everybody on the way can read it and speak for this box",
                expected: "https://, or 'plain: true' in 'heartbeat' if that is meant")
            return
        }
        draft.beacon = BeaconSettings(url, every: interval, authorityFile: caFile)
    }
}
