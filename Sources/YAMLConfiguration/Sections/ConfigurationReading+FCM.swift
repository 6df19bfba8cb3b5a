import AlarmModel
import ApplianceCore
import PhoneLink

extension ConfigurationReading {
    private static var fcmTimings: [WayTiming<FCMSettings>] {
        [
            .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("stream_patience", \.streamPatience, upTo: .minutes(10)),
            .init("reconnect_minimum", \.backoff.minimum, upTo: .hours(1)),
            .init("reconnect_maximum", \.backoff.maximum, upTo: .hours(1)),
            .init("reconnect_urgent", \.backoff.urgentMaximum, upTo: .hours(1)),
            .init("refused_wait", \.backoff.refusedWait, upTo: .hours(24)),
            .init("quota_wait", \.quotaWait, upTo: .hours(1)),
        ]
    }

    /// `fcm_v1`: the key file of a service account, and the database for what comes back.
    mutating func readFCM(_ section: ConfigurationSection) {
        let database = section["database"].flatMap { databaseURL($0) }
        let caFile = authorityFile(section["ca_file"])
        let host = section["host"].map { self.host($0, expected: "a host name; leave it out for Google's own") }
        let port = port(section["port"])
        guard let field = section["service_account"] else {
            return missing(
                "service_account", in: section, "'fcm_v1' has no service account",
                expected: "'service_account' in 'fcm_v1': the path of the key file (JSON) from the project's settings")
        }
        guard let account = serviceAccount(field) else { return }
        var fcm = FCMSettings(account: account, databaseURL: database, caFile: caFile)
        if let host { fcm.host = host ?? "" }
        if let port { fcm.port = port }
        readTiming(section, into: &fcm, Self.fcmTimings)
        draft.phones.ways.append(.fcm(fcm))
    }

    private mutating func serviceAccount(_ field: ConfigurationSection.Field) -> ServiceAccount? {
        let expected = "the path of the key file (JSON) of a service account"
        guard let full = path(field, expected: expected) else { return nil }
        let found: ConfigurationFile
        do throws(ConfigurationFileFailure) {
            found = try files.read(full, limit: ConfigurationReader.sizeLimit)
        } catch {
            report(
                at: place(ofValue: field), field.path,
                "the key file of '\(field.path)' cannot be read: \(error)", expected: expected)
            return nil
        }
        warnOfMode(found.mode, of: full)
        do throws(ServiceAccountError) {
            return try ServiceAccount(parsing: found.bytes)
        } catch {
            report(
                at: place(ofValue: field), field.path, "the key file of '\(field.path)' cannot be used: \(error)",
                expected: expected)
            return nil
        }
    }

    private mutating func databaseURL(_ field: ConfigurationSection.Field) -> HTTPURL? {
        let expected =
            "the place of the commands in the Realtime Database, such as https://NAME.firebaseio.com/commands"
        guard let url = url(field, expected: expected) else { return nil }
        guard url.isEncrypted else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' does not begin with https://",
                expected: expected)
            return nil
        }
        guard !url.target.contains("?"), !url.target.hasSuffix(".json") else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' has a '?' or '.json' behind the place",
                expected: expected)
            return nil
        }
        // Whatever lies in the place and is no message is removed.
        guard url.target.contains(where: { $0 != "/" }) else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' names the whole database and no place in it",
                expected: expected)
            return nil
        }
        return url
    }
}
