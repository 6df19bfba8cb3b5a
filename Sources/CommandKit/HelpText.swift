import AlarmModel

/// The help, 80 columns wide.
package enum HelpText {
    static let width = 80

    /// Every command, by purpose, on one screen.
    package static func overview(_ all: [CommandSyntax]) -> [String] {
        var lines = [
            "\(VersionText.line(json: false)): 'help COMMAND' explains one; --json is for programs"
        ]
        for purpose in CommandSyntax.Purpose.allCases {
            lines.append("\(purpose.rawValue):")
            let commands = all.filter { $0.purpose == purpose && $0.isListed }.map { entry($0) }
            let half = (commands.count + 1) / 2
            for row in 0..<half {
                let right = row + half < commands.count ? commands[row + half] : ""
                lines.append(Text.trimmed("  " + Text.padded(commands[row], to: 39) + right))
            }
        }
        return lines
    }

    private static func entry(_ syntax: CommandSyntax) -> String {
        Text.padded(syntax.name, to: 13) + syntax.brief
    }

    /// How one command is used.
    package static func of(_ syntax: CommandSyntax) -> [String] {
        if let manual = syntax.manual { return [manual.text] }
        guard syntax.parts.isEmpty else { return ofParts(syntax) }
        var usage = "howalarming \(syntax.name)"
        for operand in syntax.operands { usage += operand.isOptional ? " [\(operand.name)]" : " \(operand.name)" }
        for option in syntax.options where syntax.needs.contains(option.name) { usage += " \(option.words)" }
        var lines = Text.wrapped("\(usage) [options]", width: width, label: "usage: ") + [""]
        lines += Text.wrapped(syntax.summary, width: width)
        lines += ["", "options:"]
        for option in syntax.allOptions {
            lines.append(Text.padded("  \(option.wordsWithLetter)", to: 27) + option.summary)
        }
        if !syntax.examples.isEmpty { lines += ["", "examples:"] + syntax.examples.map { "  \($0)" } }
        return lines
    }

    /// A command with parts: what each is for.
    private static func ofParts(_ syntax: CommandSyntax) -> [String] {
        var lines = ["usage: howalarming \(syntax.name) PART …", ""]
        lines += Text.wrapped(syntax.summary, width: width)
        lines.append("")
        for part in syntax.parts {
            let operands = part.operands.map { $0.isOptional ? " [\($0.name)]" : " \($0.name)" }.joined()
            let needed = part.options.filter { part.needs.contains($0.name) }.map { " \($0.words)" }.joined()
            lines.append(Text.padded("  \(part.name)\(operands)\(needed)", to: 36) + part.brief)
        }
        lines += ["", "examples:"] + syntax.examples.map { "  \($0)" }
        return lines + ["", "'howalarming help \(syntax.name) PART' explains one; all take --state DIR."]
    }
}

extension CommandSyntax.Option {
    /// `--since WHEN`
    fileprivate var words: String { name + (value.map { " \($0)" } ?? "") }

    /// The same with its letter: `-n, --limit N`
    fileprivate var wordsWithLetter: String {
        let letter = CommandSyntax.letters.first { $0.value == name }?.key
        return (letter.map { "\($0), " } ?? "") + words
    }
}
