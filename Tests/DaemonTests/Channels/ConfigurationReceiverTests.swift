import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@testable import YAMLConfiguration

@Suite struct ConfigurationReceiverTests {
    private static let plain = "host: 192.168.1.20, port: 9999, account: '12ab'"

    @Test("host, port and account are enough; the key may stand in the secrets file, and is not shown")
    func hostPortAndAccountAreEnough() throws {
        let bare = ChannelSample.read("receiver: {host: localhost, port: 9999, account: '12ab'}")
        #expect(bare.problems == [])
        let phones = try #require(bare.configuration?.phones)
        #expect(phones.channels == [.receiver(ReceiverSettings(host: "localhost", port: 9999, account: "12AB"))])
        #expect(
            phones.house == [
                .init(
                    kind: .receiver, value: "12AB", triggers: [.armed, .disarmed, .alarm, .recovery, .fault],
                    goesByOwnType: true)
            ])
        let digits = "850cba22f7dd4f033405da83e4c5bae9"
        let parted = ChannelSample.read(
            "secrets: s.yaml\nreceiver: {\(Self.plain), tls: true, receiver_number: '1F', line_number: '0A', duress: true, "
                + "poll: 1min}", ["/etc/ha/s.yaml": "receiver: {key: \(digits)}\n"])
        #expect(parted.problems == [])
        var expected = ReceiverSettings(
            host: "192.168.1.20", port: 9999, security: .tls(authorityFile: nil), account: "12AB", key: Secret(digits))
        (expected.receiver, expected.line, expected.pollInterval) = (0x1F, 0x0A, .minutes(1))
        #expect(parted.configuration?.phones.channels == [.receiver(expected)])
        #expect(parted.configuration?.phones.house.first?.isDuressContact == true)
        #expect(parted.configuration.map { "\($0)".contains(digits) } == false)
        let letters = ChannelSample.read("receiver: {\(Self.plain), key_characters: AAAAAAAAAAAAAAAB}")
        guard case .receiver(let settings)? = letters.configuration?.phones.channels.first else {
            Issue.record("\(letters.problems)")
            return
        }
        #expect(settings.key == Secret("41414141414141414141414141414142"))
        #expect(
            ChannelSummary.lines(try #require(letters.configuration?.phones)).contains(
                "reports to the receiver 192.168.1.20:9999"))
    }

    @Test(
        "what is wrong is named with its place",
        arguments: [
            ("receiver: {port: 9999, account: '1234'}", "3:1: error: 'receiver' has no host"),
            ("receiver: {host: a.example, account: '1234'}", "3:1: error: 'receiver' has no port"),
            ("receiver: {host: a.example, port: 9999}", "3:1: error: 'receiver' has no account"),
            ("receiver: {host: a.example, port: 9999, account: 12}", "3:50: error: 'receiver.account'"),
            (
                "receiver: {host: a.example, port: 9999, account: '12xy'}",
                "3:50: error: 'receiver.account' holds no account"
            ),
            (
                "receiver: {\(plain), receiver_number: '1234567'}",
                "error: 'receiver.receiver_number' holds no such number"
            ),
            ("receiver: {\(plain), key: '1234'}", "error: 'receiver.key' holds 4 characters that cannot be it"),
            ("receiver: {\(plain), key_characters: 'a b'}", "error: 'receiver.key_characters' holds 3 characters"),
            ("receiver: {\(plain), poll: 5}", "error: 'receiver.poll' is 5"),
            ("receiver: {\(plain), dures: true}", "did you mean 'duress'?"),
            (
                "receiver: {\(plain), key: 850cba22f7dd4f033405da83e4c5bae9, key_characters: AAAAAAAAAAAAAAAB}",
                "error: 'receiver.key_characters' is set, and so is the key"
            ),
            ("receiver: {\(plain), ca_file: ca.pem}", "warning: 'receiver.ca_file' serves nothing"),
            ("receiver: {\(plain)}", "warning: everybody on the way to this receiver can read what happens"),
            (
                "receiver: {\(plain), key: 850cba22f7dd4f033405da83e4c5bae9}",
                "warning: whoever is on the way to this receiver can hold its answer back"
            ),
        ])
    func whatIsWrongIsNamed(_ text: String, _ expected: String) {
        let found = ChannelSample.problems(text)
        #expect(found.contains { $0.includes(expected) }, "\(found)")
        #expect(!found.contains { $0.includes("850cba22") })
    }
}
