import AlarmModel
import ApplianceCore
import PhoneLink

/// `fcm_v1`: the key file of a service account, and the database for what comes back.
struct FCMv1Section: SettingsSection {
    private var account: ServiceAccount?
    private var database: HTTPURL?
    private var host: String?
    private var port: UInt16?
    private var caFile: String?

    static let table: [Setting<Self>] = [
        .init("service_account", .serviceAccount, \.account).required(
            "% has no service account", ": the path of the key file (JSON) from the project's settings"),
        .init("database", .database, \.database),
        .init("host", .host("a host name; leave it out for Google's own"), \.host),
        .init("port", .port, \.port),
        .init("ca_file", .authorityFile, \.caFile),
        .later("timing"),
    ]

    private static let timings: [TimingSetting<FCMSettings>] =
        [
            .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("stream_patience", \.streamPatience, upTo: .minutes(10)),
        ] + TimingSetting.reconnects(\.backoff) + [.init("quota_wait", \.quotaWait, upTo: .hours(1))]

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        guard let account else { return }
        var fcm = FCMSettings(account: account, databaseURL: database, caFile: caFile)
        if let host { fcm.host = host }
        if let port { fcm.port = port }
        reading.readTiming(section["timing"], Self.timings, into: &fcm)
        reading.draft.phones.settings.channels.append(.fcm(fcm))
    }
}

extension ValueKind where Value == ServiceAccount {
    fileprivate static var serviceAccount: Self {
        let expected = "the path of the key file (JSON) of a service account"
        let path = ValueKind<String>.path(expected)
        return Self { reading, field in
            guard let path = path.read(&reading, field),
                let file = reading.file(path, of: field, called: "the key file", expected: expected)
            else { return nil }
            reading.warnOfMode(file.mode, of: path)
            do throws(ServiceAccountError) {
                return try ServiceAccount(parsing: file.bytes)
            } catch {
                return reading.refuse(
                    field, "the key file of '\(field.path)' cannot be used: \(error)", expected: expected)
            }
        }
    }
}

extension ValueKind where Value == HTTPURL {
    fileprivate static var database: Self {
        let expected =
            "the place of the commands in the Realtime Database, such as https://NAME.firebaseio.com/commands"
        return .url(expected).checked { reading, field, url in
            let what: String
            if !url.isEncrypted {
                what = "does not begin with https://"
            } else if url.target.contains("?") || url.target.hasSuffix(".json") {
                what = "has a '?' or '.json' behind the place"
            } else if url.target.allSatisfy({ $0 == "/" }) {
                // Whatever lies in the place and is no message is removed.
                what = "names the whole database and no place in it"
            } else {
                return url
            }
            return reading.refuse(field, "'\(field.path)' \(what)", expected: expected)
        }
    }
}
