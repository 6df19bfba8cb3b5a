import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@testable import YAMLConfiguration

@Suite struct ConfigurationHeartbeatTests {
    @Test(
        "phones hear of the box every 15 min unless something else is written; 0 or off is never",
        arguments: [
            ("", Duration.minutes(15)), ("phones: {heartbeat: 2s}", .seconds(2)),
            ("phones: {heartbeat: 24h}", .hours(24)), ("phones: {heartbeat: 0}", nil),
            ("phones: {heartbeat: off}", nil),
        ] as [(String, Duration?)])
    func phonesHearOfTheBoxEvery15MinUnlessSomethingElseIsWritten(text: String, expected: Duration?) throws {
        #expect(try ChannelSample.phones(text).heartbeat == expected)
    }

    @Test("the address may stand in the secrets file; nothing of the rest is needed")
    func theAddressMayStandInTheSecretsFile() throws {
        let url = try HTTPURL("https://hc.example/ping/k3y")
        let whole = ChannelSample.read("heartbeat: {url: https://hc.example/ping/k3y, every: 5min}")
        #expect(whole.problems == [])
        #expect(whole.configuration?.deadManPing == DeadManPingSettings(url, every: .minutes(5)))
        let parted = ChannelSample.read(
            "secrets: s.yaml\nheartbeat: {}", ["/etc/ha/s.yaml": "heartbeat: {url: https://hc.example/ping/k3y}\n"])
        #expect(parted.problems == [])
        #expect(parted.configuration?.deadManPing == DeadManPingSettings(url, every: .minutes(15)))
        #expect(ChannelSample.read("").configuration?.deadManPing == nil)
        #expect(whole.configuration.map { "\($0)".contains("k3y") } == false)
    }

    @Test(
        "without encryption only in the house, or where it is meant in words",
        arguments: [
            "url: 'http://127.0.0.1:8000/k3y'", "url: 'http://192.168.1.9/k3y'", "url: 'http://localhost/k3y'",
            "url: 'http://hc.example/k3y', plain: true",
        ])
    func withoutEncryptionOnlyInTheHouse(text: String) {
        #expect(ChannelSample.read("heartbeat: {\(text)}").problems == [])
    }

    @Test("an interval that costs much is warned about; beside a bad address both are told")
    func anIntervalThatCostsMuchIsWarnedAbout() {
        #expect(
            ChannelSample.problems("heartbeat: {url: 'https://hc.example/k3y', every: 59s}") == [
                "3:51: warning: 'heartbeat.every' is 59 s: each time is a connection of its own, of some kilobytes; "
                    + "expected 1 min or more, but for tests"
            ])
        for every in ["1s", "0", "25h", "soon"] {
            let found = ChannelSample.problems("heartbeat: {url: 'http://hc.example/k3y', every: \(every)}")
            #expect(found.count == 2, "\(found)")
            #expect(found.contains { $0.contains("'heartbeat.every'") }, "\(found)")
            #expect(found.contains { $0.contains("error: 'heartbeat.url'") }, "\(found)")
        }
    }

    @Test(
        "what is wrong is named, and the address is not shown",
        arguments: [
            ("heartbeat: {every: 5min}", "3:1: error: 'heartbeat' has no url"),
            (
                "heartbeat: {url: 'http://hc.example/k3y'}",
                "3:18: error: 'heartbeat.url' begins with http://, so everybody on the way can read it"
            ),
            (
                "heartbeat: {url: k3y}",
                "3:18: error: 'heartbeat.url' is no URL: the URL begins with neither"
            ),
            ("heartbeat: {url: 'https://hc.example/k3y', every: 0}", "3:51: error: 'heartbeat.every' is 0; expected"),
        ])
    func whatIsWrongIsNamed(text: String, begins: String) {
        let found = ChannelSample.problems(text)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix(begins) == true, "\(found)")
        #expect(found.allSatisfy { !$0.contains("k3y") })
    }
}
