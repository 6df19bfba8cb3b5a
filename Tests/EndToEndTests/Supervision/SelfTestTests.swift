import Foundation
import Glibc
import PhoneProtocol
import Testing

@Suite("self-test and support", .serialized, .timeLimit(.minutes(15)))
struct SelfTestEndToEndTests {
    private static let password = "Kp4xZ9"
    private static let master = "739146"
    private static let key = "AIzaSECRETkeyOfTheServer"

    private func house() throws -> PhoneHouse {
        try PhoneHouse.running(
            panelArguments: ["--password", Self.password, "--master-code", Self.master],
            pushArguments: ["--key", Self.key]
        ) { configuration, phones in
            configuration.password = Self.password
            configuration.masterCode = Self.master
            phones.key = Self.key
        }
    }

    /// The tests' results by their subject.
    private func results(_ house: Appliance, _ words: String...) throws -> (ok: Bool, [String: String], String) {
        let run = try house.command(["self-test", "--json"] + words, within: .seconds(60))
        let json = try JSON(parsing: run.output)
        var results: [String: String] = [:]
        for test in json["tests"]?.arrayValue ?? [] {
            let subject = test["test"]?.stringValue ?? ""
            if results[subject] != "failed" { results[subject] = test["result"]?.stringValue ?? "" }
            if test["result"] == .string("failed") {
                #expect(test["advice"]?.stringValue?.isEmpty == false, "\(subject) says what to do")
            }
        }
        #expect((run.status == 0) == (json["ok"] == .bool(true)))
        return (json["ok"] == .bool(true), results, run.output)
    }

    @Test("a house in order: the panel, the store and the phone with its receipt pass; what is broken fails")
    func aHouseInOrderThePanelTheStoreAndThePhoneWithItsReceiptPass() throws {
        let house = try house()
        let anna = try house.phone(of: "Anna")
        let good = try results(house.house)
        for subject in ["daemon", "panel", "store", "room", "journal", "phone Anna", "configuration", "certificates"] {
            #expect(good.1[subject] == "passed", "\(subject): \(good.2)")
        }
        anna.program.kill9()
        house.house.panel.program.kill9()
        try eventually("the panel is missed") {
            try house.house.status()["panel"]?["link"] == .string("down") ? true : nil
        }
        let bad = try results(house.house)
        #expect(!bad.ok)
        #expect(bad.1["panel"] == "failed" && bad.1["phone Anna"] == "failed", "\(bad.2)")
        #expect(try house.house.stop() == 0)
        let without = try results(house.house, "--no-push")
        #expect(without.1["daemon"] == "failed" && without.1["panel"] == "skipped", "\(without.2)")
        #expect(without.1["journal"] == "passed" && without.1["configuration"] == "passed", "\(without.2)")
        let text = try house.house.run("self-test", "--no-push")
        #expect(text.status == 1 && text.output.contains("FAIL daemon"), "\(text.output)")
    }

    @Test("the archive holds what helps, and no secret, no token and no duress; with and without a daemon")
    func theArchiveHoldsWhatHelps() throws {
        let house = try house()
        _ = try house.phone(of: "Anna")
        try house.house.house("open 3")
        try house.house.waitForRecord("the window") { $0.code == "609" }
        try house.house.house("keypad 1 duress")
        try eventually("the row of duress") { try house.house.sql("SELECT code FROM duress") == "620" ? true : nil }
        for name in ["running", "stopped"] {
            let file = "\(house.directory.path)/\(name).tar"
            let packed = try house.house.command(["support", file], within: .seconds(90))
            #expect(packed.status == 0, "\(packed.errors)")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            for secret in [Self.password, Self.master, Self.key, "uress"] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(name).tar")
            }
            for fact in [
                "howalarming-support/status.json", "Kitchen window", "howalarming-support/self-test.json",
                "\"host\"", "/proc/meminfo", "(set)",
            ] {
                #expect(bytes.range(of: Data(fact.utf8)) != nil, "\(fact) in \(name).tar")
            }
            let again = try house.house.command(["support", file], within: .seconds(90))
            #expect(again.status == 1, "an archive is not overwritten unasked")
            if name == "running" { #expect(try house.house.stop() == 0) }
        }
    }

    @Test("a restart of the machine is asked of the service manager, and only with --yes")
    func aRestartOfTheMachineIsAskedOfTheServiceManager() throws {
        let house = try Appliance(Configuration())
        let supervisor = try Supervisor(house, watchdog: .seconds(10))
        try supervisor.start()
        try supervisor.waitUntilReady()
        #expect(try house.run("reboot").status == 64)
        let file = "\(supervisor.runtimeDirectory)/reboot"
        #expect(access(file, F_OK) != 0)
        #expect(try house.run("reboot", "--yes").status == 0)
        #expect(access(file, F_OK) == 0)
        try house.waitForRecord("it is written down") { $0.code == "REBOOT" }
    }

    @Test("where no service manager runs the daemon a restart is refused")
    func whereNoServiceManagerRunsTheDaemonARestartIsRefused() throws {
        let house = try Appliance.running()
        let result = try house.run("reboot", "--yes")
        #expect(result.status == 1 && result.errors.contains("systemctl reboot"), "\(result.errors)")
    }
}
