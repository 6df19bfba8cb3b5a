import PhoneProtocol
import Testing

@Suite(
    "a UPS by NUT's own server", .serialized, .timeLimit(.minutes(10)),
    .enabled(if: UPSProcess.isThere, Comment(rawValue: Independents.advice)))
struct UPSTests {
    private func power(_ house: Appliance) throws -> JSON? { try house.status()["power"]?["ups"] }

    @Test(
        "on battery, low, back, and the server gone and back: told and shown; with a login as without",
        arguments: [true, false])
    func onBatteryLowAndBack(_ hasLogin: Bool) throws {
        let directory = try TestDirectory()
        let ups = try UPSProcess(in: directory)
        let house = try Appliance(
            configuration: {
                Appliance.configuration(port: $0) + ups.section(password: hasLogin ? UPSProcess.password : nil)
            }, in: directory)
        try house.start()
        try house.waitUntilUp()
        try eventually("the UPS is known") {
            try power(house)?["supply"] == .string("mains") ? true : nil
        }
        #expect(try power(house)?["minutes_left"] == .integer(42))

        try ups.says("OB DISCHRG", charge: 87, runtime: 1800)
        try house.waitForRecord("on battery") { $0.code == "UPS_BATTERY" && $0.message.contains("87 %, 30 min left") }
        #expect(try house.run("status").output.contains("UPS eaton ON BATTERY, 87 %, 30 min"))

        // The panel is armed and loses its mains, too; the UPS gets low: an alarm.
        try house.wire(line: "65210")
        try house.wire(line: "802")
        try house.waitForRecord("no mains") { $0.code == "802" }
        try ups.says("OB LB DISCHRG", charge: 9, runtime: 125)
        try house.waitForRecord("low") { $0.code == "UPS_LOW" && $0.message.contains("9 %, 2 min left") }
        try house.waitForRecord("all power") { $0.code == "POWER_LOST" && $0.type == "alarm" }

        try ups.says("OL CHRG", charge: 10, runtime: 130)
        try house.waitForRecord("back") { $0.code == "UPS_MAINS" }

        try ups.stop()
        try eventually("it is known that the server is gone") {
            try power(house)?["problem"] == .null ? nil : true
        }
        try ups.start()
        try eventually("and back") { try power(house)?["problem"] == .null ? true : nil }
        #expect(try house.stop() == 0)
    }

    @Test("upsd asks nobody who reads for a password: a wrong one keeps nothing from being told, and is not shown")
    func aWrongPasswordKeepsNothingFromBeingTold() throws {
        let directory = try TestDirectory()
        let ups = try UPSProcess(in: directory)
        let section = ups.section(password: "an0ther-w0rd")
        let house = try Appliance(
            configuration: { Appliance.configuration(port: $0) + section }, in: directory)
        let daemon = try house.start()
        try eventually("the UPS is known") {
            try power(house)?["supply"] == .string("mains") ? true : nil
        }
        #expect(try power(house)?["problem"] == .null)
        #expect(!daemon.errors.contains("an0ther-w0rd"))
        #expect(try !house.run("status").output.contains("an0ther-w0rd"))
        #expect(try house.stop() == 0)
    }
}
