import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@testable import Subcommands

@Suite struct ConfigurationNtfyTests {
    @Test("the name of the section alone is enough: the hosted server without an account")
    func theNameOfTheSectionAloneIsEnough() throws {
        for text in ["ntfy:\n", "ntfy: {}", "ntfy: {server: https://ntfy.sh}", "ntfy: {server: HTTPS://NTFY.SH/}"] {
            let phones = try ChannelSample.phones(text)
            var ntfy = NtfySettings()
            ntfy.answersADay = NtfySettings.publicAnswersADay
            #expect(phones.channels == [.ntfy(ntfy)])
            #expect(!phones.isTopicServerTrusted && phones.house == [])
        }
    }

    @Test("every key about the topic server arrives in the configuration")
    func everyKeyAboutTheTopicServerArrivesInTheConfiguration() throws {
        let phones = try ChannelSample.phones(
            """
            ntfy:
              server: https://push.example.net:8443/ntfy/
              token: tk_abc
              phone_token: tk_def
              ca_file: ca.pem
              trusted: true
              click: homeassistant://navigate/alarm
              timing: {answer_patience: 1, setup_deadline: 2, silence: 3, reconnect_maximum: 4}
            """, ["/etc/ha/ca.pem": ChannelSample.certificate])
        var ntfy = NtfySettings(
            host: "push.example.net", port: 8443, pathPrefix: "/ntfy", authorityFile: "/etc/ha/ca.pem",
            access: .token(Secret("tk_abc")))
        ntfy.clickURL = "homeassistant://navigate/alarm"
        ntfy.phoneToken = Secret("tk_def")
        ntfy.answerPatience = .seconds(1)
        ntfy.setupDeadline = .seconds(2)
        ntfy.silence = .seconds(3)
        ntfy.backoff.maximum = .seconds(4)
        #expect(phones.channels == [.ntfy(ntfy)])
        #expect(phones.isTopicServerTrusted)
    }

    @Test(
        "answers a day are limited at the public server, elsewhere only where that is written; 0 is without limit",
        arguments: [
            ("server: https://ntfy.sh, answers_a_day: 0", nil), ("server: https://ntfy.sh, answers_a_day: 30", 30),
            ("server: https://NTFY.sh.", 100), ("server: https://push.example.net", nil),
            ("server: https://push.example.net, answers_a_day: 5", 5),
        ])
    func answersADayAreLimitedAtThePublicServer(_ section: String, _ limit: Int?) throws {
        guard case .ntfy(let ntfy) = try ChannelSample.phones("ntfy: {\(section)}").channels.first else { return }
        #expect(ntfy.answersADay == limit)
    }

    @Test("user and password are an account, too, and may stand in the secrets file")
    func userAndPasswordAreAnAccount() throws {
        let phones = try ChannelSample.phones(
            "secrets: s\nntfy: {server: 'http://127.0.0.1:2586', user: box}", ["/etc/ha/s": "ntfy: {password: p q}"])
        let ntfy = NtfySettings(
            host: "127.0.0.1", port: 2586, isEncrypted: false, access: .user("box", password: Secret("p q")))
        #expect(phones.channels == [.ntfy(ntfy)])
        let token = try ChannelSample.phones("secrets: s\nntfy:\n", ["/etc/ha/s": "ntfy: {token: tk_1}"])
        var withToken = NtfySettings(access: .token(Secret("tk_1")))
        withToken.answersADay = NtfySettings.publicAnswersADay
        #expect(token.channels == [.ntfy(withToken)])
    }

    @Test(
        "what is wrong about the topic server is named in its place",
        arguments: [
            (
                "ntfy: {server: ntfy.sh}",
                "3:16: error: 'ntfy.server' is no URL: the URL begins with neither http:// nor"
            ),
            (
                "ntfy: {server: 'https://a.example/?x'}",
                "3:16: error: 'ntfy.server' has a '?'; topics are appended to it"
            ),
            (
                "ntfy: {server: 'http://a.example'}",
                "3:16: warning: 'ntfy.server' begins with http://, so everybody on the way can read messages and learn"
            ),
            (
                "ntfy: {server: 'http://192.168.1.4', token: tk_1}",
                "3:38: warning: 'ntfy.token' goes over a connection without encryption, so everybody on the way can"
            ),
            ("ntfy: {user: u}", "3:8: error: 'ntfy' has a user and no password; expected 'password' in 'ntfy' or in"),
            ("ntfy: {password: u}", "3:8: error: 'ntfy' has a password and no user; expected 'user' in 'ntfy'"),
            (
                "ntfy: {token: t, user: u, password: p}",
                "3:18: error: 'ntfy' has a token and a user or password; expected either 'token', or 'user' and"
            ),
            (
                "ntfy: {token: a b}",
                "3:15: error: 'ntfy.token' holds 3 characters that cannot be it; expected an access"
            ),
            ("ntfy: {trusted: true}", "3:17: error: 'ntfy.trusted' is true for a server that is not your own"),
            (
                "ntfy: {trusted: true, server: 'https://NTFY.sh./'}",
                "3:17: error: 'ntfy.trusted' is true for a server that is not your own"
            ),
            (
                "ntfy: {trusted: true, server: 'https://eu.ntfy.sh.'}",
                "3:17: error: 'ntfy.trusted' is true for a server that is not your own"
            ),
            (
                "ntfy: {server: 'http://192.168.1.4', trusted: true}",
                "3:47: error: 'ntfy.trusted' is true for a server that is reached without encryption"
            ),
            ("ntfy: {click: x y}", "3:15: error: 'ntfy.click' is no URL; expected what a tap on a message opens"),
            ("ntfy: {sever: x}", "3:8: error: unknown key 'sever' in 'ntfy'; did you mean 'server'?"),
            ("ntfy: [a]", "3:7: error: 'ntfy' holds a list; expected keys such as 'server' with a colon"),
            ("ntfy: {timing: {silence: 0}}", "3:26: error: 'ntfy.timing.silence' is 0; expected seconds, or a number"),
            ("nfty:\n", "3:1: error: unknown key 'nfty' in the file; did you mean 'ntfy'?"),
            ("ntfy:\nntfy:\n", "4:1: error: 'ntfy' is there twice: here and at"),
        ])
    func whatIsWrongAboutTheTopicServerIsNamedInItsPlace(text: String, begins: String) {
        ChannelSample.check(text, begins)
    }

    @Test("check says which channels are configured, and shows no secret of them")
    func checkSaysWhichChannelsAreConfigured() {
        let house = """
            site: {name: Test, time_zone: UTC}
            panel: {host: 192.0.2.1, password: ours}

            """
        let text = """
            ntfy: {token: S3CRET}
            fcm_v1: {service_account: /k}
            xmpp: {jid: house@house.test, password: S3CRET}
            mqtt: {host: broker.example, user: u, password: S3CRET}
            alert_email: {smtp_host: localhost, addr_from: a@b.example, addr_to: [c@d.example, e@f.example]}
            alert_url: {urls: https://a.example/S3CRET}
            alert_gcm: {sender_id: 1, api_key: S3CRET}
            phones: {fcm: {host: push.house.test}}

            """
        let report = CheckCommand.report(
            file: "c", files: FakeFiles(["c": house + text, "/k": ConfigurationFCMTests.account]))
        #expect(
            report.lines == [
                "c: valid — panel 192.0.2.1:4025, 1 partition, 0 zones, 0 users, ntfy through ntfy.sh, "
                    + "FCM project my-house, XMPP as house@house.test, MQTT through broker.example, "
                    + "mail to 2 addresses through localhost, 1 URL, phones through push.house.test"
            ])
    }
}
