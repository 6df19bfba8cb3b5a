/// A place in a YAML file. Lines and columns count from 1; a column is one Unicode character.
package struct YAMLMark: Equatable, Comparable, Sendable, CustomStringConvertible {
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
package struct YAMLNode: Equatable, Sendable {
    package enum Style: Equatable, Sendable {
        /// Neither quoted nor a block: `1`, `true` and `~` mean more than their letters only in this style.
        case plain
        case quoted
    }

    package struct Entry: Equatable, Sendable {
        /// The key as text; keys that are no scalars do not parse.
        package var key: String
        package var keyMark: YAMLMark
        package var value: YAMLNode
    }

    package indirect enum Content: Equatable, Sendable {
        case scalar(String, Style)
        case sequence([YAMLNode])
        /// In the order of the file; a key that is there twice is in here twice.
        case mapping([Entry])
    }

    package var mark: YAMLMark
    package var content: Content
    /// Where the text of a scalar stands, quotes included: Unicode characters from the start of the file, a byte order
    /// mark not counted. Empty for lists and mappings.
    package var extent: Range<Int>

    package init(mark: YAMLMark, content: Content, extent: Range<Int> = 0..<0) {
        self.mark = mark
        self.content = content
        self.extent = extent
    }

    /// Nothing was written, or a plain `~` or `null`.
    package var isNull: Bool {
        guard case .scalar(let text, .plain) = content else { return false }
        return text.isEmpty || text == "~" || text == "null" || text == "Null" || text == "NULL"
    }

    /// Nothing was written, or an empty text in quotes.
    package var isBlank: Bool {
        guard case .scalar(let text, .quoted) = content else { return isNull }
        return text.isEmpty
    }

    /// What it is, without saying what is written there.
    var kind: String {
        switch content {
        case .scalar(let text, _): isNull ? "nothing" : "a text of \(text.unicodeScalars.count) characters"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    /// Of a mapping, each once.
    var keys: [String] {
        guard case .mapping(let entries) = content else { return [] }
        var seen: Set<String> = []
        return entries.map(\.key).filter { seen.insert($0).inserted }
    }

    /// The value behind these keys; of a key that is there twice the first.
    package subscript(path: some Collection<String>) -> YAMLNode? {
        guard let key = path.first else { return self }
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value[path.dropFirst()]
    }

    /// The same without the entry behind these keys.
    package func removing(_ path: some Collection<String>) -> YAMLNode {
        guard let key = path.first, case .mapping(var entries) = content,
            let index = entries.firstIndex(where: { $0.key == key })
        else { return self }
        if path.count == 1 {
            entries.remove(at: index)
        } else {
            entries[index].value = entries[index].value.removing(path.dropFirst())
        }
        return YAMLNode(mark: mark, content: .mapping(entries), extent: extent)
    }

    /// Puts a value behind these keys; mappings on the way are made where there are none.
    mutating func insert(_ value: YAMLNode, at path: some Collection<String>) {
        guard let key = path.first else { return self = value }
        var entries: [Entry] = []
        if case .mapping(let known) = content { entries = known }
        if !entries.contains(where: { $0.key == key }) {
            let empty = YAMLNode(mark: value.mark, content: .mapping([]))
            entries.append(Entry(key: key, keyMark: value.mark, value: empty))
        }
        for index in entries.indices where entries[index].key == key {
            entries[index].value.insert(value, at: path.dropFirst())
        }
        content = .mapping(entries)
    }

    /// Whether both say the same, wherever it stands in its file.
    package func saysTheSame(as other: YAMLNode) -> Bool {
        switch (content, other.content) {
        case (.scalar(let a, _), .scalar(let b, _)): isNull == other.isNull && a == b
        case (.sequence(let a), .sequence(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.saysTheSame(as: $1) }
        case (.mapping(let a), .mapping(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.key == $1.key && $0.value.saysTheSame(as: $1.value) }
        case (.scalar, _), (.sequence, _), (.mapping, _): false
        }
    }
}

/// Why a file is not YAML that we read, and where. It never repeats what the file says, which may be a secret.
package struct YAMLProblem: Error, Equatable, Sendable, CustomStringConvertible {
    package var mark: YAMLMark
    package var what: String
    package var expected: String?

    package init(mark: YAMLMark, what: String, expected: String? = nil) {
        self.mark = mark
        self.what = what
        self.expected = expected
    }

    package var description: String { "\(mark): \(what)" + (expected.map { "; expected \($0)" } ?? "") }
}
