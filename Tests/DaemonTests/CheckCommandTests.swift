import AlarmModel
import ApplianceCore
import Foundation
import PanelLink
import PhoneProtocol
import Testing

@testable import Subcommands
@testable import YAMLConfiguration

@Suite struct CheckCommandTests {
    /// What the example says of itself.
    private static let placeholders = [
        "howalarming.yaml:10:9: warning: 'site.name' is still the example's value; expected your own",
        "   10 |   name: …", "      |         ^",
        "howalarming.yaml:23:13: warning: the module still has the password that it was sold with: whoever is in its "
            + "network can use it; expected another one, on the module's own web page and here",
        "   23 |   password: …", "      |             ^",
        "howalarming.yaml:26:16: warning: 'panel.code_master' is still the example's value; expected your own",
        "   26 |   code_master: …", "      |                ^",
        "howalarming.yaml: warning: ntfy.sh counts messages by your public address, and it is the only channel: whoever "
            + "shares the address can use up the day, and an alarm is refused then; expected an account's 'token' in "
            + "'ntfy', your own 'server', or a second channel such as 'alert_email'",
    ]

    /// Neither the line below a problem nor that a value is the example's.
    private static func plain(_ report: CheckCommand.Report) -> [String] {
        report.lines.filter {
            !$0.hasPrefix(" ") && !$0.contains("is still the example's value") && !$0.contains("it was sold with")
                && !$0.contains("by your public address")
        }
    }

    @Test("the example is valid, and says which of its values are to be changed")
    func theExampleIsValidAndSaysWhatIsToBeChanged() throws {
        var files = FakeFiles()
        files.files["howalarming.yaml"] = ConfigurationFile(bytes: try ConfigurationSample.example(), mode: 0o600)
        let report = CheckCommand.report(file: "howalarming.yaml", files: files)
        #expect(
            report.lines == Self.placeholders + [
                "howalarming.yaml: valid — panel 192.168.1.50:4025, 2 partitions, 10 zones, 3 users, "
                    + "ntfy through ntfy.sh; 4 warnings"
            ])
        #expect(report.exitStatus == 0)
    }

    @Test("the example as it lies in the repository gets no more than the warning about who can read it")
    func theExampleAsItLiesInTheRepositoryGetsNoMoreThanTheWarning() {
        let path = ConfigurationSample.repository.appendingPathComponent("howalarming.example.yaml").path
        let report = CheckCommand.report(file: path)
        #expect(report.exitStatus == 0)
        let lines = Self.plain(report)
        #expect(lines.dropLast().allSatisfy { $0.contains(": warning: the file holds secrets and ") })
        #expect(lines.count <= 2)
        #expect(lines.last?.hasPrefix("\(path): valid — panel 192.168.1.50:4025, 2 partitions") == true)
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
            (["calls"], "calls to 1 number through https://api.example.com in the language of the house"),
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
        let lines = Self.plain(CheckCommand.report(file: "/etc/c.yaml", files: files))
        let start =
            "/etc/c.yaml: valid — panel 192.168.1.50:4025, 2 partitions, 10 zones, 3 users, ntfy through ntfy.sh, "
        #expect(lines.count == 1 && lines[0].hasPrefix("\(start)\(words); "), "\(lines)")
    }

    @Test("the example's mail section gives one mail for an alarm and one for its end")
    func theExamplesMailSectionGivesOneMailForAnAlarm() throws {
        let text = try ConfigurationSample.opened(
            String(decoding: try ConfigurationSample.example(), as: UTF8.self), "alert_email")
        let house = ConfigurationReader.read(bytes: Array(text.utf8), name: "c").configuration?.phones.house ?? []
        #expect(house.count == 2 && house.allSatisfy { $0.kind == .mail && $0.goesByOwnType })
    }

    @Test("each value that is still the example's is named; a name that is only asked for at a name server may stay")
    func eachValueThatIsStillTheExamplesIsNamed() throws {
        let text = """
            panel: {host: 192.0.2.1, password: user, code_master: '1234'}
            alert_email:
              smtp_host: mail.example.org
              addr_from: box@house.test
              addr_to: [anna@example.net, ben@house.test]
            links: {ethernet: {interface: eth0}, probe: {name: example.com, targets: [9.9.9.9:853]}}
            heartbeat: {url: 'https://notexample.org/x'}

            """
        let report = CheckCommand.report(file: "c", files: FakeFiles(["c": text]))
        let named = report.lines.compactMap { line in
            line.contains("is still the example's value") ? line.split(separator: "'").dropFirst().first : nil
        }
        #expect(named == ["panel.code_master", "alert_email.smtp_host", "alert_email.addr_to"])
        #expect(report.exitStatus == 0)
    }

    @Test("a file that ends too early has no line to show")
    func aFileThatEndsTooEarly() {
        let report = CheckCommand.report(file: "c", files: FakeFiles(["c": "panel:\n  password: [\n"]))
        #expect(report.lines.count == 2 && report.lines[0].hasPrefix("c:3:1: error: not valid YAML"), "\(report.lines)")
    }

    @Test("every placeholder stands in the example")
    func everyPlaceholderStandsInTheExample() throws {
        let example = String(decoding: try ConfigurationSample.example(), as: UTF8.self)
        for value in ExampleValues.values.union(ExampleValues.atPath.values) {
            #expect(example.contains(value), "\(value)")
        }
    }

    @Test(
        "below a problem stands its line up to the key, and a caret",
        arguments: [
            ("panel:\n  prt: 4025\n", "  2 |   prt: …", 0),
            ("panel:\n  host: a\n  port: x\n", "  3 |   port: …", 8),
            ("panel: {host: a, password: user, port: x}\n", "  1 | panel: …", 7),
            ("panel:\n\thost: a\n", "  2 | \thost: …", 0),
        ])
    func belowAProblemStandsItsLineAndACaret(text: String, line: String, indent: Int) throws {
        let report = CheckCommand.report(file: "c", files: FakeFiles(["c": text]))
        let index = try #require(report.lines.lastIndex { $0.hasSuffix(line) }, "\(report.lines)")
        let caret = report.lines[index + 1]
        #expect(caret.hasPrefix("      | ") && caret.hasSuffix("^"))
        if indent > 0 { #expect(caret.count - 9 == indent, "\(report.lines)") }
        // What is missing in the file has no line in it.
        if report.lines[0].contains("no time zone is set") { #expect(!report.lines[1].hasPrefix(" ")) }
    }

    /// Warnings of a valid file with more lines.
    private func warnings(_ more: String) -> [String] {
        let files = FakeFiles(["c.yaml": ConfigurationSample.valid + more])
        return Self.plain(CheckCommand.report(file: "c.yaml", files: files)).dropLast()
    }

    @Test("a zone that by its name watches for fire, gas or water, and is set up as a burglary's, is warned of")
    func aZoneThatByItsNameWatchesForFire() {
        for (name, watched, setting) in [
            ("Hall smoke", "fire", "fire: true"), ("Rauchmelder Küche", "fire", "fire: true"),
            ("CO Boiler", "carbon monoxide", "device_class: carbon_monoxide"), ("Gas", "gas", "device_class: gas"),
            ("Wassermelder", "water", "device_class: moisture"),
        ] {
            #expect(
                warnings("zones: {7: \(name)}\nntfy:\n") == [
                    "c.yaml:3:9: warning: by its name this zone watches for \(watched), but its alarm would be told as a "
                        + "burglary; expected {name: …, \(setting)}; if the name is wrong about it, {name: …, "
                        + "device_class: opening}"
                ])
            #expect(warnings("zones: {7: {name: \(name), \(setting)}}\nntfy:\n") == [])
            #expect(warnings("zones: {7: {name: \(name), device_class: opening}}\nntfy:\n") == [])
        }
        #expect(
            warnings("zones: {7: Smokers' Lounge, 8: Corridor, 9: Gasse, 10: Wasserbett}\nntfy:\n") == [])
    }

    @Test("a file by which nobody is told of an alarm is valid, and that is said; so are two zones of one name")
    func aFileByWhichNobodyIsToldIsValidAndThatIsSaid() {
        let nobody =
            "c.yaml: warning: nobody is told of an alarm: no channel to people is switched on; expected 'ntfy', 'mqtt', "
            + "'alert_email' or another one of the example"
        #expect(warnings("") == [nobody])
        #expect(warnings("ntfy:\n") == [])
        #expect(
            warnings("zones: {1: Door, 02: door}\nntfy:\n") == [
                "c.yaml:3:18: warning: zones 1 and 2 have the same name, so nobody knows which one is meant; expected "
                    + "another name for one of them"
            ])
    }

    @Test("ntfy.sh without an account is warned of where it is the only channel, because it counts by address")
    func aSharedTopicServerIsWarnedOf() {
        func isWarned(_ more: String) -> Bool {
            let files = FakeFiles(["c.yaml": ConfigurationSample.valid + more])
            let report = CheckCommand.report(file: "c.yaml", files: files)
            return report.lines.contains { $0.contains("by your public address") }
        }
        #expect(isWarned("ntfy:\n"))
        #expect(isWarned("ntfy: {server: 'https://NTFY.sh.'}\n"))
        #expect(!isWarned("ntfy: {token: tk_x}\n"))
        #expect(!isWarned("ntfy: {server: 'https://ntfy.example.org'}\n"))
        #expect(!isWarned("ntfy:\nmqtt: {host: broker.lan, user: a, password: b}\n"))
    }

    @Test("the summary counts, and writes an IPv6 address in brackets")
    func theSummaryCounts() {
        let text = "panel: {host: 'fe80::1', port: 7, password: user}\nzones: {1: A}\nusers: {1: B}\n"
        let report = CheckCommand.report(file: "c.yaml", files: FakeFiles(["c.yaml": text]))
        #expect(report.lines.last == "c.yaml: valid — panel [fe80::1]:7, 1 partition, 1 zone, 1 user; 3 warnings")
        #expect(Self.plain(report).count == 3)
    }

    @Test("a configuration that is not valid ends with status 1 and a count")
    func aConfigurationThatIsNotValidEndsWithStatus1AndACount() {
        let report = CheckCommand.report(file: "c.yaml", files: FakeFiles(["c.yaml": "panel: {prt: 1}"]))
        #expect(report.exitStatus == 1)
        #expect(Self.plain(report).count == 5)
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
