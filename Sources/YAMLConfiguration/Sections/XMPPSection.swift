import AlarmModel
import ApplianceCore
import PhoneLink

/// `xmpp`: an account of the house on any server.
struct XMPPSection: SettingsSection {
    private var account: XMPPAddress?
    private var password: Secret?
    private var host: String?
    private var port: UInt16?
    private var isDirect: Bool?
    private var caFile: String?
    private var certifiedName: String?
    private var showsArming = false

    static let table: [Setting<Self>] = [
        .init("jid", .account, \.account).required("% has no account", ", such as house@example.org"),
        .init("password", .password, \.password).secret.required("% has no password", " or in the secrets file"),
        .init("host", .host("a host name or an IP address; leave it out where it is the account's domain"), \.host),
        .init("port", .port, \.port),
        .init("security", .word([("tls", true), ("starttls", false)]), \.isDirect),
        .init("ca_file", .authorityFile, \.caFile),
        .init(
            "certificate_name", .host("the name in the server's certificate; the account's domain if left out"),
            \.certifiedName
        ),
        .init("shows_arming", .flag, \.showsArming),
        .later("timing"),
    ]

    private static let timings: [TimingSetting<XMPPSettings>] =
        [
            .init("ping_after", \.idleBeforePing, upTo: .hours(1)),
            .init("ping_patience", \.pingPatience, upTo: .minutes(5)),
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("ack_patience", \.ackPatience, upTo: .minutes(10)),
        ] + TimingSetting.reconnects(\.pace)

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        guard let account, let password else { return }
        var xmpp = XMPPSettings(account: account, password: password)
        xmpp.host = host
        xmpp.port = port
        xmpp.isDirectTLS = isDirect
        xmpp.caFile = caFile
        xmpp.certifiedName = certifiedName
        xmpp.showsArming = showsArming
        reading.readTiming(section["timing"], Self.timings, into: &xmpp)
        reading.draft.phones.settings.channels.append(.xmpp(xmpp))
    }
}

extension ValueKind where Value == XMPPAddress {
    fileprivate static var account: Self {
        Self("the account of the house, such as house@example.org", otherwise: "holds no account") { text in
            XMPPAddress(text).flatMap { !$0.local.isEmpty && $0.resource == nil ? $0 : nil }
        }
    }
}
