/// What a VT100 of any size shows after these bytes; it knows as much of one as the console uses.
struct Glass {
    private(set) var rows: [[Character]]
    private var row = 0
    private var column = 0

    init(_ output: String, columns: Int = 250, rows: Int = 130) {
        self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        // Only what came after the last clearing can still be seen.
        let shown = output.components(separatedByLast: "\u{1B}[2J")
        take(shown)
    }

    var lines: [String] {
        rows.map { row in String(row.reversed().drop { $0 == " " }.reversed()) }
    }

    var text: String { lines.joined(separator: "\n") }

    /// Rows and columns in which something stands.
    var extent: (columns: Int, rows: Int) {
        (lines.map(\.count).max() ?? 0, (lines.lastIndex { !$0.isEmpty } ?? -1) + 1)
    }

    private mutating func take(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar.value {
            case 0x1B: sequence(&rest)
            case 13: column = 0
            case 10: row = min(row + 1, rows.count - 1)
            case 8: column = max(0, column - 1)
            case ..<32: break
            default:
                if row < rows.count, column < rows[row].count { rows[row][column] = Character(scalar) }
                column += 1
            }
        }
    }

    private mutating func sequence(_ rest: inout ArraySlice<Unicode.Scalar>) {
        guard rest.popFirst() == "[" else { return }
        let parameters = rest.prefix { !(0x40...0x7E).contains($0.value) }
        rest = rest.dropFirst(parameters.count)
        let words = String(String.UnicodeScalarView(parameters)).split(separator: ";").compactMap { Int($0) }
        switch rest.popFirst() {
        case "H"?:
            row = min(max(0, (words.first ?? 1) - 1), rows.count - 1)
            column = min(max(0, (words.dropFirst().first ?? 1) - 1), rows[row].count - 1)
        case "K"?: for index in column..<rows[row].count { rows[row][index] = " " }
        default: break
        }
    }
}

extension String {
    /// What stands behind the last of these words; all of it where there is none.
    fileprivate func components(separatedByLast word: String) -> String {
        let text = Array(utf8)
        let sought = Array(word.utf8)
        guard text.count >= sought.count else { return self }
        for start in stride(from: text.count - sought.count, through: 0, by: -1)
        where text[start..<(start + sought.count)].elementsEqual(sought) {
            return String(decoding: text[(start + sought.count)...], as: UTF8.self)
        }
        return self
    }
}
