import AlarmModel
import ApplianceCore
import Foundation
import PanelLink
import Platform
import Testing

@testable import Card
@testable import YAMLConfiguration

@Suite("the owner's card") struct CardImportTests {
    private static let owners = """
        # My house\r
        site: {name: Test, time_zone: UTC}\r
        panel:\r
          host: 192.0.2.1\r
          password: 'pa''ss'   # of the module\r
          code_master: 4821\r
        network:\r
          wifi: {country: AT, ssid: Haus, password: abcdefgh}\r

        """
    private static let left = """
        # My house\r
        site: {name: Test, time_zone: UTC}\r
        panel:\r
          host: 192.0.2.1\r
          password: ''   # of the module\r
          code_master: ''  # kept on the box\r
        network:\r
          wifi: {country: AT, ssid: Haus, password: ''}\r

        """

    @Test("a good card comes into force, its secrets are kept on data and blanked")
    func aGoodCardComesIntoForce() throws {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", Self.owners)
        let report = try bench.run()
        #expect(report == CardReport(inForce: .card, problems: []))
        #expect(bench.text("card/howalarming.yaml") == Self.left)
        #expect(try bench.names("card") == ["howalarming.yaml"])
        let result = bench.inForce
        #expect(result.problems.isEmpty, "\(result.problems)")
        #expect(result.configuration?.panel.password.revealed == "pa'ss")
        #expect(result.configuration?.panel.masterCode?.revealed == "4821")
        #expect(result.network?.wifi?.password?.revealed == "abcdefgh")
        #expect(bench.text("state/card/howalarming.yaml")?.contains("abcdefgh") == false)
        for name in try bench.names("state/card") {
            let attributes = try FileManager.default.attributesOfItem(atPath: bench.path("state/card/\(name)"))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        #expect(try bench.names("state/card") == ["card-report.json", "howalarming.secrets.yaml", "howalarming.yaml"])
        #expect(bench.text("run/\(NetworkFiles.supplicantPath)")?.contains("sae_password=6162636465666768\n") == true)
        #expect(bench.text("run/\(NetworkFiles.hostNamePath)") == "howalarming\n")
    }

    @Test("the next start finds everything done: nothing is written but the network")
    func theNextStartFindsEverythingDone() throws {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", Self.owners)
        try bench.run()
        let before = try bench.everything()
        let storage = FailingStorage(bench.directories)
        let report = try bench.run(through: storage)
        #expect(report == CardReport(inForce: .card, problems: []))
        #expect(
            storage.steps.allSatisfy { if case .run = $0 { true } else { false } }, "\(storage.steps)")
        #expect(storage.openings == 0)
        #expect(try bench.everything() == before)
    }

    @Test("a new value replaces the kept one, a blank one keeps it, and a line that is gone ends it")
    func aNewValueReplacesTheKeptOne() throws {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", Self.owners)
        try bench.run()
        try bench.put(
            "card/howalarming.yaml", Self.left.replacingOccurrences(of: "password: ''   #", with: "password: new #"))
        try bench.run()
        #expect(bench.inForce.configuration?.panel.password.revealed == "new")
        #expect(bench.inForce.configuration?.panel.masterCode?.revealed == "4821")
        #expect(bench.text("card/howalarming.yaml")?.contains("password: '' # of the module\r\n") == true)
        let without = Self.left.replacingOccurrences(of: "  code_master: ''  # kept on the box\r\n", with: "")
        try bench.put("card/howalarming.yaml", without)
        try bench.run()
        #expect(bench.inForce.configuration != nil)
        #expect(bench.inForce.configuration?.panel.masterCode == nil)
        #expect(bench.text("state/card/howalarming.secrets.yaml")?.contains("4821") == false)
    }

    @Test("a value that is still the example's is named at each start, also a code that is kept on the box")
    func aValueThatIsStillTheExamplesIsNamed() throws {
        let bench = try CardBench()
        let owners = Self.owners.replacingOccurrences(of: "4821", with: "1234")
            .replacingOccurrences(of: "name: Test", with: "name: Mill Lane 4")
        try bench.put("card/howalarming.yaml", owners)
        for _ in 0..<2 {
            let report = try bench.run()
            #expect(report.errors.isEmpty)
            #expect(
                report.problems.map(\.what) == [
                    "of the secrets that are kept on the box: 'panel.code_master' is still the example's value",
                    "'site.name' is still the example's value",
                ])
        }
    }

    @Test("a card with errors changes nothing but the file that tells them, and the last good one holds")
    func aCardWithErrorsChangesNothingButTheFileThatTellsThem() throws {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", Self.owners)
        try bench.run()
        let good = bench.inForce
        let wrong =
            Self.owners.replacingOccurrences(of: "code_master", with: "code_mastr")
            .replacingOccurrences(of: "AT", with: "Austria") + "network2: {}\r\n"
        try bench.put("card/howalarming.yaml", wrong)
        let report = try bench.run()
        #expect(report.inForce == .earlier)
        #expect(report.errors.map(\.line) == [6, 8, 9])
        #expect(report.errors.first?.column == 3)
        #expect(report.errors.first?.nearest == "code_master")
        #expect(bench.text("card/howalarming.yaml") == wrong)
        #expect(bench.inForce.configuration == good.configuration)
        #expect(bench.text("run/\(NetworkFiles.supplicantPath)")?.contains("country=AT\n") == true)
        let text = try #require(bench.text("card/howalarming-errors.txt"))
        #expect(
            text.contains(
                "Line 6, column 3: unknown key 'code_mastr' in 'panel'.\r\n    Did you mean 'code_master'?\r\n"))
        #expect(text.contains("Until it is corrected, the box works with the last configuration that was good.\r\n"))
        #expect(text.contains("What to do next: correct howalarming.yaml"))
        #expect(!text.replacingOccurrences(of: "\r\n", with: "").contains("\n"))
        #expect(!text.contains("abcdefgh") && !text.contains("pa'ss"))
        let kept = try #require(bench.text("state/card/card-report.json"))
        #expect(CardReport(json: Array(kept.utf8)) == report)
        // Once more: the same words are not written again.
        let storage = FailingStorage(bench.directories)
        try bench.run(through: storage)
        #expect(storage.openings == 0)
        // Corrected: the file goes away.
        try bench.put("card/howalarming.yaml", Self.owners)
        #expect(try bench.run() == CardReport(inForce: .card, problems: []))
        #expect(try bench.names("card") == ["howalarming.yaml"])
    }

    @Test("with errors and nothing before, nothing is in force, and the network asks for an address by DHCP")
    func withErrorsAndNothingBefore() throws {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", "panel: {host: a\n")
        let report = try bench.run()
        #expect(report.inForce == .none)
        #expect(report.errors.first?.line == 2)
        #expect(!FileManager.default.fileExists(atPath: bench.path("state/card/howalarming.yaml")))
        #expect(bench.text("run/\(NetworkFiles.ethernetPath)")?.contains("DHCP=yes") == true)
        #expect(bench.text("card/howalarming-errors.txt")?.contains("the box does not watch the panel") == true)
    }

    @Test("a card without a configuration gets the example, which is not used as it came")
    func aCardWithoutAConfigurationGetsTheExample() throws {
        let bench = try CardBench()
        bench.template = try ConfigurationSample.example()
        let report = try bench.run()
        #expect(report.inForce == .none)
        #expect(report.errors.first?.what.contains("an example was put there") == true)
        #expect(bench.text("card/howalarming.yaml").map { Array($0.utf8) } == bench.template)
        let again = try bench.run()
        #expect(again.inForce == .none)
        #expect(again.errors.first?.what.contains("this is the example as it came") == true)
        #expect(bench.text("card/howalarming.yaml").map { Array($0.utf8) } == bench.template)
        // One line changed by its owner is enough.
        let text = try #require(bench.text("card/howalarming.yaml"))
        try bench.put("card/howalarming.yaml", text.replacingOccurrences(of: "Mill Lane 4", with: "Mill Lane 5"))
        #expect(try bench.run().inForce == .card)
        #expect(bench.text("card/howalarming.yaml")?.contains("  password: ''  # kept on the box\n") == true)
    }

    @Test("a configuration that is gone from the card is put back without its secrets; a wrong name is said")
    func aConfigurationThatIsGoneFromTheCardIsPutBack() throws {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", Self.owners)
        try bench.run()
        try FileManager.default.moveItem(
            atPath: bench.path("card/howalarming.yaml"), toPath: bench.path("card/howalarming.yaml.txt"))
        let named = try bench.run()
        #expect(named.inForce == .earlier)
        #expect(named.errors.first?.what.contains("howalarming.yaml.txt") == true)
        try FileManager.default.removeItem(atPath: bench.path("card/howalarming.yaml.txt"))
        let report = try bench.run()
        #expect(report.inForce == .card)
        #expect(
            report.problems.map(\.what) == ["howalarming.yaml was missing on the card; the one that holds was put back"]
        )
        #expect(bench.text("card/howalarming.yaml") == Self.left)
        #expect(bench.inForce.configuration?.panel.password.revealed == "pa'ss")
    }

    @Test("reset-pin goes from the card to where the daemon looks; what cannot be removed resets nothing")
    func resetPinGoesFromTheCardToWhereTheDaemonLooks() throws {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", Self.owners)
        try bench.run()
        try bench.put("card/reset-pin", "")
        // The first step that changes something besides the network is the removal.
        let probe = FailingStorage(bench.directories, cut: .init(step: 5, isDone: false))
        let failed = try? bench.run(through: probe)
        #expect(probe.steps.allSatisfy { if case .run = $0 { true } else { false } })
        #expect(failed == nil || failed?.errors.isEmpty == false)
        #expect(try !bench.names("state/card").contains("reset-pin"))
        try bench.run()
        #expect(try bench.names("card") == ["howalarming.yaml"])
        #expect(PINResetFile.take(besides: bench.path("state/card/howalarming.yaml")) == .consolePINReset)
        try bench.run()
        #expect(try !bench.names("state/card").contains("reset-pin"))
    }

    @Test("data that became read-only in the middle of an import: the network of the last good configuration holds")
    func dataThatBecameReadOnlyInTheMiddleOfAnImport() throws {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", Self.owners)
        try bench.run()
        let pending = PendingImport(working: Array("panel: {}\n".utf8), secrets: [])
        try bench.put("state/card/card-import", String(decoding: pending.bytes, as: UTF8.self))
        // As at a start: /run is empty.
        try FileManager.default.removeItem(atPath: bench.path("run"))
        try FileManager.default.createDirectory(atPath: bench.path("run"), withIntermediateDirectories: false)
        #expect(throws: SystemError(call: "open", number: 30, subject: "data")) {
            try bench.run(through: ReadOnlyData(bench.directories))
        }
        #expect(bench.text("run/\(NetworkFiles.supplicantPath)")?.contains("country=AT\n") == true)
        #expect(bench.text("card/howalarming.yaml") == Self.left)
    }

    @Test("files that the configuration names come along; one with a private key is moved")
    func filesThatTheConfigurationNamesComeAlong() throws {
        let bench = try CardBench()
        let text =
            Self.owners
            + "fcm_v1: {service_account: key.json}\r\nmqtt: {host: b, user: u, password: p, ca_file: ca.pem}\r\n"
        try bench.put("card/howalarming.yaml", text)
        try bench.put("card/key.json", ConfigurationFCMTests.account)
        try bench.put("card/ca.pem", ChannelSample.certificate)
        let report = try bench.run()
        #expect(report.errors.isEmpty, "\(report.problems)")
        #expect(try bench.names("card") == ["ca.pem", "howalarming.yaml"])
        #expect(bench.text("state/card/key.json") == ConfigurationFCMTests.account)
        #expect(bench.inForce.configuration?.phones.channels.count == 2)
        #expect(try bench.run().errors.isEmpty)
        // The files of the box itself cannot be named.
        try bench.put("card/card-report.json", ChannelSample.certificate)
        try bench.put(
            "card/howalarming.yaml",
            Self.owners + "mqtt: {host: b, user: u, password: p, ca_file: card-report.json}\r\n")
        #expect(try bench.run().inForce == .earlier)
    }

    @Test("a file on the card that cannot be read is told as what it is, and an older copy does not take its place")
    func aFileOnTheCardThatCannotBeReadIsToldAsWhatItIs() throws {
        let bench = try CardBench()
        let text = Self.owners + "mqtt: {host: b, user: u, password: p, ca_file: ca.pem}\r\n"
        try bench.put("card/howalarming.yaml", text)
        try bench.put("card/ca.pem", ChannelSample.certificate)
        #expect(try bench.run().inForce == .card)
        try bench.put("card/ca.pem", ChannelSample.certificate + String(repeating: " ", count: 1 << 20))
        let tooLarge = try bench.run()
        #expect(tooLarge.inForce == .earlier)
        #expect(tooLarge.errors.contains { $0.what.contains("it is larger than") }, "\(tooLarge.problems)")
        try FileManager.default.removeItem(atPath: bench.path("card/ca.pem"))
        try FileManager.default.createDirectory(
            atPath: bench.path("card/ca.pem"), withIntermediateDirectories: false)
        let directory = try bench.run()
        #expect(directory.errors.contains { $0.what.contains("it is not a regular file") }, "\(directory.problems)")
        // Once it is gone, the copy holds that was taken before.
        try FileManager.default.removeItem(atPath: bench.path("card/ca.pem"))
        #expect(try bench.run().inForce == .card)
    }

    @Test("what is not for the card is said")
    func whatIsNotForTheCardIsSaid() throws {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", Self.owners + "secrets: other.yaml\r\n")
        #expect(try bench.run().errors.contains { $0.line == 9 && $0.what.hasPrefix("'secrets' is not for the card") })
        try bench.put("card/howalarming.yaml", "{\(Self.owners.replacingOccurrences(of: "# My house\r\n", with: ""))")
        #expect(try !bench.run().errors.isEmpty)
    }

    @Test("what is no report is none")
    func whatIsNoReportIsNone() {
        for text in ["", "{}", "[]", "{\"inForce\":\"x\",\"problems\":[]}", "\u{0}"] {
            #expect(CardReport(json: Array(text.utf8)) == nil)
        }
    }
}
