import AlarmModel
import ApplianceCore
import PhoneLink

/// `ntfy`: the topic server, the hosted one unless another is named.
struct NtfySection: SettingsSection {
    private var server = try? HTTPURL("https://ntfy.sh")
    private var token: Secret?
    private var login = Login()
    private var caFile: String?
    private var clickURL: String?
    /// 0: without limit; nil: what fits the server.
    private var answersADay: Int?

    static let table: [Setting<Self>] =
        [.init("server", .topicServer, \.server), .init("token", .accessToken, \.token).secret]
        + Login.table.within(\.login) + [
            .later("phone_token").secret,
            .init("ca_file", .authorityFile, \.caFile),
            .later("trusted"),
            .init("click", .click, \.clickURL),
            .init("answers_a_day", .integer(0...100_000), \.answersADay),
            .later("timing"),
        ]

    private static let timings: [TimingSetting<NtfySettings>] =
        [
            .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("silence", \.silence, upTo: .minutes(30)),
        ] + TimingSetting.reconnects(\.backoff)

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        let access = access(section, &reading)
        guard let server else { return }
        var ntfy = NtfySettings(
            host: server.host, port: server.port, isEncrypted: server.isEncrypted, pathPrefix: server.target,
            authorityFile: caFile, access: access)
        ntfy.clickURL = clickURL
        ntfy.answersADay =
            answersADay.map { $0 == 0 ? nil : $0 }
            ?? (NtfySettings.isPublic(server.host) ? NtfySettings.publicAnswersADay : nil)
        ntfy.phoneToken = section["phone_token"].flatMap { ValueKind.accessToken.read(&reading, $0) }
        reading.readTiming(section["timing"], Self.timings, into: &ntfy)
        if !server.isEncrypted { warnOfPlainText(server, section, &reading) }
        if let field = section["trusted"], ValueKind.flag.read(&reading, field) ?? false {
            checkTrust(server, field, &reading)
        }
        reading.draft.phones.settings.channels.append(.ntfy(ntfy))
    }

    private func access(_ section: Mapping, _ reading: inout SettingsReading) -> NtfySettings.Access {
        let login = login.checked(section, &reading)
        guard section["token"] != nil else { return login.map { .user($0.user, password: $0.password) } ?? .open }
        if let other = section["user"] ?? section["password"] {
            reading.error(
                other, "'ntfy' has a token and a user or password", expected: "either 'token', or 'user' and 'password'"
            )
        }
        return token.map { .token($0) } ?? .open
    }

    private func warnOfPlainText(_ server: HTTPURL, _ section: Mapping, _ reading: inout SettingsReading) {
        if let field = section["token"] ?? section["password"] ?? section["phone_token"] {
            reading.warnOfPlainSecret(field, host: server.host, remedy: "'server' in 'ntfy' that begins with https://")
        } else if let field = section["server"], !HostName.isNearby(server.host) {
            reading.valueWarning(
                field,
                "'\(field.path)' begins with http://, so everybody on the way can read messages and learn the topics",
                expected: "https:// unless the server is in the house")
        }
    }

    /// A trusted server may be allowed to disarm (docs/pairing.md 10).
    private func checkTrust(_ server: HTTPURL, _ field: Field, _ reading: inout SettingsReading) {
        guard !NtfySettings.isPublic(server.host) else {
            return reading.valueError(
                field, "'\(field.path)' is true for a server that is not your own",
                expected: "false, or your own server in 'server'")
        }
        guard server.isEncrypted || HostName.isHere(server.host) else {
            return reading.valueError(
                field, "'\(field.path)' is true for a server that is reached without encryption",
                expected: "false, or 'server' that begins with https://")
        }
        reading.draft.phones.settings.isTopicServerTrusted = true
    }
}

extension ValueKind where Value == HTTPURL {
    /// Where the topics are: `https://HOST`, a port and a path where the server has them.
    fileprivate static var topicServer: Self {
        let expected = "the address of a topic server, such as https://ntfy.sh"
        return .url(expected).checked { reading, field, url in
            guard url.target.contains("?") else { return url }
            return reading.refuse(field, "'\(field.path)' has a '?'; topics are appended to it", expected: expected)
        }
    }
}

extension ValueKind where Value == Secret {
    fileprivate static var accessToken: Self {
        .printable("an access token of the server, such as tk_…, in printable ASCII without spaces", 1...512)
    }
}

extension ValueKind where Value == String {
    /// Any scheme: apps have their own.
    fileprivate static var click: Self {
        .text("what a tap on a message opens, such as https://homeassistant.local:8123", otherwise: "is no URL") {
            ConfigurationText.isPrintable($0, 1...1000) && $0.contains(":")
        }
    }
}
