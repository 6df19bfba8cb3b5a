/// A place in a YAML file. Lines and columns count from 1; a column is one Unicode character.
package struct YAMLMark: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static let start = YAMLMark(line: 1, column: 1)

    package static func < (a: YAMLMark, b: YAMLMark) -> Bool { (a.line, a.column) < (b.line, b.column) }

    package var description: String { "\(line):\(column)" }
}

/// One value of a YAML file with the place where it begins. Scalars stay text, as they were written.
package struct YAMLNode: Hashable, Sendable {
    package enum Style: Hashable, Sendable {
        /// Neither quoted nor a block: `1`, `true` and `~` mean more than their letters only in this style.
        case plain
        case quoted
    }

    package struct Entry: Hashable, Sendable {
        /// The key as text; keys that are no scalars do not parse.
        package var key: String
        package var keyMark: YAMLMark
        package var value: YAMLNode
    }

    package indirect enum Content: Hashable, Sendable {
        case scalar(String, Style)
        case sequence([YAMLNode])
        /// In the order of the file; a key that is there twice is in here twice.
        case mapping([Entry])
    }

    package var mark: YAMLMark
    package var content: Content

    package init(mark: YAMLMark, content: Content) {
        self.mark = mark
        self.content = content
    }

    /// Nothing was written, or a plain `~` or `null`.
    package var isNull: Bool {
        guard case .scalar(let text, .plain) = content else { return false }
        return text.isEmpty || text == "~" || text == "null" || text == "Null" || text == "NULL"
    }
}

/// Why a file is not YAML that we read, and where. It never repeats what the file says, which may be a secret.
package struct YAMLProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package var mark: YAMLMark
    package var what: String
    package var expected: String?

    package var description: String { "\(mark): \(what)" + (expected.map { "; expected \($0)" } ?? "") }
}
