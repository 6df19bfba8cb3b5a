import AlarmModel
import Foundation
import Glibc
import PhoneProtocol
import Testing

@Suite("start, signals, crashes, stop", .serialized, .timeLimit(.minutes(15)))
struct LifeTests {
    @Test("SIGTERM closes the panel session, stores the end and exits with 0 within 3 seconds")
    func sigtermClosesThePanelSession() throws {
        let house = try Appliance(Configuration(), panelArguments: ["--trace"])
        try house.start()
        try house.waitUntilUp()
        let begin = ContinuousClock.now
        #expect(try house.stop() == 0)
        // Twice the figure, as everywhere with real peers.
        #expect(ContinuousClock.now - begin < .seconds(6))
        _ = try house.panel.program.waitForLine(containing: "client 1: closed by the peer")
        let last = try #require(try house.journal().last)
        #expect(last.event.code == "STOP")
        #expect(house.notify.status.isEmpty == false && house.notify.lines.contains("STOPPING=1"))
    }

    @Test("SIGHUP takes new names and says so; a file with mistakes changes nothing")
    func sighupTakesNewNamesAndSaysSo() throws {
        let house = try Appliance.running()
        var changed = Configuration()
        changed.port = house.panel.port
        changed.kitchen = "Pantry"
        _ = try house.directory.write("howalarming.yaml", changed.text)
        house.daemon?.signal(SIGHUP)
        try house.waitForRecord("names changed") { $0.code == "CONFIG" && $0.message.contains("names") }
        try house.house("open 3")
        try house.waitForRecord("the new name") { $0.code == "609" && $0.json["zone_name"]?.stringValue == "Pantry" }
        _ = try house.directory.write("howalarming.yaml", changed.text + "prot: 12\n")
        house.daemon?.signal(SIGHUP)
        try house.waitForRecord("the refusal") {
            $0.code == "CONFIG" && $0.type == "fault" && $0.message.contains("errors")
        }
        #expect(house.daemon?.errors.contains("prot") == true, "the log names the mistake")
        try house.house("close 3")
        try house.waitForRecord("still the name") { $0.code == "610" && $0.json["zone_name"]?.stringValue == "Pantry" }
        #expect(try house.status()["panel"]?["link"]?.stringValue == "up", "the session was kept")
        let counters = try JSON(parsing: house.run("panel", "--json").output)["counters"]
        #expect(counters?["sessions"]?.integerValue == 1)
        #expect(try house.stop() == 0)
    }

    @Test("a second daemon on the state directory is refused and told which process holds it")
    func aSecondDaemonOnTheStateDirectoryIsRefusedAndTold() throws {
        let house = try Appliance(Configuration())
        let first = try house.start()
        let second = try Program.run(
            ["run", "--config", house.configurationFile, "--state", house.stateDirectory], in: house.directory)
        #expect(second.status == 1)
        #expect(second.errors.contains("process \(first.processID)"), "\(second.errors)")
        #expect(first.isRunning)
        #expect(try house.run("status").status == 0, "the first one still answers")
    }

    @Test("only the owner can reach the control socket")
    func onlyTheOwnerCanReachTheControlSocket() throws {
        let house = try Appliance(Configuration())
        try house.start()
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(house.stateDirectory)/control")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.type] as? FileAttributeType == .typeSocket)
    }

    @Test("a state directory whose path is longer than a socket's may be")
    func aStateDirectoryWhosePathIsLongerThanASocketsMayBe() throws {
        let house = try Appliance(Configuration())
        let parent = "\(house.directory.path)/\(String(repeating: "deep", count: 20))"
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
        house.stateDirectory = "\(parent)/\(String(repeating: "down", count: 15))"
        #expect(house.stateDirectory.utf8.count > 107)
        try house.start()
        try house.waitUntilUp()
        #expect(try house.stop() == 0)
        #expect(try house.run("events").status == 69)
    }

    @Test("the third crash within minutes starts in safe mode; being killed is no crash")
    func theThirdCrashWithinMinutesStartsInSafeMode() throws {
        let house = try Appliance(Configuration())
        for _ in 0..<3 {
            try house.start()
            house.kill9()
        }
        for _ in 0..<3 {
            try house.start()
            #expect(try house.journal().contains { $0.event.code == "SAFE_MODE" } == false)
            house.daemon?.signal(SIGILL)
            #expect(try house.daemon?.waitForExit() == 128 + SIGILL)
        }
        try house.start()
        let event = try house.waitForEvent { $0.code == "SAFE_MODE" }
        #expect(event.event.message.contains("3 crashes"))
        // No channel was at work: the signal came from outside.
        #expect(try !house.journal().contains { $0.event.message.contains("was at work") })
        try house.waitUntilUp()
        #expect(try house.stop() == 0)
    }

    @Test(
        "a channel that was at work in three crashes lets the others go first, so the house is watched and told",
        arguments: [false, true])
    func aChannelThatWasAtWorkInThreeCrashesLetsTheOthersGoFirst(_ hasStackOverflown: Bool) throws {
        var configuration = Configuration()
        // Nobody is there; that each of them calls is enough.
        configuration.channels = [
            "ntfy:", "  server: 'http://127.0.0.1:9'",
            "beanstalkd: {enabled: true, host: 127.0.0.1, port: 9, tubes: {events: [events]}}",
        ]
        let house = try Appliance(configuration)
        house.environment["HOWALARMING_CRASH"] = "ntfy"
        house.environment["HOWALARMING_CRASH_DEEP"] = hasStackOverflown ? "1" : nil
        for _ in 0..<3 {
            let daemon = try house.spawnDaemon()
            #expect(try daemon.waitForExit() > 128)
            #expect(daemon.errors.contains("crashed by signal"))
        }
        try house.start()
        try house.waitUntilUp()
        let event = try house.waitForEvent { $0.code == "SAFE_MODE" && $0.message.hasPrefix("ntfy was at work") }
        #expect(event.event.message.hasSuffix("it starts two minutes later than the others."))
        #expect(try house.stop() == 0)
    }

    @Test("an idle daemon sleeps")
    func anIdleDaemonSleeps() throws {
        let house = try Appliance.running()
        let process = try #require(house.daemon).processID
        usleep(1_000_000)
        func ticks() throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            let fields = text[text.index(after: try #require(text.lastIndex(of: ")")))...].split(separator: " ")
            return try #require(Int(fields[11])) + (try #require(Int(fields[12])))
        }
        let before = try ticks()
        usleep(3_000_000)
        let share = Double(try ticks() - before) / Double(sysconf(Int32(_SC_CLK_TCK))) / 3 * 100
        let memory = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("VmRSS") || $0.hasPrefix("RssAnon") }
        print("idle daemon: \(share) % CPU over 3 s; \(memory.joined(separator: ", "))")
        #expect(share < 5)
    }
}
