import CommandKit

/// A reading in progress: what is known so far and every problem found on the way.
///
/// A problem never stops the reading, so that one run shows all of them. Values of secrets are never put into words;
/// other values only where they look like what was expected there.
struct SettingsReading {
    let files: any ConfigurationFiles
    /// The file being read.
    var file: String
    var draft = ConfigurationDraft()
    var problems: [ConfigurationProblem] = []
    /// Whether the file being read holds a secret.
    var holdsSecret = false
    /// The path of the second file, where the first names one.
    var secretsFile: String?
    /// Partitions that zones name, checked when all partitions are known.
    var zonePartitions: [(field: Field, number: Int)] = []
    /// The sections of channels to people, with what the secrets file adds to them.
    var channels: [(channel: ChannelSection, section: Mapping)] = []
    /// `people`, with what the secrets file adds to it.
    var people: Field?
    /// `cameras`, likewise.
    var cameras: Field?
    /// Everything that was set, and where, to find what two sections set differently.
    private var places: [String: ConfigurationPlace] = [:]

    init(file: String, files: some ConfigurationFiles) {
        self.file = file
        self.files = files
    }

    mutating func report(
        _ severity: ConfigurationProblem.Severity = .error, at place: ConfigurationPlace, _ path: String,
        _ what: String, expected: String? = nil, nearest: String? = nil
    ) {
        problems.append(
            ConfigurationProblem(
                file: place.file, mark: place.mark, severity: severity, path: path, what: what, expected: expected,
                nearest: nearest))
    }

    /// Whether `thing` is set here for the first time; otherwise both places are reported.
    mutating func claim(_ thing: String, called words: String, by field: Field) -> Bool {
        if let other = places[thing] {
            report(
                at: field.place, field.path, "\(words) is set twice: here and at \(other)", expected: "one of the two")
            return false
        }
        places[thing] = field.place
        return true
    }

    /// Where `thing` was set, if it was.
    func place(of thing: String) -> ConfigurationPlace? { places[thing] }

    /// The bytes of the file being read as its outermost section.
    mutating func document(_ bytes: [UInt8], known: [String]) -> Mapping? {
        do throws(YAMLProblem) {
            let start = ConfigurationPlace(file: file, mark: .start)
            let root = try YAMLDocument.parse(bytes).root
            for strange in root.typographicCharacters {
                report(
                    .warning, at: ConfigurationPlace(file: file, mark: strange.mark), "",
                    "\(strange.words) is part of what stands here", expected: strange.expected)
            }
            return section(root, path: "", place: start, known: known)
        } catch {
            report(at: ConfigurationPlace(file: file, mark: error.mark), "", error.what, expected: error.expected)
            return nil
        }
    }

    /// The place of a value, or of its key if nothing is written there.
    func place(ofValue field: Field) -> ConfigurationPlace {
        field.value.isNull ? field.place : ConfigurationPlace(file: field.place.file, mark: field.value.mark)
    }

    /// Reports a value that cannot be taken; nil instead of it.
    mutating func refuse<Value>(_ field: Field, _ what: String, expected: String?, nearest: String? = nil) -> Value? {
        valueError(field, what, expected: expected, nearest: nearest)
        return nil
    }

    /// A problem of what stands behind a key, where it begins.
    mutating func valueError(_ field: Field, _ what: String, expected: String?, nearest: String? = nil) {
        report(at: place(ofValue: field), field.path, what, expected: expected, nearest: nearest)
    }

    mutating func valueWarning(_ field: Field, _ what: String, expected: String) {
        report(.warning, at: place(ofValue: field), field.path, what, expected: expected)
    }

    /// A problem of the key or section itself, at the key.
    mutating func error(_ thing: some Placed, _ what: String, expected: String?) {
        report(at: thing.place, thing.path, what, expected: expected)
    }

    mutating func warning(_ thing: some Placed, _ what: String, expected: String? = nil) {
        report(.warning, at: thing.place, thing.path, what, expected: expected)
    }

    /// What stands in a field as a section.
    mutating func section(_ field: Field, known: [String]?) -> Mapping? {
        section(field.value, path: field.path, place: field.place, known: known, isEntry: field.isEntry)
    }

    /// A mapping as a section. Unknown keys and keys that are there twice are reported; nothing written is an empty
    /// section. `known` is nil where the keys are numbers or names that the caller checks.
    mutating func section(
        _ node: YAMLNode, path: String, place: ConfigurationPlace, known: [String]?, isEntry: Bool = false
    ) -> Mapping? {
        var section = Mapping(path: path, place: place, isEntry: isEntry, fields: [])
        guard !node.isNull else { return section }
        guard case .mapping(let entries) = node.content else {
            report(
                at: ConfigurationPlace(file: file, mark: node.mark), path,
                "\(path.isEmpty ? "the file" : "'\(path)'") holds \(node.kind)",
                expected: known.map { "keys such as '\($0.first ?? "")' with a colon and a space after them" }
                    ?? "lines of a number, a colon, a space and a name")
            return nil
        }
        var seen: [String: YAMLMark] = [:]
        for entry in entries {
            if let known, !known.contains(entry.key) {
                reportUnknown(entry, in: path, known: known)
                continue
            }
            let here = ConfigurationPlace(file: file, mark: entry.keyMark)
            let keyPath = known == nil ? path : section.path(of: entry.key)
            if let first = seen[entry.key] {
                let name = known == nil ? "a key of '\(path)'" : "'\(keyPath)'"
                report(
                    at: here, keyPath, "\(name) is there twice: here and at \(file):\(first)",
                    expected: "one of the two")
                continue
            }
            seen[entry.key] = entry.keyMark
            section.fields.append(.init(key: entry.key, path: keyPath, place: here, value: entry.value))
        }
        return section
    }

    private mutating func reportUnknown(_ entry: YAMLNode.Entry, in path: String, known: [String]) {
        let place = ConfigurationPlace(file: file, mark: entry.keyMark)
        let container = path.isEmpty ? "the file" : "'\(path)'"
        // `{password:1234}` makes one key of both; what follows the colon may be a secret.
        if let colon = entry.key.firstIndex(of: ":") {
            let head = String(entry.key[..<colon])
            let nearest = known.contains(head) ? nil : NearestKey.of(head, among: known)
            return report(
                at: place, path, "a key of \(container) has a colon without a space after it",
                expected: "a space after the colon", nearest: nearest)
        }
        let nearest = NearestKey.of(entry.key, among: known) ?? ConfigurationKeys.home(of: entry.key, in: path)
        // A key without a letter was never meant as one of ours; it may be a code in the wrong place.
        let isWord = entry.key.unicodeScalars.contains { $0.properties.isAlphabetic }
        let words = "unknown key \(isWord ? "'\(ConfigurationText.printable(entry.key))' " : "")in \(container)"
        report(
            at: place, path, words, expected: nearest == nil ? "one of \(known.joined(separator: ", "))" : nil,
            nearest: nearest)
    }
}
