import AlarmModel
import PanelLink

extension ConfigurationReading {
    package static var zoneDirectory: String { "/usr/share/zoneinfo/" }

    /// The zone's rules come from the system's zone files.
    mutating func readTimeZone(_ field: ConfigurationSection.Field) {
        let expected = "a name of the time zone database, such as Europe/Vienna"
        guard let name = text(field, expected: expected) else { return }
        guard Self.isZoneName(name) else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is not the name of a time zone",
                expected: expected)
            return
        }
        // The one zone that every system knows without a file.
        guard name != "UTC" else { return }
        let bytes: [UInt8]
        do throws(ConfigurationFileFailure) {
            bytes = try files.read(Self.zoneDirectory + name, limit: 1 << 18).bytes
        } catch {
            let what =
                error == .notFound || error == .notAFile
                ? "the time zone '\(name)' is not known here"
                : "the rules of the time zone '\(name)' cannot be read: \(error)"
            report(
                at: place(ofValue: field), field.path, what, expected: expected + " (the package tzdata brings them)")
            return
        }
        do throws(TimeZoneError) {
            draft.panel.timeZone = try TimeZoneRules(name: name, tzif: bytes)
        } catch {
            report(
                at: place(ofValue: field), field.path,
                "the rules of the time zone '\(name)' cannot be used: \(error)", expected: expected)
        }
    }

    /// Letters, digits and `_ + - /`, so that no name leaves the directory.
    private static func isZoneName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return name.utf8.count <= 64
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { isDigit($0) || (97...122).contains($0 | 0x20) || "_+-".utf8.contains($0) }
            }
    }
}
