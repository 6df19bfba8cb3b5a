import Testing

@Suite("commands at the real daemon", .serialized, .timeLimit(.minutes(15)))
struct CommandTests {
    @Test("arming with an open zone is refused with status 1 and names the zone; then stay and a code work")
    func armingWithAnOpenZoneIsRefusedWithStatus1AndNamesTheZone() throws {
        let house = try Appliance.running()
        try house.house("open 3")
        try house.waitForRecord("zone 3 opens") { $0.code == "609" && $0.zone == 3 }
        let refused = try house.run("arm", "away")
        #expect(refused.status == 1)
        #expect(refused.output.contains("3 (Kitchen window)"), "\(refused.output)\(refused.errors)")
        try house.house("close 3")
        try house.waitForRecord("zone 3 closes") { $0.code == "610" && $0.zone == 3 }
        let armed = try house.run("arm", "stay")
        #expect(armed.status == 0, "\(armed.output)\(armed.errors)")
        let status = try house.run("status", "--json").output
        #expect(status.contains(#""mode":"stay""#), "\(status)")
        let code = try house.directory.write("code", "4321\n")
        let disarmed = try house.run("disarm", "--code-file", code)
        #expect(disarmed.status == 0, "\(disarmed.output)\(disarmed.errors)")
        try house.waitForRecord("who disarmed") { $0.code == "750" && $0.message.contains("Anna") }
    }

    @Test("a bypass is confirmed, and ended again")
    func aBypassIsConfirmed() throws {
        let house = try Appliance.running()
        let on = try house.run("bypass", "3")
        #expect(on.status == 0, "\(on.output)\(on.errors)")
        let status = try house.run("status")
        #expect(status.output.contains("Bypassed    3 Kitchen window"), "\(status.output)")
        let off = try house.run("bypass", "3", "--off")
        #expect(off.status == 0, "\(off.output)\(off.errors)")
        #expect(try !house.run("status").output.contains("Bypassed"))
    }

    @Test("a panel that wants a code for a bypass says so, and bypasses with a code; with a wrong one it says that")
    func aPanelThatWantsACodeForABypass() throws {
        let house = try Appliance.running()
        try house.house("fault code900 on")
        let refused = try house.run("bypass", "3")
        #expect(refused.status == 1 && refused.output.contains("wants a user code to bypass"), "\(refused.output)")
        let wrong = try house.directory.write("wrong", "9999\n")
        let denied = try house.run("bypass", "3", "--code-file", wrong)
        #expect(denied.status == 1 && denied.output.contains("does not know this code"), "\(denied.output)")
        let code = try house.directory.write("code", "4321\n")
        let on = try house.run("bypass", "3", "--code-file", code)
        #expect(on.status == 0, "\(on.output)\(on.errors)")
        #expect(try house.run("status").output.contains("Bypassed    3 Kitchen window"))
    }

    @Test("a wrong master code fails with status 1 and says where it stands")
    func aWrongMasterCodeFailsWithStatus1AndSaysWhereItStands() throws {
        var configuration = Configuration()
        configuration.masterCode = "1111"
        let house = try Appliance.running(configuration)
        #expect(try house.run("arm", "stay").status == 0)
        let result = try house.run("disarm")
        #expect(result.status == 1, "\(result.output)")
        #expect(result.output.contains("code_master"), "\(result.output)\(result.errors)")
    }

    @Test("a module that falls silent leaves a command not confirmed, status 2")
    func aModuleThatFallsSilentLeavesACommandNotConfirmed() throws {
        var configuration = Configuration()
        configuration.timing += ["answer_deadline: 500ms", "confirm_deadline: 500ms"]
        let house = try Appliance.running(configuration)
        try house.house("fault silent on")
        let result = try house.run("arm", "stay")
        #expect(result.status == 2, "\(result.output)\(result.errors)")
        #expect(result.output.contains("not confirmed"))
    }

    @Test("without a daemon a command ends with 69, and the journal is listed with 69 all the same")
    func withoutADaemonACommandEndsWith69() throws {
        let house = try Appliance.running()
        #expect(try house.stop() == 0)
        #expect(try house.run("arm").status == 69)
        let events = try house.run("events", "--json")
        #expect(events.status == 69)
        #expect(try Record.all(in: events.output).last?.code == "STOP")
        let status = try house.run("status")
        #expect(status.status == 69)
        #expect(status.output.contains("stale"))
    }

    @Test(
        "wrong usage ends with 64",
        arguments: [["arm", "sideways"], ["events", "--zone", "65"], ["sing"], ["run", "--config"]])
    func wrongUsageEndsWith64(_ arguments: [String]) throws {
        let result = try Program.run(arguments, in: TestDirectory())
        #expect(result.status == 64)
        #expect(!result.errors.isEmpty)
    }
}
