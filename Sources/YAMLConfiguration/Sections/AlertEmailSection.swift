import AlarmModel
import ApplianceCore
import PhoneLink

/// `alert_email`, as in a HowAlarming file, with an account and encryption beside it.
struct AlertEmailSection: SettingsSection {
    private var host: String?
    private var port: UInt16?
    private var from: String?
    private var recipients: [Target<String>] = []
    private var triggers: [EventType] = .usual
    private var security: MailSettings.Security?
    private var login = Login()
    private var caFile: String?

    static let table: [Setting<Self>] = {
        let lists = "a mail address or a list of them"
        return [
            .init("smtp_host", .host("a host name or an IP address, such as mail.example.org"), \.host),
            .init("smtp_port", .port, \.port),
            .init("addr_from", .mailAddress, \.from),
            .init("addr_to", .someList(of: .target(.mailAddress), lists), \.recipients)
                .required("% has no addr_to", ": \(lists)"),
            .init("triggers", .triggers, \.triggers),
            .init("security", .word([("tls", .tls), ("starttls", .startTLS), ("plain", .plain)]), \.security),
        ] + Login.table.within(\.login) + [
            .init("ca_file", .authorityFile, \.caFile),
            .later("timing"),
        ]
    }()

    private static let timings: [TimingSetting<MailSettings>] =
        [
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
        ] + TimingSetting.reconnects(\.pace) + [.init("retry_first", \.retryFirst, upTo: .hours(1))]

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        for (key, example) in [("smtp_host", "mail.example.org"), ("addr_from", "alarm@example.org")]
        where section[key] == nil {
            reading.report(
                at: section.place, section.path(of: key), "'alert_email' has no \(key)",
                expected: "'\(key)' in 'alert_email', such as \(example)")
        }
        let login = login.checked(section, &reading)
        guard let host, let from else { return }
        let isHere = HostName.isHere(host)
        let security = security ?? (port == 465 ? .tls : isHere ? .plain : .startTLS)
        if security == .plain { checkPlain(section, isHere: isHere, &reading) }
        let usual: UInt16 =
            switch security {
            case .tls: 465
            case .startTLS: 587
            case .plain: 25
            }
        var mail = MailSettings(
            host: host, port: port ?? usual, security: security, from: from, user: login?.user,
            password: login?.password, caFile: caFile)
        reading.readTiming(section["timing"], Self.timings, into: &mail)
        reading.draft.phones.settings.channels.append(.mail(mail))
        for (address, field) in recipients {
            reading.addTarget(
                .mail, address, triggers, goesByOwnType: section["triggers"] == nil, called: "the address '\(address)'",
                by: field)
        }
    }

    private func checkPlain(_ section: Mapping, isHere: Bool, _ reading: inout SettingsReading) {
        if let field = section["password"] ?? section["user"] {
            reading.error(
                field, "a password is never sent over a connection without encryption",
                expected: "'security: tls' or 'security: starttls' in 'alert_email', or no user and password")
        } else if !isHere, let field = section["security"] {
            reading.valueWarning(
                field, "mail goes without encryption, so everybody on the way can read what happens in the house",
                expected: "tls or starttls")
        }
    }
}

extension ValueKind where Value == String {
    static var mailAddress: Self {
        .text("a mail address, such as alarm@example.org", otherwise: "holds no mail address") {
            MailAddress.isValid($0)
        }
    }
}
