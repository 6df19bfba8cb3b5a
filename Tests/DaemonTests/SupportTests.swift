import AlarmModel
import ApplianceCore
import Foundation
import PhoneLink
import PhoneProtocol
import Testing

@testable import Subcommands
@testable import YAMLConfiguration

@Suite("the archive for a bug report")
struct SupportTests {
    /// The example with all its sections opened has every secret that there can be; these are ours.
    private static let text = """
        site: {name: Mill, time_zone: UTC}
        panel: {host: 192.0.2.1, password: pWd9xQ, code_master: '918273', code_installer: '564738'}
        """ + "\n" + SecretChannels.text

    @Test("the configuration shows what is set and none of it")
    func theConfigurationShowsWhatIsSetAndNoneOfIt() throws {
        let result = ConfigurationReader.read(bytes: Array(Self.text.utf8), name: "c.yaml")
        let configuration = try #require(result.configuration, "\(result.problems.map(\.description))")
        let shown = SupportRedaction.configuration(configuration).text
        for secret in [
            "pWd9xQ", "918273", "564738", "ann@",
        ] + SecretChannels.secrets {
            #expect(!shown.contains(secret), "\(secret)")
        }
        #expect(!shown.lowercased().contains("duress"))
        for fact in ["192.0.2.1", "broker.example", "https://hooks.example", "(set)", "Mill"] {
            #expect(shown.contains(fact), "\(fact)")
        }
    }

    @Test("what stands in the database's URL behind the server is as secret as a password")
    func whatStandsInTheDatabasesURLIsAsSecretAsAPassword() throws {
        let file = """
            {"type":"service_account","project_id":"house-1","private_key_id":"kid1",
             "private_key":"-----BEGIN PRIVATE KEY-----\\nSECRETKEY\\n-----END PRIVATE KEY-----\\n",
             "client_email":"box@house-1.iam.gserviceaccount.com","token_uri":"https://oauth2.example.com/token"}
            """
        let result = ConfigurationReader.read(bytes: Array(Self.text.utf8), name: "c.yaml")
        var configuration = try #require(result.configuration)
        var settings = FCMSettings(account: try ServiceAccount(parsing: Array(file.utf8)))
        settings.databaseURL = try HTTPURL("https://house-1.firebaseio.example/up/xYz81Path")
        configuration.phones.channels.append(.fcm(settings))
        let shown = SupportRedaction.configuration(configuration).text
        #expect(shown.contains("house-1.firebaseio.example") && !shown.contains("xYz81Path"))
        let cleaned = SupportRedaction(configuration).clean(Array("PUT /up/xYz81Path.json".utf8))
        #expect(String(decoding: cleaned, as: UTF8.self) == "PUT (secret).json")
    }

    @Test("what the card kept of the log before a restart is in the archive; a machine without a card has none")
    func whatTheCardKeptOfTheLog() throws {
        let directory = NSTemporaryDirectory() + "kept-" + UUID().uuidString
        #expect(KeptLogs(directory: directory).all().isEmpty)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try "Kernel panic".write(toFile: directory + "/panic.txt", atomically: true, encoding: .utf8)
        try "the run before".write(toFile: directory + "/boot-before.txt", atomically: true, encoding: .utf8)
        let kept = KeptLogs(directory: directory).all()
        #expect(kept.map(\.name) == ["log-before.txt", "panic.txt"])
        #expect(kept.map(\.text) == ["the run before", "Kernel panic"])
    }

    @Test("secrets that got into a log are blotted out; short numbers in counts stay")
    func secretsThatGotIntoALogAreBlottedOut() throws {
        let result = ConfigurationReader.read(bytes: Array(Self.text.utf8), name: "c.yaml")
        let redaction = SupportRedaction(result.configuration)
        let cleaned = redaction.clean(Array("login pWd9xQ with tk_TOPICtoken, AIzaKEYkey! row 918273".utf8))
        #expect(String(decoding: cleaned, as: UTF8.self) == "login (secret) with (secret), (secret)! row 918273")
    }

    @Test("the password that every module is sold with ruins no word of the archive")
    func thePasswordThatEveryModuleIsSoldWithRuinsNoWord() throws {
        let file = "site: {time_zone: UTC}\npanel: {host: 192.0.2.1, password: user}\n"
        let result = ConfigurationReader.read(bytes: Array(file.utf8), name: "c.yaml")
        let configuration = try #require(result.configuration)
        let redaction = SupportRedaction(configuration)
        let line = #"{"user":40,"user_name":"Master code"}"#
        #expect(String(decoding: redaction.clean(Array(line.utf8)), as: UTF8.self) == line)
    }

    @Test("telephone numbers, mail addresses and what stands in URLs are cut, duress is left out")
    func telephoneNumbersMailAddressesAndWhatStandsInURLsAreCut() {
        let json = JSON.object([
            "numbers": .array([.string("+43660123456")]), "mail": .string("ann@x.example"),
            "place": .string("https://u:p@h.example:8443/x?y"), "isDuressContact": .bool(true), "n": .integer(3),
        ])
        #expect(
            SupportRedaction.blanked(json).text
                == #"{"numbers":["+43…"],"mail":"…@x.example","place":"https://h.example:8443","n":3}"#)
    }

    @Test("tar reads the archive")
    func tarReadsTheArchive() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var archive = TarArchive(time: 1_795_000_000)
        let contents = ["a/empty": "", "a/short": "x\n", "a/block": String(repeating: "b", count: 512)]
        for (name, text) in contents.sorted(by: { $0.key < $1.key }) { archive.add(name, Array(text.utf8)) }
        try Data(archive.complete).write(to: directory.appendingPathComponent("t.tar"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/tar")
        process.arguments = ["-xf", "t.tar"]
        process.currentDirectoryURL = directory
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        for (name, text) in contents {
            let file = directory.appendingPathComponent(name)
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode.map { $0 & 0o077 } == 0)
        }
    }
}
