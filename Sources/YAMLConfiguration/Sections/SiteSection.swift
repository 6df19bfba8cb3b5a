import AlarmModel

/// `site`: the house.
struct SiteSection: SettingsSection {
    var name = "Home"
    var timeZone = TimeZoneRules.utc
    var language: NoticeLanguage?

    static let table: [Setting<Self>] = [
        .init("name", .name, \.name), .init("time_zone", .timeZone, \.timeZone),
        .init("language", .word(NoticeLanguage.allCases.map { ($0.rawValue, $0) }), \.language),
    ]

    /// Once the main file is read.
    static func check(_ top: Mapping, _ reading: inout SettingsReading) {
        guard reading.place(of: "site.time_zone") == nil else { return }
        reading.report(
            .warning, at: top["site"]?.place ?? top.place, "site.time_zone",
            "no time zone is set, so UTC is used for the panel's clock and for what people read",
            expected: "'time_zone' in 'site', such as Europe/Vienna")
    }
}

/// Where the system's rules of time zones are.
package enum TimeZoneFiles {
    package static let directory = "/usr/share/zoneinfo/"

    /// Letters, digits and `_ + - /`, so that no name leaves the directory.
    static func isName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return name.utf8.count <= 64
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy {
                        ConfigurationText.isDigit($0) || ConfigurationText.isLetter($0) || "_+-".utf8.contains($0)
                    }
            }
    }
}

extension ValueKind where Value == TimeZoneRules {
    /// Their rules come from the system's files.
    fileprivate static var timeZone: Self {
        let expected = "a name of the time zone database, such as Europe/Vienna"
        let name = ValueKind<String>.text(expected, otherwise: "is not the name of a time zone", TimeZoneFiles.isName)
        return Self { reading, field in
            guard let name = name.read(&reading, field) else { return nil }
            // The one zone that every system knows without a file.
            guard name != "UTC" else { return .utc }
            let bytes: [UInt8]
            do throws(ConfigurationFileFailure) {
                bytes = try reading.files.read(TimeZoneFiles.directory + name, limit: 1 << 18).bytes
            } catch {
                let what =
                    error == .notFound || error == .notAFile
                    ? "the time zone '\(name)' is not known here"
                    : "the rules of the time zone '\(name)' cannot be read: \(error)"
                return reading.refuse(field, what, expected: expected + " (the package tzdata brings them)")
            }
            do throws(TimeZoneError) {
                return try TimeZoneRules(name: name, tzif: bytes)
            } catch {
                return reading.refuse(
                    field, "the rules of the time zone '\(name)' cannot be used: \(error)", expected: expected)
            }
        }
    }
}
