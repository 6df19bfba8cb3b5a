import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@testable import YAMLConfiguration

@Suite struct ConfigurationUPSTests {
    @Test("host and name are enough; user and password may stand in the secrets file, and are not shown")
    func hostAndNameAreEnough() throws {
        let bare = ChannelSample.read("ups: {host: 192.168.1.20, name: eaton}")
        #expect(bare.problems == [])
        #expect(bare.configuration?.ups == UPSSettings(host: "192.168.1.20", name: "eaton"))
        #expect(bare.configuration?.ups?.port == 3493 && bare.configuration?.ups?.interval == .seconds(15))
        let parted = ChannelSample.read(
            "secrets: s.yaml\nups: {host: localhost, port: 3000, name: ups.1, poll: 1min}",
            ["/etc/ha/s.yaml": "ups: {user: alarm, password: s3cret}\n"])
        #expect(parted.problems == [])
        var expected = UPSSettings(
            host: "localhost", port: 3000, name: "ups.1", user: "alarm", password: Secret("s3cret"))
        expected.interval = .minutes(1)
        #expect(parted.configuration?.ups == expected)
        #expect(parted.configuration.map { "\($0)".contains("s3cret") } == false)
        #expect(ChannelSample.read("").configuration?.ups == nil)
    }

    @Test(
        "what is wrong is named with its place",
        arguments: [
            ("ups: {name: eaton}", "3:1: error: 'ups' has no host"),
            ("ups: {host: 192.168.1.20}", "3:1: error: 'ups' has no name"),
            ("ups: {host: '192.168.1.20:3493', name: eaton}", "the port has a key of its own"),
            ("ups: {host: 192.168.1.20, name: two words}", "3:33: error: 'ups.name'"),
            ("ups: {host: 192.168.1.20, name: eaton, poll: 0.5}", "3:46: error: 'ups.poll' is 0.5"),
            (
                "ups: {host: 192.168.1.20, name: eaton, poll: 6min}",
                "3:46: error: 'ups.poll' holds a text of 4 characters"
            ),
            ("ups: {host: 192.168.1.20, name: eaton, port: 0}", "3:46: error: 'ups.port'"),
            ("ups: {host: 192.168.1.20, name: eaton, user: a}", "'ups' has a user and no password"),
            ("ups: {host: 192.168.1.20, name: eaton, password: a}", "'ups' has a password and no user"),
            ("ups: {host: 192.168.1.20, nam: eaton}", "did you mean 'name'?"),
        ])
    func whatIsWrongIsNamed(_ text: String, _ expected: String) {
        let found = ChannelSample.problems(text)
        #expect(found.contains { $0.includes(expected) }, "\(found)")
    }

    @Test("a password over the network is warned about, on this machine it is not")
    func aPasswordOverTheNetworkIsWarnedAbout() {
        let login = "name: eaton, user: alarm, password: s3cret"
        let found = ChannelSample.problems("ups: {host: 192.168.1.20, \(login)}")
        #expect(
            found.count == 1 && found[0].includes("warning: 'ups.password' goes over a connection without encryption"))
        #expect(found[0].includes("s3cret") == false)
        #expect(ChannelSample.problems("ups: {host: 127.0.0.1, \(login)}").isEmpty)
    }
}
