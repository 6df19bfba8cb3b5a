import AlarmModel
import PanelLink
import PhoneLink

/// `partitions`, `zones` and `users`: numbers with a name each, or with a section that holds it.
extension SettingsReading {
    /// `{1: Ground floor, 2: {name: Workshop}}`
    mutating func readPartitions(_ field: Field) {
        for (number, entry) in numbered(field, in: 1...8, called: "partition number")
        where claim("partitions.\(number)", called: "partition \(number)", by: entry) {
            let read = named(entry, NamedEntry.nameTable)
            if let name = read.name { draft.partitions.append(.init(number: number, name: name)) }
        }
    }

    /// The number is the slot in the panel. It is not repeated in problems: people put the access code there.
    mutating func readUsers(_ field: Field) {
        let words = "user number (the user's place in the panel, 40 is the master; not the access code)"
        for (number, entry) in numbered(field, in: 1...9999, called: words)
        where claim("users.\(number)", called: "a user", by: entry) {
            let read = named(entry, NamedEntry.nameTable)
            if let name = read.name { draft.users.append(.init(number: number, name: name)) }
        }
    }

    /// `{'001': Front door, 2: {name: Study, partition: 1, fire: true}}`, in either kind of file.
    mutating func readZones(_ field: Field) {
        for (number, entry) in numbered(field, in: 1...64, called: "zone number")
        where claim("zones.\(number)", called: "zone \(number)", by: entry) {
            var read = named(entry, NamedEntry.zoneTable)
            guard let name = read.name else { continue }
            (read.zone.number, read.zone.name) = (number, name)
            if let other = draft.zones.first(where: { $0.name.lowercased() == name.lowercased() }) {
                warning(
                    entry, "zones \(other.number) and \(number) have the same name, so nobody knows which one is meant",
                    expected: "another name for one of them")
            }
            warnOfAnAlarmByTheWrongName(of: read.zone, entry)
            draft.zones.append(read.zone)
        }
    }

    /// A zone that nothing is said of raises a burglary: a fire would be told as ALARM, without a word about leaving.
    private mutating func warnOfAnAlarmByTheWrongName(of zone: SiteNames.Zone, _ entry: Field) {
        guard !zone.isFire, zone.deviceClass == nil, let guess = ZoneNameGuess(name: zone.name) else { return }
        warning(
            entry, "by its name this zone watches for \(guess.watched), but its alarm would be told as a burglary",
            expected: "{name: …, \(guess.setting)}; if the name is wrong about it, {name: …, \(ZoneNameGuess.other)}")
    }

    /// A zone may stand above the partitions in the file, so this comes last.
    mutating func checkZonePartitions() {
        let known = draft.partitions.isEmpty ? draft.panel.settings.partitions : draft.partitions.map(\.number).sorted()
        // A partition whose own line is wrong is already reported.
        for (field, number) in zonePartitions where !known.contains(number) && place(of: "partitions.\(number)") == nil
        {
            let list = known.map { String($0) }.joined(separator: ", ")
            report(
                at: place(ofValue: field), field.path, "partition \(number) is not listed in 'partitions'",
                expected: known.count == 1 ? list : "one of \(list)")
        }
    }

    /// The lines of a section whose keys are numbers. `1`, `001`, `"001"` are the same number, `010` is ten.
    private mutating func numbered(_ field: Field, in range: ClosedRange<Int>, called words: String) -> [(Int, Field)] {
        guard let section = section(field, known: nil) else { return [] }
        var numbered: [(Int, Field)] = []
        for var entry in section.fields {
            guard let number = ConfigurationText.decimal(entry.key), range.contains(number) else {
                report(
                    at: entry.place, field.path, "a key of '\(field.path)' is no \(words)",
                    expected: "\(range.lowerBound) to \(range.upperBound)")
                continue
            }
            if field.key != "users" { entry.path = "\(field.path).\(number)" }
            entry.isEntry = true
            numbered.append((number, entry))
        }
        return numbered
    }

    /// A name that stands alone, or a section with a name.
    private mutating func named(_ entry: Field, _ table: [Setting<NamedEntry>]) -> NamedEntry {
        var value = NamedEntry()
        if case .mapping = entry.value.content {
            if let section = section(entry, known: table.keys) { read(section, table, into: &value) }
        } else {
            value.name = ValueKind.name.read(&self, entry)
        }
        return value
    }
}

/// A zone; of a partition or a user only the name.
struct NamedEntry: Sendable {
    fileprivate var name: String?
    fileprivate var zone = SiteNames.Zone(number: 0, name: "")

    fileprivate static let nameTable: [Setting<Self>] = [.init("name", .name, \.name).required("% has no name")]

    static let zoneTable =
        nameTable + [
            // Whether there is such a partition is known last.
            .init(
                "partition",
                .integer(1...8).checked { reading, field, number in
                    reading.zonePartitions.append((field, number))
                    return number
                }, \.zone.partition
            ),
            .init("fire", .flag, \.zone.isFire),
            .init("device_class", .word(HomeAssistantDevice.deviceClasses.map { ($0, $0) }), \.zone.deviceClass),
        ]
}
