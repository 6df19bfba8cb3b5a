import AlarmModel
import ApplianceCore
import Foundation
import PanelLink
import Testing
import YAMLConfiguration

@testable import Subcommands

@Suite struct ConfigurationSecretTests {
    private let main = """
        site: {time_zone: UTC}
        panel: {host: 192.0.2.1}
        secrets: s.yaml
        """

    private func problems(_ files: FakeFiles, _ file: String = "/etc/ha/c.yaml") -> [String] {
        ConfigurationReader.read(file: file, files: files).problems.map(\.description)
    }

    @Test("secrets come from the second file, whose path begins where the first file lies")
    func secretsComeFromTheSecondFile() throws {
        let files = FakeFiles([
            "/etc/ha/c.yaml": main, "/etc/ha/s.yaml": "panel: {password: abc, code_master: 1234, code_installer: 5555}",
        ])
        let result = ConfigurationReader.read(file: "/etc/ha/c.yaml", files: files)
        #expect(result.problems == [])
        let panel = try #require(result.configuration?.panel)
        #expect(panel.password.revealed == "abc")
        #expect(panel.masterCode?.revealed == "1234")
        #expect(panel.installerCode?.revealed == "5555")
        #expect(problems(FakeFiles(["c.yaml": main, "s.yaml": "panel: {password: abc}"]), "c.yaml") == [])
    }

    @Test("a secret in both files is an error that names both places")
    func aSecretInBothFilesIsAnErrorThatNamesBothPlaces() {
        let files = FakeFiles([
            "c.yaml": "site: {time_zone: UTC}\npanel: {host: a, password: abc}\nsecrets: /s.yaml",
            "/s.yaml": "panel:\n  password: def\n",
        ])
        #expect(
            problems(files, "c.yaml") == [
                "/s.yaml:2:3: error: 'panel.password' is set twice: here and at c.yaml:2:18; expected one of the two"
            ])
    }

    @Test("problems of the second file carry its name, and only secrets are known there")
    func problemsOfTheSecondFileCarryItsName() {
        let files = FakeFiles([
            "/etc/ha/c.yaml": main,
            "/etc/ha/s.yaml": "panel:\n  pasword: abc\n  host: b\n  code_master: 1\nzones: {}\n",
        ])
        let found = problems(files)
        #expect(found.count == 5)
        #expect(found.first?.hasPrefix("/etc/ha/c.yaml:2:1: error: the module's password is missing") == true)
        #expect(found.dropFirst().allSatisfy { $0.hasPrefix("/etc/ha/s.yaml:") })
        #expect(
            found.contains {
                $0.hasSuffix("s.yaml:2:3: error: unknown key 'pasword' in 'panel'; did you mean 'password'?")
            })
        #expect(
            problems(FakeFiles(["/etc/ha/c.yaml": main, "/etc/ha/s.yaml": "a: ["])).contains { $0.contains("s.yaml:") })
    }

    @Test(
        "whichever file holds a secret that others can read is warned about, with the command to type",
        arguments: [(0o600, nil), (0o640, "its whole group"), (0o644, "everybody"), (0o604, "everybody"), (0o700, nil)]
            as [(UInt32, String?)])
    func whicheverFileHoldsASecretThatOthersCanReadIsWarnedAbout(mode: UInt32, who: String?) {
        let whole = FakeFiles(["c.yaml": ConfigurationSample.valid], mode: mode)
        let warnings = problems(whole, "c.yaml")
        #expect(warnings.count == (who == nil ? 0 : 1))
        if let who {
            #expect(warnings.first?.contains("warning: the file holds secrets and \(who)") == true)
            #expect(warnings.first?.hasSuffix("type: chmod 600 c.yaml") == true)
        }
        var split = FakeFiles(["/a b/c.yaml": main], mode: 0o644)
        split.files["/a b/s.yaml"] = ConfigurationFile(bytes: Array("panel: {password: abc}".utf8), mode: mode)
        let others = problems(split, "/a b/c.yaml")
        #expect(others.count == (who == nil ? 0 : 1))
        if who != nil { #expect(others.first?.hasSuffix("type: chmod 600 '/a b/s.yaml'") == true) }
    }

    @Test("real files: the mode is read, a directory and a pipe are refused without waiting")
    func realFilesTheModeIsReadADirectoryAndAPipeAreRefused() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("ha-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent("c.yaml").path
        _ = FileManager.default.createFile(
            atPath: file, contents: Data(ConfigurationSample.valid.utf8), attributes: [.posixPermissions: 0o644])
        let files = SystemConfigurationFiles()
        #expect(try files.read(file, limit: 1000).mode == 0o644)
        #expect(throws: ConfigurationFileFailure.tooLarge(limit: 10)) { try files.read(file, limit: 10) }
        #expect(throws: ConfigurationFileFailure.notAFile) { try files.read(directory.path, limit: 10) }
        #expect(throws: ConfigurationFileFailure.notFound) { try files.read(file + "x", limit: 10) }
        #expect(throws: ConfigurationFileFailure.notFound) { try files.read(file + "/x", limit: 10) }
        #expect(mkfifo(file + "p", 0o600) == 0)
        #expect(throws: ConfigurationFileFailure.notAFile) { try files.read(file + "p", limit: 10) }
    }

    /// Shapes that a value can be given by mistake; S is the secret.
    private static let shapes = [
        "S", "'S'", "\"S\"", "[S]", "{S: 1}", "{a: S}", "*S", "&S x", "!S x", "'S", "\"\\qS\"", "S: S", "@S",
        "|\n      S",
        "{S}", "[S, [S]]", "{S: 1, S: 2}",
    ]

    private static let takesKeys = ["timing: VALUE", "panel: VALUE", "urls: VALUE"]

    @Test("no problem ever shows the value of a secret, in whatever shape it was written")
    func noProblemEverShowsTheValueOfASecret() {
        let markers = ["hunter2hunter2", "S3", "87654321", "13579", "ä€hidden"]
        let templates = [
            "panel:\n  host: a\n  KEY: VALUE\n", "envisalinkd:\n  KEY: VALUE\n", "panel: {host: a, KEY: VALUE}\n",
            "panel: {KEY:VALUE}\n", "panel:\n  KEY:VALUE\n", "panel:\n  pasword: VALUE\n  KEY: VALUE\n",
            "panel:\n  timing: VALUE\n", "panel:\n  set_clock: VALUE\n", "panel:\n  host: VALUE\n", "panel: VALUE\n",
            "panel:\n\tKEY: VALUE\n", "KEY: VALUE\n", "alert_gcm:\n  api_key: VALUE\n  apikey: VALUE\n",
            "alert_gcm: {api_key: VALUE}\n", "alert_gcm:\n  sender_id: x VALUE\n  api_key: VALUE\n",
            "phones:\n  fcm:\n    ca_file: VALUE\n  api_key: VALUE\n  command_rate: x VALUE\n",
            "alert_plivo:\n  auth_token: VALUE\n",
            "alert_email:\n  smtp_host: VALUE\n  addr_from: VALUE\n  addr_to: VALUE\n  user: u\n  password: VALUE\n",
            "alert_email:\n  user: VALUE\n  triggers: VALUE\n  security: VALUE\n  ca_file: VALUE\n",
            "alert_url:\n  secret: VALUE\n  urls: VALUE\n  triggers: VALUE\n",
            "alert_url:\n  urls:\n    - {url: VALUE, secret: VALUE, method: VALUE, ca_file: VALUE}\n",
            "ntfy:\n  server: VALUE\n  token: VALUE\n  user: VALUE\n  trusted: VALUE\n  click: VALUE\n",
            "xmpp:\n  jid: VALUE\n  password: VALUE\n  security: VALUE\n  host: VALUE\n",
            "mqtt:\n  host: b\n  user: VALUE\n  password: VALUE\n  code: VALUE\n  commands: VALUE\n  site: VALUE\n",
            "mqtt:\n  host: VALUE\n  base_topic: VALUE\n  version: VALUE\n  client_id: VALUE\n",
            "fcm_v1:\n  service_account: VALUE\n  database: VALUE\n  host: VALUE\n", "users: {VALUE: Anna}\n",
            "panel:\n  KEY: VALUE\nenvisalinkd:\n  KEY: VALUE\n",
        ]
        var complaints = 0
        for marker in markers {
            for template in templates {
                for shape in Self.shapes {
                    // A key is shown, and these are no places where a secret goes.
                    if shape.hasPrefix("{") || shape == "S: S", Self.takesKeys.contains(where: template.contains) {
                        continue
                    }
                    let keys = template.contains("KEY") ? ["password", "code_master", "code_installer"] : [""]
                    for key in keys {
                        let value = shape.replacing("S", with: marker)
                        let text = template.replacing("KEY", with: key).replacing("VALUE", with: value)
                        for inSecondFile in [false, true] {
                            let files = FakeFiles(
                                inSecondFile ? ["c": "secrets: s\n", "s": text] : ["c": text], mode: 0o644)
                            for format in [CheckCommand.Format.text, .json] {
                                for line in CheckCommand.report(file: "c", format: format, files: files).lines {
                                    complaints += 1
                                    // The host is not a secret once it is valid: the summary shows it.
                                    if template.contains("host: VALUE"), line.contains(": valid ") { continue }
                                    #expect(!line.contains(marker), "\(text)\n\(line)")
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(complaints > 1000)
    }
}
