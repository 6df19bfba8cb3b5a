/// The line of a file that a problem is about, with a caret below the place. It shows the line's first key and no value: any
/// value may be a secret, also behind a key that is misspelt.
package struct ProblemExcerpt {
    private let lines: [[Character]]

    package init(of bytes: [UInt8]) {
        var text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(Array.init)
    }

    /// Two lines; none where the problem has no place in this file, as that something is missing.
    package func lines(for problem: ConfigurationProblem) -> [String] {
        guard let mark = problem.mark, lines.indices.contains(mark.line - 1), mark.column > 0 else { return [] }
        let line = lines[mark.line - 1]
        let caret = mark.column - 1
        guard line.contains(where: { !$0.isWhitespace }) else { return [] }
        let section = problem.path.prefix { $0 != "." }
        guard mark > .start || line.starts(with: section) && !section.isEmpty else { return [] }
        let shown = Self.key(of: line)
        let number = "\(mark.line)"
        let margin = String(repeating: " ", count: max(5 - number.count, 0))
        // Whatever stands behind the key is below the dots. A tab takes as much room below as above.
        let indent = shown.prefix(min(caret, shown.count - 1)).map { $0 == "\t" ? "\t" : " " }
        return ["\(margin)\(number) | \(String(shown))", "      | \(indent.joined())^"]
    }

    /// What stands before the first colon, and dots for the rest: `  password: …`.
    private static func key(of line: [Character]) -> [Character] {
        guard let colon = line.firstIndex(of: ":") else {
            // An item of a list, or a text that runs on.
            return Array(line.prefix { $0.isWhitespace || $0 == "-" }) + "…"
        }
        let rest = line[(colon + 1)...].drop(while: \.isWhitespace)
        return Array(line[...colon]) + (rest.isEmpty || rest.first == "#" ? "" : " …")
    }
}
