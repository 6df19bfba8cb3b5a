import CommandKit

/// Hints in texts of the daemon name a command, for whoever sits at a shell. At a console nobody can type one: it names
/// the key or the screen that does the same.
enum ConsoleHint {
    /// What stands for a command; the longest that fits counts.
    static let table: [(command: String, words: String)] = [
        ("howalarming phones pair", "key P"), ("howalarming phones confirm", "Enter"),
        ("howalarming phones codes", "key E"), ("howalarming phones approve", "key F"),
        ("howalarming phones allow", "key F"), ("howalarming phones role", "key F"),
        ("howalarming phones revoke", "key F"), ("howalarming phones lift", "key F"),
        ("howalarming phones test", "key T"), ("howalarming phones seen", "key N"),
        ("howalarming phones dead", "screen 5"), ("howalarming phones list", "screen 5"),
        ("howalarming people", "screen 5"), ("howalarming status", "screen 1"), ("howalarming links", "screen 3"),
        ("howalarming check", "howalarming-errors.txt on the card"), ("howalarming run", "key R"),
    ]

    /// The text with keys and screens in the place of commands. A command stands in quotes, or ends with its sentence.
    static func translated(_ text: String) -> String {
        var rest = Substring(text)
        var out = ""
        while let start = rest.firstRange(of: "howalarming ")?.lowerBound {
            let isQuoted = start > rest.startIndex && rest[rest.index(before: start)] == "'"
            let end =
                rest[start...].firstIndex { isQuoted ? $0 == "'" : ";,:".contains($0) }
                ?? rest[start...].lastIndex(of: ".") ?? rest.endIndex
            let command = rest[start..<end]
            guard let words = words(for: command) else {
                out += rest[..<end]
                rest = rest[end...]
                continue
            }
            out += isQuoted ? rest[..<rest.index(before: start)] : rest[..<start]
            out += words
            rest = rest[end...]
            if isQuoted, rest.first == "'" { rest = rest.dropFirst() }
        }
        return out + rest
    }

    private static func words(for command: Substring) -> String? {
        table.filter { command.hasPrefix($0.command) }.max { $0.command.count < $1.command.count }?.words
    }
}
