import AlarmModel
import ApplianceCore
import Foundation
import PanelLink
import PhoneProtocol
import Testing
import YAMLConfiguration

@testable import Subcommands

@Suite struct CheckCommandTests {
    @Test("the example is valid without a warning once only its owner can read it")
    func theExampleIsValidWithoutAWarningOnceOnlyItsOwnerCanReadIt() throws {
        var files = FakeFiles()
        files.files["howalarming.yaml"] = ConfigurationFile(bytes: try ConfigurationSample.example(), mode: 0o600)
        let report = CheckCommand.report(file: "howalarming.yaml", files: files)
        #expect(
            report.lines == [
                "howalarming.yaml: valid — panel 192.168.1.50:4025, 2 partitions, 10 zones, 3 users, "
                    + "ntfy through ntfy.sh"
            ])
        #expect(report.exitStatus == 0)
    }

    @Test("the example as it lies in the repository gets no more than the warning about who can read it")
    func theExampleAsItLiesInTheRepositoryGetsNoMoreThanTheWarning() {
        let path = ConfigurationSample.repository.appendingPathComponent("howalarming.example.yaml").path
        let report = CheckCommand.report(file: path)
        #expect(report.exitStatus == 0)
        #expect(report.lines.dropLast().allSatisfy { $0.contains(": warning: the file holds secrets and ") })
        #expect(report.lines.count <= 2)
        #expect(report.lines.last?.hasPrefix("\(path): valid — panel 192.168.1.50:4025, 2 partitions") == true)
    }

    @Test("every key that the example shows as a comment is known, with the value that holds anyway")
    func everyKeyThatTheExampleShowsAsACommentIsKnown() throws {
        let text = String(decoding: try ConfigurationSample.example(), as: UTF8.self)
        // There are two sections 'timing', one after the other.
        var opened = text
        for name in ["timing", "timing", "update", "pace"] { opened = try ConfigurationSample.opened(opened, name) }
        for key in ["    login_deadline", "    pairing_life", "  give_up_after", "  stall_restart"] {
            #expect(opened.contains("\n\(key): "), "\(key)")
        }
        let plain = ConfigurationReader.read(bytes: Array(text.utf8), name: "a")
        let full = ConfigurationReader.read(bytes: Array(opened.utf8), name: "a")
        #expect(full.problems == [])
        #expect(full.configuration?.panel.answerDeadline == .seconds(5))
        #expect(full.configuration == plain.configuration)
    }

    @Test("the example names every section whose secrets may stand in a second file, and the keys")
    func theExampleNamesEverySectionWhoseSecretsMayStandInASecond() throws {
        let text = String(decoding: try ConfigurationSample.example(), as: UTF8.self)
        let start = "# Secrets may stand in a second file"
        let paragraph = try #require(text.components(separatedBy: "\n\n").first { $0.hasPrefix(start) })
        let root = try YAMLDocument.parse(Array("people: {Anna: {store_apps: {Pixel: {topic: x}}}}".utf8)).root
        for place in SecretPlace.all(in: root) where place.kept[0] != "alert_plivo" {
            let (section, key) = (place.kept[0], place.kept[place.kept.count - 1])
            #expect(paragraph.contains("'\(section)'") && paragraph.contains(key), "\(place.name)")
        }
    }

    @Test(
        "every way that the example shows as a comment is valid, and the summary names it",
        arguments: [
            (["mqtt"], "MQTT through homeassistant.local"), (["xmpp"], "XMPP as house@example.org"),
            (["fcm_v1"], "FCM project my-house"), (["alert_email"], "mail to 2 addresses through mail.example.org"),
            (["alert_url"], "2 URLs"), (["hooks"], "2 programs"),
            (["beanstalkd"], "beanstalkd on 127.0.0.1 with 1 event tube"),
            (["alert_gcm", "fcm"], "phones through push.example.net"),
            (["people", "xmpp"], "XMPP as house@example.org, 1 person by name"),
            (["heartbeat"], "a sign of life to https://hc.example.org"),
            (["links", "sms"], "3 links (ethernet, wifi, modem), text messages to 1 number"),
        ])
    func everyWayThatTheExampleShowsAsACommentIsValid(names: [String], words: String) throws {
        var text = String(decoding: try ConfigurationSample.example(), as: UTF8.self)
        for name in names { text = try ConfigurationSample.opened(text, name) }
        let files = FakeFiles([
            "/etc/c.yaml": text, "/etc/push-ca.pem": ChannelSample.certificate,
            "/etc/broker-ca.pem": ChannelSample.certificate,
            "/etc/service-account.json": ConfigurationFCMTests.account,
        ])
        #expect(
            CheckCommand.report(file: "/etc/c.yaml", files: files).lines == [
                "/etc/c.yaml: valid — panel 192.168.1.50:4025, 2 partitions, 10 zones, 3 users, ntfy through ntfy.sh, "
                    + words
            ])
    }

    @Test("a file by which nobody is told of an alarm is valid, and that is said; so are two zones of one name")
    func aFileByWhichNobodyIsToldIsValidAndThatIsSaid() {
        func warnings(_ more: String) -> [String] {
            let files = FakeFiles(["c.yaml": ConfigurationSample.valid + more])
            return CheckCommand.report(file: "c.yaml", files: files).lines.dropLast().map { $0 }
        }
        let nobody =
            "c.yaml: warning: nobody is told of an alarm: no way to people is switched on; expected 'ntfy', 'mqtt', "
            + "'alert_email' or another one of the example"
        #expect(warnings("") == [nobody])
        #expect(warnings("ntfy:\n") == [])
        #expect(
            warnings("zones: {1: Door, 02: door}\nntfy:\n") == [
                "c.yaml:3:18: warning: zones 1 and 2 have the same name, so nobody knows which one is meant; expected "
                    + "another name for one of them"
            ])
    }

    @Test("the summary counts, and writes an IPv6 address in brackets")
    func theSummaryCounts() {
        let text = "panel: {host: 'fe80::1', port: 7, password: user}\nzones: {1: A}\nusers: {1: B}\n"
        let report = CheckCommand.report(file: "c.yaml", files: FakeFiles(["c.yaml": text]))
        #expect(report.lines.last == "c.yaml: valid — panel [fe80::1]:7, 1 partition, 1 zone, 1 user; 2 warnings")
        #expect(report.lines.count == 3)
    }

    @Test("a configuration that is not valid ends with status 1 and a count")
    func aConfigurationThatIsNotValidEndsWithStatus1AndACount() {
        let report = CheckCommand.report(file: "c.yaml", files: FakeFiles(["c.yaml": "panel: {prt: 1}"]))
        #expect(report.exitStatus == 1)
        #expect(report.lines.count == 5)
        #expect(report.lines.last == "c.yaml: not valid — 3 errors, 1 warning")
        let missing = CheckCommand.report(file: "no.yaml", files: FakeFiles())
        #expect(missing.exitStatus == 1 && missing.lines.last == "no.yaml: not valid — 1 error")
    }

    @Test("as JSON every problem is one object on one line")
    func asJSONEveryProblemIsOneObjectOnOneLine() throws {
        let files = FakeFiles(["c.yaml": "site: {time_zone: UTC}\npanel: {hots: \"a\", password: b, port: x}"])
        let report = CheckCommand.report(file: "c.yaml", format: .json, files: files)
        #expect(report.exitStatus == 1 && report.lines.count == 3)
        let objects = try report.lines.map { try JSON(parsing: $0) }
        #expect(
            objects[1]
                == JSON.object([
                    "file": .string("c.yaml"), "line": .integer(2), "column": .integer(9), "severity": .string("error"),
                    "path": .string("panel"), "message": .string("unknown key 'hots' in 'panel'"),
                    "nearest": .string("host"),
                ]))
        #expect(objects[2]["expected"]?.stringValue == "a whole number from 1 to 65535")
        let gone = try JSON(parsing: CheckCommand.report(file: "x", format: .json, files: FakeFiles()).lines[0])
        #expect(gone["line"] == nil && gone["file"]?.stringValue == "x")
    }
}
