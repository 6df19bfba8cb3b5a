import AlarmModel
import ApplianceCore
import PanelLink
import Testing
import YAMLConfiguration

@Suite struct ConfigurationTimeZoneTests {
    /// A version 2 file without transitions, whose footer says it all.
    private static let vienna: [UInt8] =
        block(type: [0, 0, 0, 0, 0, 0]) + block(type: [0, 0, 0x0E, 0x10, 0, 0])
        + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8)

    /// A header and its data: no indicators, leap seconds or transitions; one type, one character.
    private static func block(type: [UInt8]) -> [UInt8] {
        var bytes = Array("TZif2".utf8)
        bytes += [UInt8](repeating: 0, count: 15)
        for count: UInt8 in [0, 0, 0, 0, 1, 1] { bytes += [0, 0, 0, count] }
        return bytes + type + Array("C".utf8)
    }

    private func result(_ zone: String, _ file: [UInt8]? = nil) -> ConfigurationResult {
        var files = FakeFiles(["c.yaml": "site: {time_zone: \(zone)}\npanel: {host: a, password: b}"])
        if let file { files.files["/usr/share/zoneinfo/\(zone)"] = ConfigurationFile(bytes: file, mode: 0o644) }
        return ConfigurationReader.read(file: "c.yaml", files: files)
    }

    @Test("the rules of the named zone are read from its file")
    func theRulesOfTheNamedZoneAreReadFromItsFile() throws {
        let found = result("Europe/Vienna", Self.vienna)
        #expect(found.problems == [])
        let rules = try #require(found.configuration?.panel.timeZone)
        #expect(rules.name == "Europe/Vienna")
        #expect(rules.firstOffset == 3600)
        #expect(rules.footer == "CET-1CEST,M3.5.0,M10.5.0/3")
    }

    @Test("UTC needs no file")
    func utcNeedsNoFile() {
        #expect(result("UTC").problems == [])
        #expect(result("UTC").configuration?.panel.timeZone == .utc)
    }

    @Test(
        "a zone that is unknown, damaged or no name is an error at its place",
        arguments: [
            ("Europe/Wien", "the time zone 'Europe/Wien' is not known here"),
            ("../../etc/passwd", "'site.time_zone' is not the name of a time zone"),
            ("/etc/passwd", "'site.time_zone' is not the name of a time zone"),
            ("Europe//Vienna", "'site.time_zone' is not the name of a time zone"),
            ("[a]", "'site.time_zone' holds a list"),
        ])
    func aZoneThatIsUnknown(zone: String, what: String) {
        let found = result(zone)
        #expect(found.configuration == nil)
        #expect(found.problems.map(\.what) == [what])
        #expect(found.problems.first?.mark == YAMLMark(line: 1, column: 19))
    }

    @Test("a damaged zone file is an error that says so")
    func aDamagedZoneFileIsAnErrorThatSaysSo() {
        for end in [0, 4, 44, Self.vienna.count / 2, Self.vienna.count - 1] {
            let found = result("Europe/Vienna", Array(Self.vienna.prefix(end)))
            #expect(found.configuration == nil)
            #expect(
                found.problems.first?.what.hasPrefix("the rules of the time zone 'Europe/Vienna' cannot be used")
                    == true)
        }
    }
}
