import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@testable import YAMLConfiguration

@Suite struct ConfigurationMailTests {
    @Test("every key about mail arrives in the configuration, each recipient once")
    func everyKeyAboutMailArrivesInTheConfiguration() throws {
        let phones = try ChannelSample.phones(
            """
            alert_email:
              smtp_host: mail.example.org
              smtp_port: 2525
              addr_from: house@example.org
              addr_to: [anna@example.org, ben@example.net]
              triggers: [fault, alarm, armed]
              security: tls
              user: house
              password: 'pa ss#'
              ca_file: ca.pem
              timing: {answer_patience: 100ms, refused_wait: 2s}
            """, ["/etc/ha/ca.pem": ChannelSample.certificate])
        var mail = MailSettings(
            host: "mail.example.org", port: 2525, security: .tls, from: "house@example.org", user: "house",
            password: Secret("pa ss#"), caFile: "/etc/ha/ca.pem")
        mail.answerPatience = .milliseconds(100)
        mail.pace.refusedWait = .seconds(2)
        #expect(phones.channels == [.mail(mail)])
        #expect(
            phones.house == [
                .init(kind: .mail, value: "anna@example.org", triggers: [.armed, .alarm, .fault]),
                .init(kind: .mail, value: "ben@example.net", triggers: [.armed, .alarm, .fault]),
            ])
    }

    @Test(
        "encryption and port follow from each other and from where the server is",
        arguments: [
            ("a.example", "", MailSettings.Security.startTLS, 587), ("a.example", "smtp_port: 465", .tls, 465),
            ("a.example", "smtp_port: 25", .startTLS, 25), ("localhost", "", .plain, 25),
            ("127.0.0.1", "smtp_port: 587", .plain, 587), ("'::1'", "", .plain, 25),
            ("a.example", "security: tls", .tls, 465),
            ("localhost", "security: starttls", .startTLS, 587),
        ])
    func encryptionAndPortFollowFromEachOtherAndFromWhereTheServer(
        host: String, more: String, security: MailSettings.Security, port: UInt16
    ) throws {
        let phones = try ChannelSample.phones(
            "alert_email:\n  smtp_host: \(host)\n  addr_from: a@b.example\n  addr_to: c@d.example\n  \(more)\n")
        #expect(
            phones.channels == [
                .mail(
                    MailSettings(
                        host: host.replacing("'", with: ""), port: port, security: security, from: "a@b.example"))
            ])
        #expect(phones.house.map(\.triggers) == [[.alarm, .recovery, .fault]])
    }

    @Test(
        "what is wrong about mail is named in its place",
        arguments: [
            ("addr_to: 'x y'", "4:12: error: 'alert_email.addr_to' holds no mail address; expected a mail address"),
            ("addr_to: [a@b.example, a@b.example]", "4:26: error: the address 'a@b.example' is set twice: here and at"),
            ("addr_to: []", "4:12: error: 'alert_email.addr_to' is an empty list"),
            ("addr_to: [~]", "4:13: error: 'alert_email.addr_to' is empty"),
            ("addr_to: a@b.example\n  smtp_port: 0", "5:14: error: 'alert_email.smtp_port' is 0"),
            (
                "addr_to: a@b.example\n  triggers: [alarm, faults]",
                "5:21: error: 'alert_email.triggers' holds a word that is not known there; did you mean 'fault'?"
            ),
            (
                "addr_to: a@b.example\n  triggers: [1234567]",
                "5:14: error: 'alert_email.triggers' holds a word that is not known there; expected one of command, info"
            ),
            ("addr_to: a@b.example\n  triggers: []", "5:13: warning: 'alert_email.triggers' is an empty list"),
            (
                "addr_to: a@b.example\n  security: ssl",
                "5:13: error: 'alert_email.security' holds a word that is not known there; did you mean 'tls'?"
            ),
            (
                "addr_to: a@b.example\n  security: plain",
                "5:13: warning: mail goes without encryption, so everybody on the way can read what happens"
            ),
            (
                "addr_to: a@b.example\n  security: plain\n  user: u\n  password: p",
                "7:3: error: a password is never sent over a connection without encryption; expected 'security: tls'"
            ),
            (
                "addr_to: a@b.example\n  user: u",
                "5:3: error: 'alert_email' has a user and no password; expected 'password' in 'alert_email' or in the"
            ),
            (
                "addr_to: a@b.example\n  password: u",
                "5:3: error: 'alert_email' has a password and no user; expected 'user' in 'alert_email'"
            ),
            (
                "addr_to: a@b.example\n  ca_file: x.pem",
                "5:12: error: the certificates of 'alert_email.ca_file' cannot be read: there is no such file"
            ),
            (
                "addr_to: a@b.example\n  pasword: x",
                "5:3: error: unknown key 'pasword' in 'alert_email'; did you mean 'password'?"
            ),
            (
                "addr_to: a@b.example\n  timing: {answer_patience: 0}",
                "5:29: error: 'alert_email.timing.answer_patience' is 0; expected seconds"
            ),
            (
                "addr_to: a@b.example\n  timing: {reconnect_minimum: 2min}",
                "5:12: error: the shortest wait before a reconnect, 2 min, is above the longest, 1 min"
            ),
        ])
    func whatIsWrongAboutMailIsNamedInItsPlace(lines: String, begins: String) {
        ChannelSample.check(
            "alert_email: \n  \(lines)\n  smtp_host: a.example\n  addr_from: a@b.example\n", begins)
    }

    @Test("what is missing is asked for at the section")
    func whatIsMissingIsAskedForAtTheSection() {
        #expect(
            ChannelSample.problems("alert_email:\n") == [
                "3:1: error: 'alert_email' has no addr_to; expected 'addr_to' in 'alert_email': a mail address or a list "
                    + "of them",
                "3:1: error: 'alert_email' has no smtp_host; expected 'smtp_host' in 'alert_email', such as "
                    + "mail.example.org",
                "3:1: error: 'alert_email' has no addr_from; expected 'addr_from' in 'alert_email', such as "
                    + "alarm@example.org",
            ])
    }

    @Test("the account may stand in the secrets file, not twice, and not for a way that nobody asked for")
    func theAccountMayStandInTheSecretsFile() throws {
        let main =
            "secrets: s\nalert_email: {smtp_host: a.example, addr_from: a@b.example, addr_to: c@d.example}\n"
        let phones = try ChannelSample.phones(main, ["/etc/ha/s": "alert_email: {user: u, password: p}"])
        guard case .mail(let mail)? = phones.channels.first else {
            Issue.record("no mail")
            return
        }
        #expect(mail.user == "u" && mail.password == Secret("p"))
        #expect(
            ChannelSample.problems(
                main.replacing("}", with: ", password: q}"), ["/etc/ha/s": "alert_email: {user: u, password: p}"]) == [
                    "/etc/ha/s:1:24: error: 'alert_email.password' is set twice: here and at 4:83; "
                        + "expected one of the two"
                ])
        #expect(
            ChannelSample.problems("secrets: s\n", ["/etc/ha/s": "alert_email: {user: u, password: p}"]) == [
                "/etc/ha/s:1:1: error: 'alert_email' stands in the secrets file only, so nothing uses it; expected "
                    + "'alert_email' in the main file, too"
            ])
        #expect(
            ChannelSample.problems(main, ["/etc/ha/s": "alert_email: {smtp_host: x}"]).map { String($0.prefix(75)) }
                == [
                    "/etc/ha/s:1:15: error: unknown key 'smtp_host' in 'alert_email'; did you me"
                ])
        let open = ChannelSample.read(main, ["/etc/ha/s": "alert_email: {user: u, password: p}"], mode: 0o644)
        #expect(open.problems.map(\.file) == ["/etc/ha/s"])
    }
}
