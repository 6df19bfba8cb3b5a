import AlarmModel
import ApplianceCore
import PhoneLink

extension ConfigurationReading {
    private static var ntfyTimings: [WayTiming<NtfySettings>] {
        [
            .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("silence", \.silence, upTo: .minutes(30)),
            .init("reconnect_minimum", \.backoff.minimum, upTo: .hours(1)),
            .init("reconnect_maximum", \.backoff.maximum, upTo: .hours(1)),
            .init("reconnect_urgent", \.backoff.urgentMaximum, upTo: .hours(1)),
            .init("refused_wait", \.backoff.refusedWait, upTo: .hours(24)),
        ]
    }

    /// `ntfy`: the topic server, the hosted one unless another is named.
    mutating func readNtfy(_ section: ConfigurationSection) {
        let server = section["server"].map { topicServer($0) } ?? (try? HTTPURL("https://ntfy.sh"))
        let access = access(section)
        let caFile = authorityFile(section["ca_file"])
        let click = section["click"].flatMap { clickURL($0) }
        guard let server else { return }
        var ntfy = NtfySettings(
            host: server.host, port: server.port, isEncrypted: server.isEncrypted, pathPrefix: server.target,
            authorityFile: caFile, access: access)
        ntfy.clickURL = click
        ntfy.phoneToken = section["phone_token"].flatMap { token($0) }
        readTiming(section, into: &ntfy, Self.ntfyTimings)
        if !server.isEncrypted {
            let remedy = "'server' in 'ntfy' that begins with https://"
            if let field = section["token"] ?? section["password"] ?? section["phone_token"] {
                warnOfPlainSecret(field, host: server.host, remedy: remedy)
            } else if let field = section["server"], !Self.isNearby(server.host) {
                report(
                    .warning, at: place(ofValue: field), field.path,
                    "'\(field.path)' begins with http://, so everybody on the way can read messages and learn the topics",
                    expected: "https:// unless the server is in the house")
            }
        }
        if let field = section["trusted"] { readTrust(field, server) }
        draft.phones.ways.append(.ntfy(ntfy))
    }

    /// A trusted server may be allowed to disarm (docs/pairing.md 10).
    private mutating func readTrust(_ field: ConfigurationSection.Field, _ server: HTTPURL) {
        guard let isTrusted = flag(field), isTrusted else { return }
        // A name may end with the dot of the root.
        let host = server.host.hasSuffix(".") ? server.host.dropLast() : server.host[...]
        guard host != "ntfy.sh", !host.hasSuffix(".ntfy.sh") else {
            return report(
                at: place(ofValue: field), field.path, "'\(field.path)' is true for a server that is not your own",
                expected: "false, or your own server in 'server'")
        }
        guard server.isEncrypted || Self.isHere(server.host) else {
            return report(
                at: place(ofValue: field), field.path,
                "'\(field.path)' is true for a server that is reached without encryption",
                expected: "false, or 'server' that begins with https://")
        }
        draft.phones.isTopicServerTrusted = true
    }

    /// Where the topics are: `https://HOST`, a port and a path where the server has them.
    private mutating func topicServer(_ field: ConfigurationSection.Field) -> HTTPURL? {
        let expected = "the address of a topic server, such as https://ntfy.sh"
        guard let url = url(field, expected: expected) else { return nil }
        guard !url.target.contains("?") else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' has a '?'; topics are appended to it",
                expected: expected)
            return nil
        }
        return url
    }

    private mutating func access(_ section: ConfigurationSection) -> NtfySettings.Access {
        let login = login(section)
        guard let field = section["token"] else { return login.map { .user($0.user, password: $0.password) } ?? .open }
        if let other = section["user"] ?? section["password"] {
            report(
                at: other.place, other.path, "'ntfy' has a token and a user or password",
                expected: "either 'token', or 'user' and 'password'")
        }
        return token(field).map { .token($0) } ?? .open
    }

    private mutating func token(_ field: ConfigurationSection.Field) -> Secret? {
        secret(
            field, expected: "an access token of the server, such as tk_…, in printable ASCII without spaces",
            isValid: { $0.utf8.count <= 512 && $0.utf8.allSatisfy { (33..<127).contains($0) } })
    }

    /// Any scheme: apps have their own. Not shown when it is wrong.
    private mutating func clickURL(_ field: ConfigurationSection.Field) -> String? {
        let expected = "what a tap on a message opens, such as https://homeassistant.local:8123"
        guard let text = text(field, expected: expected) else { return nil }
        guard text.utf8.count <= 1000, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), text.contains(":") else {
            report(at: place(ofValue: field), field.path, "'\(field.path)' is no URL", expected: expected)
            return nil
        }
        return text
    }
}
