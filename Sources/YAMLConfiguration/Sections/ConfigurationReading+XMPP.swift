import AlarmModel
import ApplianceCore
import PhoneLink

extension ConfigurationReading {
    private static var xmppTimings: [WayTiming<XMPPSettings>] {
        [
            .init("ping_after", \.idleBeforePing, upTo: .hours(1)),
            .init("ping_patience", \.pingPatience, upTo: .minutes(5)),
            .init("setup_deadline", \.setupDeadline, upTo: .minutes(5)),
            .init("ack_patience", \.ackPatience, upTo: .minutes(10)),
            .init("reconnect_minimum", \.pace.minimum, upTo: .hours(1)),
            .init("reconnect_maximum", \.pace.maximum, upTo: .hours(1)),
            .init("reconnect_urgent", \.pace.urgentMaximum, upTo: .hours(1)),
            .init("refused_wait", \.pace.refusedWait, upTo: .hours(24)),
        ]
    }

    /// `xmpp`: an account of the house on any server.
    mutating func readXMPP(_ section: ConfigurationSection) {
        let account = section["jid"].flatMap { self.account($0) }
        let password = section["password"].flatMap { self.password($0) }
        let host = section["host"].flatMap {
            self.host($0, expected: "a host name or an IP address; leave it out where it is the account's domain")
        }
        let port = port(section["port"])
        let words: [(word: String, value: Bool)] = [("tls", true), ("starttls", false)]
        let isDirect = section["security"].flatMap { choice($0, words) }
        let caFile = authorityFile(section["ca_file"])
        let certified = section["certificate_name"].flatMap {
            self.host($0, expected: "the name in the server's certificate; the account's domain if left out")
        }
        let shows = section["shows_arming"].flatMap { flag($0) } ?? false
        if section["jid"] == nil {
            missing("jid", in: section, "'xmpp' has no account", expected: "'jid' in 'xmpp', such as house@example.org")
        }
        if section["password"] == nil {
            missing(
                "password", in: section, "'xmpp' has no password",
                expected: "'password' in 'xmpp' or in the secrets file")
        }
        guard let account, let password else { return }
        var xmpp = XMPPSettings(account: account, password: password)
        xmpp.host = host
        xmpp.port = port
        xmpp.isDirectTLS = isDirect
        xmpp.caFile = caFile
        xmpp.certifiedName = certified
        xmpp.showsArming = shows
        readTiming(section, into: &xmpp, Self.xmppTimings)
        draft.phones.ways.append(.xmpp(xmpp))
    }

    /// Not shown when it is wrong: it may be the password in the wrong line.
    private mutating func account(_ field: ConfigurationSection.Field) -> XMPPAddress? {
        let expected = "the account of the house, such as house@example.org"
        guard let text = text(field, expected: expected) else { return nil }
        guard let account = XMPPAddress(text), !account.local.isEmpty, account.resource == nil else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' holds no account", expected: expected)
            return nil
        }
        return account
    }
}
