import AlarmModel

/// A section of the file as values: a table with a line for each key, and what only several keys tell together.
///
/// What its properties begin with holds without the key.
protocol SettingsSection: Sendable {
    init()

    /// In the order in which the documentation names the keys.
    static var table: [Setting<Self>] { get }

    /// The section by whose name the keys are known where two set the same: `panel`. nil: its own path.
    static var sharedName: String? { get }

    /// Once all keys are read.
    mutating func settle(_ section: Mapping, _ reading: inout SettingsReading)
}

extension SettingsSection {
    static var sharedName: String? { nil }

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {}
}

extension SettingsReading {
    /// Reads what stands in the field as a section. false: it is none, which is reported.
    @discardableResult
    mutating func read<Section: SettingsSection>(_ field: Field, into value: inout Section) -> Bool {
        guard let section = section(field, known: Section.table.keys) else { return false }
        read(section, into: &value)
        return true
    }

    /// All keys of the section's table, and what they tell together.
    mutating func read<Section: SettingsSection>(_ section: Mapping, into value: inout Section) {
        read(section, Section.table, into: &value, sharedName: Section.sharedName)
        value.settle(section, &self)
    }

    /// Some of its keys, or others that say the same.
    mutating func read<Section: SettingsSection>(
        _ field: Field, _ table: [Setting<Section>], into path: WritableKeyPath<ConfigurationDraft, Section>
    ) {
        guard let section = section(field, known: table.keys) else { return }
        var value = draft[keyPath: path]
        read(section, table, into: &value, sharedName: Section.sharedName)
        draft[keyPath: path] = value
    }

    /// The keys that the table has, in the order of the file, each set once in all files; then what is missing.
    mutating func read<Section>(
        _ section: Mapping, _ table: [Setting<Section>], into value: inout Section, sharedName: String? = nil
    ) {
        for field in section.fields {
            guard let setting = table.first(where: { $0.key == field.key }) else { continue }
            let name = sharedName.map { "\($0).\(field.key)" } ?? field.path
            guard section.isEntry || claim(name, called: "'\(name)'", by: field) else { continue }
            setting.read(&self, field, &value)
        }
        for setting in table where section[setting.key] == nil {
            guard let (what, example) = setting.missing else { continue }
            report(
                at: section.place, section.path(of: setting.key), what.replacing(text: "%", with: "'\(section.path)'"),
                expected: example.map { "'\(setting.key)' in '\(section.path)'\($0)" } ?? "a key '\(setting.key)'")
        }
    }
}
