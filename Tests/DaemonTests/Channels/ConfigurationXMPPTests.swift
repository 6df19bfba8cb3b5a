import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@Suite struct ConfigurationXMPPTests {
    @Test("every key about the XMPP account arrives in the configuration")
    func everyKeyAboutTheXMPPAccountArrivesInTheConfiguration() throws {
        let phones = try ChannelSample.phones(
            """
            xmpp:
              jid: House@Example.org
              password: p w
              host: xmpp.example.net
              port: 5270
              security: starttls
              ca_file: ca.pem
              certificate_name: example.com
              shows_arming: yes
              timing: {ping_after: 1, ack_patience: 2}
            """, ["/etc/ha/ca.pem": ChannelSample.certificate])
        let account = try #require(XMPPAddress("house@example.org"))
        var xmpp = XMPPSettings(account: account, password: Secret("p w"))
        xmpp.host = "xmpp.example.net"
        xmpp.port = 5270
        xmpp.isDirectTLS = false
        xmpp.caFile = "/etc/ha/ca.pem"
        xmpp.certifiedName = "example.com"
        xmpp.showsArming = true
        xmpp.idleBeforePing = .seconds(1)
        xmpp.ackPatience = .seconds(2)
        #expect(phones.channels == [.xmpp(xmpp)])
        let plain = try ChannelSample.phones("xmpp: {jid: house@example.org, password: x}")
        #expect(plain.channels == [.xmpp(XMPPSettings(account: account, password: Secret("x")))])
    }

    @Test(
        "what is wrong about the XMPP account is named in its place",
        arguments: [
            (
                "xmpp: {jid: example.org, password: x}",
                "3:13: error: 'xmpp.jid' holds no account; expected the account of the house, such as house@example.org"
            ),
            ("xmpp: {jid: a@b.example/c, password: x}", "3:13: error: 'xmpp.jid' holds no account"),
            ("xmpp: {password: x}", "3:1: error: 'xmpp' has no account; expected 'jid' in 'xmpp', such as"),
            (
                "xmpp: {jid: a@b.example}",
                "3:1: error: 'xmpp' has no password; expected 'password' in 'xmpp' or in the secrets file"
            ),
            ("xmpp: {jid: a@b.example, password: ''}", "3:36: error: 'xmpp.password' is empty"),
            (
                "xmpp: {jid: a@b.example, password: x, security: plain}",
                "3:49: error: 'xmpp.security' holds a word that is not known there; expected one of tls, starttls"
            ),
            ("xmpp: {jid: a@b.example, password: x, jdi: c}", "3:39: error: unknown key 'jdi' in 'xmpp'; did you mean"),
            ("xmpp: {jid: a@b.example, password: x, host: 'a:1'}", "3:45: error: 'xmpp.host' is neither a host name"),
        ])
    func whatIsWrongAboutTheXMPPAccountIsNamedInItsPlace(text: String, begins: String) {
        ChannelSample.check(text, begins)
    }
}
