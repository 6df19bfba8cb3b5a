import CommandKit

/// A reading in progress: what is known so far and every problem found on the way.
///
/// A problem never stops the reading, so that one run shows all of them. Values of secrets are never put into words;
/// other values only where they look like what was expected there.
package struct ConfigurationReading {
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
    var zonePartitions: [(field: ConfigurationSection.Field, number: Int)] = []
    /// The sections of ways to people, with what the secrets file adds to them.
    var ways: [ConfigurationSection] = []
    /// Everything that was set, and where, to find what two sections set differently.
    private var places: [String: ConfigurationPlace] = [:]

    init(file: String, files: some ConfigurationFiles) {
        self.file = file
        self.files = files
    }

    mutating func report(
        _ severity: ConfigurationProblem.Severity = .error, at place: ConfigurationPlace, _ path: String,
        _ what: String,
        expected: String? = nil, nearest: String? = nil
    ) {
        problems.append(
            ConfigurationProblem(
                file: place.file, mark: place.mark, severity: severity, path: path, what: what, expected: expected,
                nearest: nearest))
    }

    /// Whether `thing` is set here for the first time; otherwise both places are reported.
    mutating func claim(_ thing: String, called words: String, by field: ConfigurationSection.Field) -> Bool {
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

    /// The place of a value, or of its key if nothing is written there.
    func place(ofValue field: ConfigurationSection.Field) -> ConfigurationPlace {
        field.value.isNull ? field.place : ConfigurationPlace(file: field.place.file, mark: field.value.mark)
    }

    /// A mapping as a section. Unknown keys and keys that are there twice are reported; nothing written is an empty
    /// section. `known` is nil where the keys are numbers that the caller checks.
    mutating func section(
        _ node: YAMLNode, path: String, place: ConfigurationPlace, known: [String]?
    ) -> ConfigurationSection? {
        var section = ConfigurationSection(path: path, place: place, fields: [])
        guard !node.isNull else { return section }
        guard case .mapping(let entries) = node.content else {
            report(
                at: ConfigurationPlace(file: file, mark: node.mark), path,
                path.isEmpty
                    ? "the file holds \(Self.kind(node))" : "'\(path)' holds \(Self.kind(node))",
                expected: known.map { "keys such as '\($0.first ?? "")' with a colon and a space after them" }
                    ?? "lines of a number, a colon, a space and a name")
            return nil
        }
        var seen: [String: YAMLMark] = [:]
        for entry in entries {
            let here = ConfigurationPlace(file: file, mark: entry.keyMark)
            if let known, !known.contains(entry.key) {
                reportUnknown(entry, in: path, known: known)
                continue
            }
            let keyPath = known == nil ? path : section.path(of: entry.key)
            if let first = seen[entry.key] {
                let name = known == nil ? "a number of '\(path)'" : "'\(keyPath)'"
                report(
                    at: here, keyPath, "\(name) is there twice: here and at \(file):\(first)",
                    expected: "one of the two")
                continue
            }
            seen[entry.key] = entry.keyMark
            section.fields.append(
                ConfigurationSection.Field(key: entry.key, path: keyPath, place: here, value: entry.value))
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
            report(
                at: place, path, "a key of \(container) has a colon without a space after it",
                expected: "a space after the colon", nearest: nearest)
            return
        }
        var nearest = NearestKey.of(entry.key, among: known)
        if nearest == nil, let home = ConfigurationKeys.home(of: entry.key, in: path) { nearest = home }
        // A key without a letter was never meant as one of ours; it may be a code in the wrong place.
        let isWord = entry.key.unicodeScalars.contains { $0.properties.isAlphabetic }
        let words = "unknown key \(isWord ? "'\(Self.printable(entry.key))' " : "")in \(container)"
        report(
            at: place, path, words, expected: nearest == nil ? "one of \(known.joined(separator: ", "))" : nil,
            nearest: nearest)
    }

    /// A key as it can be shown: cut to 40 characters, nothing that moves a terminal's cursor.
    static func printable(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(40) { shown.unicodeScalars.append(isControl(scalar) ? "?" : scalar) }
        return text.unicodeScalars.count > 40 ? shown + "…" : shown
    }

    /// Control characters, line separators, and marks that turn the direction of writing.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    static func kind(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let text, _): node.isNull ? "nothing" : "a text of \(text.unicodeScalars.count) characters"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
