import YAMLConfiguration

/// The secrets that were taken from the card, as the secrets file of the working configuration.
struct KeptSecrets {
    struct Kept: Equatable {
        /// The keys that lead to it.
        var path: [String]
        var text: String
    }

    private(set) var all: [Kept] = []

    init() {}

    /// What is no secrets file of ours holds none.
    init(_ bytes: [UInt8]) {
        guard let root = try? YAMLDocument.parse(bytes).root else { return }
        for place in SecretPlace.all(in: root) {
            guard let node = root[place.kept], !node.isBlank, case .scalar(let text, _) = node.content else { continue }
            keep(text, at: place.kept)
        }
    }

    subscript(path: [String]) -> String? { all.first { $0.path == path }?.text }

    mutating func keep(_ text: String, at path: [String]) {
        all.removeAll { $0.path == path }
        all.append(Kept(path: path, text: text))
    }

    /// As a file: sections together, in the order of the documentation, every value in quotes.
    var bytes: [UInt8] {
        var lines = [
            "# The secrets of howalarming.yaml on the card, taken from there by 'howalarming card'.",
            "# To change one, write it on the card: the box takes it at its next start.",
        ]
        var before: [String] = []
        for kept in inOrder {
            let path = kept.path.map(Self.quoted)
            let common = zip(before, path.dropLast()).prefix { $0 == $1 }.count
            for depth in common..<path.count - 1 {
                lines.append(String(repeating: "  ", count: depth) + path[depth] + ":")
            }
            lines.append(
                String(repeating: "  ", count: path.count - 1) + "\(path[path.count - 1]): \(Self.inQuotes(kept.text))")
            before = Array(path.dropLast())
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// Sections together, in the order of the documentation, people behind them.
    private var inOrder: [Kept] {
        let places = SecretPlace.all(in: YAMLNode(mark: .start, content: .mapping([]))).map(\.kept)
        let known = all.filter { places.contains($0.path) }
        let named = all.filter { !places.contains($0.path) }.sorted { $0.path.lexicographicallyPrecedes($1.path) }
        var done: Set<[String]> = []
        let fixed = places.compactMap { path in done.insert(path).inserted ? known.first { $0.path == path } : nil }
        return fixed + named
    }

    /// Names of people are anything; words of ours need no quotes.
    private static func quoted(_ key: String) -> String {
        let isPlain = key.utf8.allSatisfy {
            (97...122).contains($0) || $0 == UInt8(ascii: "_") || (48...57).contains($0)
        }
        return isPlain ? key : inQuotes(key)
    }

    private static func inQuotes(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
