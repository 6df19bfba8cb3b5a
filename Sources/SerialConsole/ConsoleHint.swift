import CommandKit

/// Hints in texts of the daemon name a command, for whoever sits at a shell. At a console nobody can type one: it names
/// the key or the screen that does the same.
enum ConsoleHint {
    /// What stands for a command; the longest that fits counts.
    static let table: [(command: String, words: String)] = [
        ("howalarming phones pair --ntfy", "press P and choose the app from a store"),
        ("howalarming phones pair", "press P"),
        ("howalarming phones confirm", "type them here"),
        ("howalarming phones codes", "one-time codes need a shell, not this console"),
        ("howalarming phones allow", "press F and choose the phone"),
        ("howalarming phones role", "press F and choose the phone"),
        ("howalarming phones revoke", "press F and choose the phone"),
        ("howalarming phones lift", "press F and choose the phone"),
        ("howalarming phones approve", "original apps are let in by a shell only"),
        ("howalarming phones test", "press T"),
        ("howalarming phones seen", "press N"),
        ("howalarming phones dead", "screen 5"),
        ("howalarming phones list", "screen 5"),
        ("howalarming people", "screen 5"),
        ("howalarming status", "screen 1"),
        ("howalarming links", "screen 3"),
        ("howalarming check", "the file howalarming.errors.txt on the card"),
        ("howalarming run", "restart the machine with R"),
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
