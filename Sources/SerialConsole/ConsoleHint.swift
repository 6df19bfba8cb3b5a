import AlarmModel

/// Hints in what the daemon answers name a command, for whoever sits at a shell. At a console nobody can type one: it
/// names the key or the screen that does the same.
enum ConsoleHint {
    /// The text with keys and screens in the place of commands.
    static func translated(_ text: String) -> String {
        Hint.allCases.reduce(text) { replaced($1, in: $0) }
    }

    private static func replaced(_ hint: Hint, in text: String) -> String {
        let command = "\(hint)".dropLast()
        var rest = text[...]
        var out = ""
        while let start = rest.range(ofText: command) {
            out += rest[..<start.lowerBound]
            let end = rest[start.upperBound...].firstIndex(of: "'")
            // A longer command begins like this one.
            guard let end, [" ", "'"].contains(rest[start.upperBound]) else {
                out += rest[start]
                rest = rest[start.upperBound...]
                continue
            }
            out += hint.key
            rest = rest[rest.index(after: end)...]
        }
        return out + rest
    }
}
