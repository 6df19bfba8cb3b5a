/// One line of a section's table: a key, what may stand behind it, and where its value goes.
struct Setting<Section>: TableLine, Sendable {
    let key: String
    /// The keys of a section within the section.
    private(set) var inner: [String]
    private(set) var place = SettingPlace.mainFile
    /// What is said where the key is missing, with the section as `%`, and an example.
    private(set) var missing: (what: String, example: String?)?
    /// Puts what the field holds into the section, or reports what is wrong with it.
    let read: @Sendable (inout SettingsReading, Field, inout Section) -> Void

    init(
        _ key: String, inner: [String] = [],
        _ read: @escaping @Sendable (inout SettingsReading, Field, inout Section) -> Void
    ) {
        self.key = key
        self.inner = inner
        self.read = read
    }

    /// What holds without the key holds with a wrong value, too.
    init<Value>(_ key: String, _ kind: ValueKind<Value>, _ path: Path<Section, Value>) {
        self.init(key) { reading, field, section in
            if let value = kind.read(&reading, field) { section[keyPath: path] = value }
        }
    }

    /// nil holds with a wrong value.
    init<Value>(_ key: String, _ kind: ValueKind<Value>, _ path: Path<Section, Value?>) {
        self.init(key) { reading, field, section in section[keyPath: path] = kind.read(&reading, field) }
    }

    /// A section within the section, whose values go into the same one.
    init(_ key: String, _ table: [Setting<Section>]) {
        self.init(key, inner: table.keys) { reading, field, section in
            if let inner = reading.section(field, known: table.keys) { reading.read(inner, table, into: &section) }
        }
    }

    /// A section within the section.
    init<Inner: SettingsSection>(_ key: String, _ path: Path<Section, Inner>) {
        self.init(key, inner: Inner.table.keys) { reading, field, section in
            reading.read(field, into: &section[keyPath: path])
        }
    }

    /// A section within the section; nil holds where it is no section.
    init<Inner: SettingsSection>(_ key: String, _ path: Path<Section, Inner?>) {
        self.init(key, inner: Inner.table.keys) { reading, field, section in
            var inner = Inner()
            section[keyPath: path] = reading.read(field, into: &inner) ? inner : nil
        }
    }

    /// A key that `settle` reads, once it is known what the value is for.
    static func later(_ key: String) -> Self { Self(key) { _, _, _ in } }

    /// A secret, which may stand in the secrets file instead.
    var secret: Self { placed(.secret) }
    /// Not secret, and may stand in the secrets file beside one that is.
    var inEitherFile: Self { placed(.eitherFile) }

    private func placed(_ place: SettingPlace) -> Self {
        var setting = self
        setting.place = place
        return setting
    }

    /// - Parameters:
    ///   - what: `% has no host`, with the section's path in the place of the sign
    ///   - example: what goes on `'host' in 'mqtt'`; nil: the key is enough
    func required(_ what: String, _ example: String? = nil) -> Self {
        var setting = self
        setting.missing = (what, example)
        return setting
    }

    /// The same line in the table of a section that holds this one.
    func within<Outer>(_ path: Path<Outer, Section>) -> Setting<Outer> {
        var setting = Setting<Outer>(key, inner: inner) { reading, field, outer in
            read(&reading, field, &outer[keyPath: path])
        }
        setting.place = place
        setting.missing = missing
        return setting
    }
}

extension Array {
    /// The same lines in the table of a section that holds this one.
    func within<Outer, Inner>(_ path: Path<Outer, Inner>) -> [Setting<Outer>] where Element == Setting<Inner> {
        map { $0.within(path) }
    }
}

/// Which file a value may stand in.
enum SettingPlace: Sendable { case mainFile, eitherFile, secret }

/// What can be said of a table without knowing its section.
protocol TableLine {
    var key: String { get }
    var inner: [String] { get }
    var place: SettingPlace { get }
}

extension Sequence where Element: TableLine {
    var keys: [String] { map(\.key) }
    /// What may stand in the secrets file.
    var movable: [Element] { filter { $0.place != .mainFile } }
    var secrets: [Element] { filter { $0.place == .secret } }
}

/// Where a value goes.
typealias Path<Root, Value> = any WritableKeyPath<Root, Value> & Sendable
