/// The sections of the file, in the order in which the documentation names them.
struct TopSection: Sendable {
    let key: String
    /// Paths of the section and of those within it, with their keys.
    let outline: [(path: String, keys: [String])]
    let read: @Sendable (inout SettingsReading, Field) -> Void

    init(
        _ key: String, _ table: [any TableLine] = [], _ read: @escaping @Sendable (inout SettingsReading, Field) -> Void
    ) {
        self.key = key
        let within = table.filter { !$0.inner.isEmpty }.map { (path: "\(key).\($0.key)", keys: $0.inner) }
        outline = [(key, table.map(\.key))] + within
        self.read = read
    }

    /// A section of which something holds without it, too.
    init<Section: SettingsSection>(_ key: String, _ path: Path<ConfigurationDraft, Section>) {
        self.init(key, Section.table) { reading, field in
            var value = reading.draft[keyPath: path]
            if reading.read(field, into: &value) { reading.draft[keyPath: path] = value }
        }
    }

    /// The same under another name, with keys of its own.
    init<Section: SettingsSection>(
        _ key: String, _ path: Path<ConfigurationDraft, Section>, _ table: [Setting<Section>]
    ) {
        self.init(key) { reading, field in reading.read(field, table, into: path) }
    }

    init<Section: SettingsSection>(_ key: String, _ path: Path<ConfigurationDraft, Section?>) {
        self.init(key, Section.table) { reading, field in
            var value = Section()
            if reading.read(field, into: &value) { reading.draft[keyPath: path] = value }
        }
    }

    static let all: [TopSection] =
        [
            .init("site", \.site),
            .init("panel", \.panel),
            .init("partitions") { $0.readPartitions($1) },
            .init("zones", NamedEntry.zoneTable) { $0.readZones($1) },
            .init("users") { $0.readUsers($1) },
            .init("people") { $0.people = $1 },
            .init("phones", \.phones),
            .init("app", \.app),
            .init("cameras") { $0.cameras = $1 },
            .init("pictures", \.pictures),
            .init("links", \.links),
            .init("network", \.network),
            .init("sms", \.sms),
        ] + ChannelSection.all.map { channel in .init(channel.name, channel.table) { $0.keep(channel, $1) } } + [
            .init("alert_gcm", \.account),
            .init("journal", \.journal),
            .init("update", \.update),
            .init("updates", \.updates),
            .init("reminders", \.reminders),
            .init("pace", \.pace),
            .init("secrets") { _, _ in },
            .init("envisalinkd", \.panel, PanelSection.legacyTable),
            .init("alert_plivo") { AlertPlivoSection.warn($1, &$0) },
        ]
}

extension SettingsReading {
    /// Everything in the main file but the contents of its secrets file.
    mutating func readTop(_ top: Mapping) {
        let sections = TopSection.all
        for field in top.fields {
            _ = claim(field.path, called: "'\(field.path)'", by: field)
            sections.first { $0.key == field.key }?.read(&self, field)
        }
        SiteSection.check(top, &self)
        checkZonePartitions()
    }

    /// What must be there, once all files are read, and the sections that needed both.
    mutating func checkComplete(_ top: Mapping) {
        PanelSection.check(top, &self)
        SMSSection.check(top["sms"], &self)
        // The order of the file stays for what the house tells.
        for (channel, section) in channels { channel.read(&self, section) }
        CallsSection.check(top["calls"], &self)
        RemindersSection.check(top, &self)
        readPeople()
        readCameras()
        AlertGCMSection.check(&self)
        NetworkSection.check(top, &self)
    }
}

/// Where each key of the configuration belongs.
enum ConfigurationKeys {
    static let top = TopSection.all.map(\.key)
    private static let sections = TopSection.all.flatMap(\.outline)

    /// Of a key that stands in the wrong section; the sections within that one come first.
    static func home(of key: String, in wrong: String) -> String? {
        let found = sections.filter { $0.keys.contains(key) }.map { "\($0.path).\(key)" }
        return found.first { !wrong.isEmpty && $0.hasPrefix(wrong + ".") } ?? found.first
            ?? (top.contains(key) ? key : nil)
    }
}
