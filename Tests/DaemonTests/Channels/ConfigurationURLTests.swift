import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@Suite struct ConfigurationURLTests {
    @Test("an address may be a text as in an old file, or a map with method, secret, certificates and triggers")
    func anAddressMayBeATextAsInAnOldFile() throws {
        let phones = try ChannelSample.phones(
            """
            alert_url:
              triggers: [alarm]
              secret: 0123456789abcdef
              urls:
                - https://a.example/hook?type=
                - {url: https://b.example/, method: post, secret: fedcba9876543210, ca_file: ca.pem, triggers: fault}
                - {url: http://192.168.1.9/x, method: post}
            """, ["/etc/ha/ca.pem": ChannelSample.certificate])
        let targets = [
            try URLTarget("https://a.example/hook?type=", method: .get, secret: Secret("0123456789abcdef")),
            try URLTarget(
                "https://b.example/", method: .post, secret: Secret("fedcba9876543210"),
                authorityFile: "/etc/ha/ca.pem"),
            try URLTarget("http://192.168.1.9/x", method: .post, secret: Secret("0123456789abcdef")),
        ]
        #expect(phones.channels == [.url(URLSettings(targets: targets))])
        #expect(
            phones.house == [
                .init(kind: .url, value: "https://a.example/hook?type=", triggers: [.alarm]),
                .init(kind: .url, value: "https://b.example/", triggers: [.fault]),
                .init(kind: .url, value: "http://192.168.1.9/x", triggers: [.alarm]),
            ])
    }

    @Test("one address needs no list, and without triggers nobody learns who is away")
    func oneAddressNeedsNoList() throws {
        let phones = try ChannelSample.phones("alert_url: {urls: https://a.example/}")
        #expect(
            phones.house == [.init(kind: .url, value: "https://a.example/", triggers: [.alarm, .recovery, .fault])])
    }

    @Test(
        "what is wrong about an address is named in its place, and the address is not shown",
        arguments: [
            ("alert_url:", "3:1: error: 'alert_url' has no urls; expected 'urls' in 'alert_url': a list"),
            ("alert_url: {urls: []}", "3:19: error: 'alert_url.urls' is an empty list"),
            (
                "alert_url: {urls: [ftp://a.example/k3y]}",
                "3:20: error: 'alert_url.urls' is no URL: the URL begins with neither http:// nor https://; expected an"
            ),
            (
                "alert_url: {urls: ['https://u:k3y@a.example/']}",
                "3:20: error: 'alert_url.urls' is no URL: the URL has a name or password before the host"
            ),
            (
                "alert_url: {urls: ['http://a.example/k3y']}",
                "3:20: warning: an address of 'alert_url.urls' begins with http://, so everybody on the way can read"
            ),
            (
                "alert_url: {urls: ['https://a.example/k3y', 'https://a.example/k3y']}",
                "3:45: error: an address of 'alert_url.urls' is set twice: here and at /etc/ha/c.yaml:3:20"
                    .replacing("/etc/ha/c.yaml:", with: "")
            ),
            ("alert_url: {urls: [{method: post}]}", "3:20: error: an entry of 'alert_url.urls' has no url; expected a"),
            (
                "alert_url: {urls: [{url: https://a.example/, metod: post}]}",
                "3:46: error: unknown key 'metod' in 'alert_url.urls'; did you mean 'method'?"
            ),
            (
                "alert_url: {urls: [{url: https://a.example/, method: put}]}",
                "3:54: error: 'alert_url.urls.method' holds a word that is not known there"
            ),
            (
                "alert_url: {urls: https://a.example/, secret: k3y}",
                "3:47: error: 'alert_url.secret' holds 3 characters that cannot be it; expected 16 to 256 characters"
            ),
        ])
    func whatIsWrongAboutAnAddressIsNamedInItsPlace(text: String, begins: String) {
        ChannelSample.check(text, begins)
        #expect(ChannelSample.problems(text).allSatisfy { !$0.contains("k3y") })
    }
}
