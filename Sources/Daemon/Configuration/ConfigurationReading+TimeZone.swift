import AlarmModel
import PanelLink

extension ConfigurationReading {
    private static var zoneDirectory: String { "/usr/share/zoneinfo/" }

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
        guard name != "UTC" else { return }
        do throws(ConfigurationFileFailure) {
            _ = try files.read(Self.zoneDirectory + name, limit: 1 << 20)
        } catch .notFound {
            report(
                at: place(ofValue: field), field.path, "the time zone '\(name)' is not known here",
                expected: expected + " (the package tzdata brings them)")
        } catch {
            report(
                at: place(ofValue: field), field.path, "the rules of the time zone '\(name)' cannot be read: \(error)",
                expected: expected)
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
