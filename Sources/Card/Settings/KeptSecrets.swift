import YAMLConfiguration

/// The secrets that were taken from the card, as the secrets file of the working configuration.
struct KeptSecrets {
    struct Kept: Hashable {
        /// The keys that lead to it.
        var path: [String]
        var text: String
    }

    private(set) var all: [Kept] = []

    init() {}

    /// What is no secrets file of ours holds none.
    init(_ bytes: [UInt8]) {
        guard let root = try? YAMLDocument.parse(bytes).root else { return }
        for place in SecretPlace.all {
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
        var done: Set<[String]> = []
        for place in SecretPlace.all {
            guard let text = self[place.kept], done.insert(place.kept).inserted else { continue }
            let path = place.kept
            let common = zip(before, path.dropLast()).prefix { $0 == $1 }.count
            for depth in common..<path.count - 1 {
                lines.append(String(repeating: "  ", count: depth) + path[depth] + ":")
            }
            let quoted = text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
            lines.append(String(repeating: "  ", count: path.count - 1) + "\(path[path.count - 1]): '\(quoted)'")
            before = Array(path.dropLast())
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }
}
