import AlarmModel
import ApplianceCore
import Foundation
import PhoneProtocol
import Platform
import Testing

@testable import Reports

@Suite("One picture of power") struct PowerTextTests {
    private static func panel(_ ac: Reading<Health>, _ battery: Reading<Health> = .unknown) -> SystemState {
        var system = SystemState()
        system[.ac] = ac
        system[.battery] = battery
        return system
    }

    private static func ups(
        _ reading: UPSReading?, problem: String? = nil, isLost: Bool = false
    ) -> UPSReport {
        UPSReport(
            name: "eaton", server: "192.168.1.20:3493", reading: reading, problem: problem, isLost: isLost)
    }

    @Test("panel, UPS and board in one line; nothing is said where nothing is known")
    func panelUPSAndBoardInOneLine() {
        let well = PowerText(
            panel: Self.panel(.known(.ok), .known(.ok)),
            ups: Self.ups(UPSReading(.mains, charge: 100, runtime: .seconds(2520))), isVoltageLow: false)
        #expect(
            well.line == "panel on mains, battery good; UPS eaton on mains, 100 %, 42 min; this board's voltage good")
        #expect(well.isWell)
        let nothing = PowerText(panel: SystemState(), ups: nil, isVoltageLow: nil)
        #expect(nothing.line == nil && nothing.isWell)
        #expect(nothing.json == nil)
        #expect(well.json?["ups"]?["minutes_left"] == .integer(42) && well.json?["panel_mains"] == .string("ok"))
        let bare = PowerText(panel: SystemState(), ups: nil, isVoltageLow: false)
        #expect(bare.json?["ups"] == .null && bare.json?["panel_mains"] == .null)
    }

    @Test(
        "what is wrong is seen, what is old or unknown is marked",
        arguments: [
            (PowerText(panel: panel(.known(.trouble)), ups: nil, isVoltageLow: nil), "panel WITHOUT MAINS"),
            (
                PowerText(panel: panel(.unknown, .stale(.trouble)), ups: nil, isVoltageLow: nil),
                "panel mains unknown, battery LOW?"
            ),
            (
                PowerText(panel: SystemState(), ups: ups(UPSReading(.battery, charge: 87)), isVoltageLow: nil),
                "UPS eaton ON BATTERY, 87 %"
            ),
            (
                PowerText(
                    panel: SystemState(), ups: ups(UPSReading(.low, runtime: .seconds(59)), isLost: true),
                    isVoltageLow: nil), "UPS eaton BATTERY LOW?, 0 min"
            ),
            (
                PowerText(panel: SystemState(), ups: ups(UPSReading(.low, isEnding: true)), isVoltageLow: nil),
                "UPS eaton BEING SWITCHED OFF"
            ),
            (
                PowerText(
                    panel: SystemState(), ups: ups(nil, problem: "it did not answer", isLost: true), isVoltageLow: nil),
                "UPS eaton unknown (it did not answer)"
            ),
            (
                PowerText(panel: SystemState(), ups: nil, isVoltageLow: true),
                "this board gets TOO LITTLE VOLTAGE: use a stronger supply or a shorter cable"
            ),
        ])
    func whatIsWrongIsSeen(_ text: PowerText, _ expected: String) {
        #expect(text.line == expected)
        #expect(!text.isWell)
    }

    @Test("a Raspberry Pi's sensor says whether its voltage is low; another board's says nothing")
    func aRaspberryPisSensor() throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("hwmon-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        func sensor(_ number: Int, _ name: String, alarm: String?) throws {
            let directory = place.appendingPathComponent("hwmon\(number)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data("\(name)\n".utf8).write(to: directory.appendingPathComponent("name"))
            guard let alarm else { return }
            try Data("\(alarm)\n".utf8).write(to: directory.appendingPathComponent("in0_lcrit_alarm"))
        }
        #expect(SupplyVoltage.isLow(in: place.path) == nil)
        try sensor(0, "cpu_thermal", alarm: "1")
        #expect(SupplyVoltage.isLow(in: place.path) == nil)
        try sensor(2, "rpi_volt", alarm: "0")
        #expect(SupplyVoltage.isLow(in: place.path) == false)
        try sensor(2, "rpi_volt", alarm: "1")
        #expect(SupplyVoltage.isLow(in: place.path) == true)
        try sensor(2, "rpi_volt", alarm: "?")
        #expect(SupplyVoltage.isLow(in: place.path) == nil)
    }
}
