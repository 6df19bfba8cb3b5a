import AlarmModel
import PanelLink
import PhoneLink

extension ConfigurationReading {
    /// `{1: Ground floor, 2: {name: Workshop}}`
    mutating func readPartitions(_ field: ConfigurationSection.Field) {
        for (number, entry) in numbered(field, in: 1...8, called: "partition number") {
            guard claim("partitions.\(number)", called: "partition \(number)", by: entry) else { continue }
            guard let name = named(entry) else { continue }
            draft.partitions.append(SiteNames.Named(number: number, name: name))
        }
    }

    /// The number is the slot in the panel. It is not repeated in problems: people put the access code there.
    mutating func readUsers(_ field: ConfigurationSection.Field) {
        let words = "user number (the user's place in the panel, 40 is the master; not the access code)"
        for (number, entry) in numbered(field, in: 1...9999, called: words) {
            guard claim("users.\(number)", called: "a user", by: entry) else { continue }
            guard let name = named(entry) else { continue }
            draft.users.append(SiteNames.Named(number: number, name: name))
        }
    }

    /// `{'001': Front door, 2: {name: Study, partition: 1, fire: true}}`, in either kind of file.
    mutating func readZones(_ field: ConfigurationSection.Field) {
        for (number, entry) in numbered(field, in: 1...64, called: "zone number") {
            guard claim("zones.\(number)", called: "zone \(number)", by: entry) else { continue }
            guard case .mapping = entry.value.content else {
                if let name = name(entry) { draft.zones.append(SiteNames.Zone(number: number, name: name)) }
                continue
            }
            guard
                let section = section(entry.value, path: entry.path, place: entry.place, known: ConfigurationKeys.zone)
            else { continue }
            var zone = SiteNames.Zone(number: number, name: "")
            if let partition = section["partition"], let value = integer(partition, in: 1...8) {
                zone.partition = value
                zonePartitions.append((partition, value))
            }
            if let fire = section["fire"], let value = flag(fire) { zone.isFire = value }
            if let named = section["device_class"] {
                zone.deviceClass = choice(named, HomeAssistantDevice.deviceClasses.map { ($0, $0) })
            }
            guard let name = nameKey(of: section, entry) else { continue }
            zone.name = name
            draft.zones.append(zone)
        }
    }

    /// A zone may stand above the partitions in the file, so this comes last.
    mutating func checkZonePartitions() {
        let known = draft.partitions.isEmpty ? draft.panel.partitions : draft.partitions.map(\.number).sorted()
        // A partition whose own line is wrong is already reported.
        for (field, number) in zonePartitions
        where !known.contains(number) && place(of: "partitions.\(number)") == nil {
            let list = known.map { String($0) }.joined(separator: ", ")
            report(
                at: place(ofValue: field), field.path, "partition \(number) is not listed in 'partitions'",
                expected: known.count == 1 ? list : "one of \(list)")
        }
    }

    /// The lines of a section whose keys are numbers. `1`, `001`, `"001"` are the same number, `010` is ten.
    private mutating func numbered(
        _ field: ConfigurationSection.Field, in range: ClosedRange<Int>, called words: String
    ) -> [(Int, ConfigurationSection.Field)] {
        guard let section = section(field.value, path: field.path, place: field.place, known: nil) else { return [] }
        var numbered: [(Int, ConfigurationSection.Field)] = []
        for var entry in section.fields {
            guard let number = Self.decimal(entry.key), range.contains(number) else {
                report(
                    at: entry.place, field.path, "a key of '\(field.path)' is no \(words)",
                    expected: "\(range.lowerBound) to \(range.upperBound)")
                continue
            }
            if field.key != "users" { entry.path = "\(field.path).\(number)" }
            numbered.append((number, entry))
        }
        return numbered
    }

    private mutating func named(_ entry: ConfigurationSection.Field) -> String? {
        guard case .mapping = entry.value.content else { return name(entry) }
        guard let section = section(entry.value, path: entry.path, place: entry.place, known: ConfigurationKeys.named)
        else { return nil }
        return nameKey(of: section, entry)
    }

    private mutating func nameKey(
        of section: ConfigurationSection, _ entry: ConfigurationSection.Field
    ) -> String? {
        if let field = section["name"] { return name(field) }
        report(at: entry.place, section.path(of: "name"), "'\(entry.path)' has no name", expected: "a key 'name'")
        return nil
    }
}
