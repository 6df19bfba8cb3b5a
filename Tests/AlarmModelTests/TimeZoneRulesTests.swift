import AlarmModel
import Foundation
import Testing

private let directory = "/usr/share/zoneinfo/"
private let hasZones = FileManager.default.fileExists(atPath: directory + "Europe/Vienna")

private func file(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: directory + name)))
}

/// A file without a table: one type and a footer.
private func footerOnly(_ footer: String, version: Character = "2", offset: Int32 = 0) -> [UInt8] {
    let big = { (value: UInt32) in
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
    let counts: [UInt32] = [0, 0, 0, 0, 1, 4]
    let header = Array("TZif\(version)".utf8) + [UInt8](repeating: 0, count: 15) + counts.flatMap(big)
    let block = big(UInt32(bitPattern: offset)) + [0, 0] + Array("ABC\0".utf8)
    return header + block + header + block + Array("\n\(footer)\n".utf8)
}

struct TimeZoneRulesTests {
    @Test(
        "offsets agree with Python's zoneinfo from 1970 to 2060, at every edge and one second beside it",
        .enabled(if: hasZones && Python.isAvailable),
        arguments: [
            "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/St_Johns",
            "Europe/Dublin", "Asia/Gaza", "America/Nuuk", "Africa/Casablanca", "Pacific/Apia", "Asia/Kathmandu",
            "America/Sao_Paulo", "Pacific/Chatham", "Antarctica/Troll", "Etc/GMT+12", "UTC",
        ])
    func offsetsAgreeWithPythonsZoneinfoFrom1970To2060(name: String) throws {
        let rules = try TimeZoneRules(name: name, tzif: file(name))
        var random = Jitter(seed: 9636)
        var instants: [Int64] = []
        for transition in rules.transitions where transition.at >= 0 {
            instants += [transition.at - 1, transition.at, transition.at + 1]
        }
        let end: Int64 = 2_871_763_200  // 2061
        for _ in 0..<2000 { instants.append(Int64.random(in: 0..<end, using: &random)) }
        // The edges that the rule makes, found by bisection between days that differ.
        for start in stride(from: 2_145_916_800 as Int64, to: end, by: 864_000)
        where rules.offset(at: start) != rules.offset(at: start + 864_000) {
            var low = start
            var high = start + 864_000
            while high - low > 1 {
                let middle = (low + high) / 2
                if rules.offset(at: middle) == rules.offset(at: start) { low = middle } else { high = middle }
            }
            instants += [low - 1, low, high, high + 1]
        }
        for year in [1972, 2000, 2024, 2040, 2056] as [Int64] {
            let leapDay = (year - 1970) * 31_556_952 + 59 * 86_400
            instants += stride(from: leapDay - 172_800, to: leapDay + 172_800, by: 21_600).map { $0 }
        }
        let program = """
            import sys, zoneinfo, datetime
            zone = zoneinfo.ZoneInfo(sys.stdin.readline().strip())
            for line in sys.stdin.read().split():
                time = datetime.datetime.fromtimestamp(int(line), zone)
                print(time.isoformat(), time.strftime('%Y-%m-%d %H:%M:%S'), time.isoweekday())
            """
        let output = try Python.run(program, input: ([name] + instants.map(String.init)).joined(separator: "\n"))
        let expected = output.split(separator: "\n").map(String.init)
        try #require(expected.count == instants.count)
        for (instant, line) in zip(instants, expected) {
            let civil = rules.civilTime(at: WallTime(milliseconds: instant * 1000 + 999))
            let ours = "\(civil.textWithOffset) \(civil.text) \(civil.weekday)"
            if ours != line { Issue.record("\(name) at \(instant): \(ours), Python says \(line)") }
        }
    }

    @Test("a file cut anywhere is an error", .enabled(if: hasZones))
    func aFileCutAnywhereIsAnError() throws {
        let bytes = try file("Europe/Vienna")
        for end in 0..<bytes.count {
            #expect(throws: TimeZoneError.self) { try TimeZoneRules(name: "x", tzif: Array(bytes[..<end])) }
        }
    }

    @Test("a file with one damaged byte is read or refused, and what is read gives offsets", .enabled(if: hasZones))
    func aFileWithOneDamagedByteIsReadOrRefused() throws {
        let bytes = try file("America/New_York")
        var refused = 0
        for index in bytes.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var damaged = bytes
                damaged[index] ^= change
                guard let rules = try? TimeZoneRules(name: "x", tzif: damaged) else {
                    refused += 1
                    continue
                }
                for instant in [Int64.min, -1, 0, 1_795_228_190, 4_000_000_000, .max] {
                    _ = rules.offset(at: instant)
                    _ = rules.civilTime(at: WallTime(milliseconds: instant)).textWithOffset
                }
            }
        }
        #expect(refused > 0)
    }

    @Test("hostile headers are refused with their reason")
    func hostileHeadersAreRefusedWithTheirReason() throws {
        func failure(_ change: (inout [UInt8]) -> Void) -> TimeZoneError? {
            var bytes = footerOnly("ABC0")
            change(&bytes)
            do throws(TimeZoneError) {
                _ = try TimeZoneRules(name: "x", tzif: bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(failure { _ in } == nil)
        #expect(failure { $0 = [] } == .notTimeZoneData)
        #expect(failure { $0 = Array("TZxf and more".utf8) } == .notTimeZoneData)
        #expect(failure { $0.replaceSubrange(32..<36, with: [0xFF, 0xFF, 0xFF, 0xFF]) } == .truncated)
        #expect(failure { $0[39] = 0 } == .malformed(.counts))
        #expect(failure { $0[54 + 31] = 1 } == .leapSeconds)
        #expect(failure { $0[54 + 44] = 0x7F } == .malformed(.offset))
        #expect(failure { $0 = [UInt8](repeating: 0, count: 1 << 20) } == .tooLarge)
        #expect(failure { $0 = footerOnly("ABC") } == .badFooter("ABC"))
        #expect(failure { $0[108] = 0x20 } == .malformed(.footer))
    }

    struct FooterCase: Sendable {
        var footer: String
        var instant: Int64
        var offset: Int32
        init(_ footer: String, _ instant: Int64, _ offset: Int32) {
            self.footer = footer
            self.instant = instant
            self.offset = offset
        }
    }

    private static let vienna = "CET-1CEST,M3.5.0,M10.5.0/3"
    private static let nuuk = "<-02>2<-01>,M3.5.0/-1,M10.5.0/0"

    static let footerCases: [FooterCase] = [
        // 2026-03-29 and 2026-10-25, 01:00 UTC
        FooterCase(vienna, 1_774_745_999, 3600), FooterCase(vienna, 1_774_746_000, 7200),
        FooterCase(vienna, 1_792_889_999, 7200), FooterCase(vienna, 1_792_890_000, 3600),
        // 400 000 years later the same
        FooterCase(vienna, 1_774_746_000 + 12_622_780_800 * 1000, 7200),
        // 23:00 of the evening before
        FooterCase(nuuk, 1_774_745_999, -7200), FooterCase(nuuk, 1_774_746_000, -3600),
        // summer time all year
        FooterCase("EST5EDT,0/0,J365/25", 1_767_243_599, -14_400),
        FooterCase("EST5EDT,0/0,J365/25", 1_767_243_600, -14_400),
        // J60 is the 1st of March, in 2024 too; day 59 of 2024 is the 29th of February
        FooterCase("XXX0YYY,J60/0,J61/0", 1_709_251_199, 0), FooterCase("XXX0YYY,J60/0,J61/0", 1_709_251_200, 3600),
        FooterCase("XXX0YYY,59/0,60/0", 1_709_164_799, 0), FooterCase("XXX0YYY,59/0,60/0", 1_709_164_800, 3600),
        FooterCase("<+0545>-5:45", 0, 20_700), FooterCase("NST3:30:10", 0, -12_610),
        FooterCase("ABC+3", .max, -10_800), FooterCase("AAA0BBB-2:30,M1.1.0,M12.5.0", 1_782_864_000, 9000),
    ]

    @Test("the rule of the footer is read in all its forms", arguments: footerCases)
    func theRuleOfTheFooterIsReadInAllItsForms(example: FooterCase) throws {
        let rules = try TimeZoneRules(name: "x", tzif: footerOnly(example.footer))
        #expect(rules.offset(at: example.instant) == example.offset)
    }

    @Test(
        "what is not a rule is refused",
        arguments: [
            "A0", "ABC", "ABC25", "ABC0DEF", "ABC0DEF,M3.5.0", "ABC0DEF,M13.1.0,M10.5.0", "ABC0DEF,M3.6.0,M10.5.0",
            "ABC0DEF,M3.5.7,M10.5.0", "ABC0DEF,J0,J1", "ABC0DEF,366,1", "ABC0DEF,1/168,2", "ABC0x", "<AB", "<ABC0",
            "ABC0DEF,M3.5.0,M10.5.0x", "ABC0:60", "ABC99999999999999999999",
        ])
    func whatIsNotARuleIsRefused(footer: String) {
        #expect(throws: TimeZoneError.badFooter(footer)) { try TimeZoneRules(name: "x", tzif: footerOnly(footer)) }
    }

    @Test("UTC and the ends of time have a text")
    func utcAndTheEndsOfTimeHaveAText() {
        let civil = TimeZoneRules.utc.civilTime(at: WallTime(milliseconds: 1_795_237_504_000))
        #expect(civil.text == "2026-11-21 05:05:04")
        #expect(civil.textWithOffset == "2026-11-21T05:05:04+00:00")
        #expect(civil.weekday == 6)
        #expect(TimeZoneRules.utc.civilTime(at: WallTime(milliseconds: -1)).text == "1969-12-31 23:59:59")
        #expect(TimeZoneRules.utc.civilTime(at: WallTime(milliseconds: .max)).text == "292278994-08-17 07:12:55")
        #expect(TimeZoneRules.utc.civilTime(at: WallTime(milliseconds: .min)).year == -292_275_055)
    }
}
