import AlarmModel
import ApplianceCore
import PhoneLink

extension ConfigurationReading {
    private static var mailTimings: [WayTiming<MailSettings>] {
        [
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
            .init("reconnect_minimum", \.pace.minimum, upTo: .hours(1)),
            .init("reconnect_maximum", \.pace.maximum, upTo: .hours(1)),
            .init("reconnect_urgent", \.pace.urgentMaximum, upTo: .hours(1)),
            .init("refused_wait", \.pace.refusedWait, upTo: .hours(24)),
            .init("retry_first", \.retryFirst, upTo: .hours(1)),
        ]
    }

    /// `alert_email`, as in a HowAlarming file, with an account and encryption beside it.
    mutating func readMail(_ section: ConfigurationSection) {
        let recipients = recipients(section)
        let from = section["addr_from"].flatMap { mailAddress($0) }
        let host = section["smtp_host"].flatMap {
            self.host($0, expected: "a host name or an IP address, such as mail.example.org")
        }
        for (key, example) in [("smtp_host", "mail.example.org"), ("addr_from", "alarm@example.org")]
        where section[key] == nil {
            missing(
                key, in: section, "'\(section.path)' has no \(key)",
                expected: "'\(key)' in '\(section.path)', such as \(example)")
        }
        let login = login(section)
        let triggers = triggers(section["triggers"], otherwise: EventType.usualTriggers)
        let port = port(section["smtp_port"])
        let words: [(word: String, value: MailSettings.Security)] = [
            ("tls", .tls), ("starttls", .startTLS), ("plain", .plain),
        ]
        let asked = section["security"].flatMap { choice($0, words) }
        let caFile = authorityFile(section["ca_file"])
        guard let host, let from else { return }
        let isHere = Self.isHere(host)
        let security = asked ?? (port == 465 ? .tls : isHere ? .plain : .startTLS)
        if security == .plain, let field = section["password"] ?? section["user"] {
            report(
                at: field.place, field.path, "a password is never sent over a connection without encryption",
                expected: "'security: tls' or 'security: starttls' in '\(section.path)', or no user and password")
        } else if security == .plain, !isHere, let field = section["security"] {
            report(
                .warning, at: place(ofValue: field), field.path,
                "mail goes without encryption, so everybody on the way can read what happens in the house",
                expected: "tls or starttls")
        }
        let usual: UInt16 =
            switch security {
            case .tls: 465
            case .startTLS: 587
            case .plain: 25
            }
        var mail = MailSettings(
            host: host, port: port ?? usual, security: security, from: from, user: login?.user,
            password: login?.password, caFile: caFile)
        readTiming(section, into: &mail, Self.mailTimings)
        draft.phones.ways.append(.mail(mail))
        for (field, address) in recipients {
            addTarget(
                .mail, address, triggers, goesByOwnType: section["triggers"] == nil,
                called: "the address '\(address)'", by: field)
        }
    }

    private mutating func recipients(_ section: ConfigurationSection) -> [(ConfigurationSection.Field, String)] {
        guard let field = section["addr_to"] else {
            missing(
                "addr_to", in: section, "'\(section.path)' has no addr_to",
                expected: "'addr_to' in '\(section.path)': a mail address or a list of them")
            return []
        }
        let fields = values(field)
        if fields.isEmpty {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is an empty list",
                expected: "a mail address or a list of them")
        }
        return fields.compactMap { field in mailAddress(field).map { (field, $0) } }
    }

    /// Not shown when it is wrong: it may be the password in the wrong line.
    private mutating func mailAddress(_ field: ConfigurationSection.Field) -> String? {
        let expected = "a mail address, such as alarm@example.org"
        guard let text = text(field, expected: expected) else { return nil }
        guard MailAddress.isValid(text) else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' holds no mail address", expected: expected)
            return nil
        }
        return text
    }
}
