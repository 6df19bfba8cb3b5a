import PhoneProtocol
import Testing

@Suite("bad input from the panel's side", .serialized, .timeLimit(.minutes(15)))
struct BadInputTests {
    @Test("lines that make no sense are counted, nothing is lost, and the session stays")
    func linesThatMakeNoSenseAreCounted() throws {
        let house = try Appliance.running()
        try house.wire(Array("60900300\r\n".utf8))  // a wrong sum
        try house.wire([UInt8](repeating: UInt8(ascii: "7"), count: 1500) + [13, 10])
        try house.wire((0...255).map { UInt8($0) } + [13, 10])
        try house.wire(line: "7770")
        try house.wire(line: "60903")
        try house.wire(line: "609003999")
        try house.wire(Array("\r\n\r\n\n".utf8))
        try house.house("fault garbage 2", "fault badchecksum 1", "open 2")
        // Cut and joined as a network may.
        try house.house("fault fragment bytes", "open 3", "fault fragment crlf", "close 3", "fault fragment off")
        try house.house("fault coalesce on", "open 4", "close 4", "fault coalesce off", "fault lowercase on", "open 1")
        try house.house("fault lowercase off", "open 20", "close 20", "open 64")
        try house.waitForRecord("the last of them") { $0.code == "609" && $0.zone == 64 }
        let records = try house.records()
        for (code, zone) in [("609", 3), ("610", 3), ("609", 4), ("610", 4), ("609", 1), ("609", 20), ("610", 20)] {
            #expect(records.contains { $0.code == code && $0.zone == Int64(zone) }, "\(code) of zone \(zone)")
        }
        let unnamed = try #require(records.first { $0.code == "609" && $0.zone == 20 })
        #expect(unnamed.json["zone_name"] == nil && unnamed.message.contains("20"))
        #expect(records.contains { $0.raw.hasPrefix("777") }, "a line with an unknown code is kept")
        // The opening of zone 2 was spoilt. Its state is asked for at most once a minute; here at once.
        #expect(try house.run("refresh").status == 0)
        try eventually("zone 2 is known to be open") {
            try house.status()["zones"]?.arrayValue?.first { $0["zone"]?.integerValue == 2 }?["open"] == .bool(true)
                ? true : nil
        }
        let report = try JSON(parsing: house.run("panel", "--json").output)
        #expect(report["phase"]?.stringValue == "up")
        let counters = try #require(report["counters"])
        for name in ["bad_checksum", "overlong", "malformed", "unknown_code", "wrong_data"] {
            #expect((counters[name]?.integerValue ?? 0) >= 1, "\(name): \(counters.text)")
        }
        #expect(counters["connects"]?.integerValue == 1 && counters["sessions"]?.integerValue == 1)
        #expect(try house.stop() == 0)
    }
}
