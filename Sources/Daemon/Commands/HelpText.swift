import AlarmModel

/// The help, 80 columns wide.
enum HelpText {
    static let width = 80

    /// Every command, by purpose, on one screen.
    static var overview: [String] {
        var lines = ["\(VersionText.line(json: false)): the link between a house alarm and its people", ""]
        for purpose in CommandSyntax.Purpose.allCases {
            lines.append("\(purpose.rawValue):")
            let commands = CommandTable.all.filter { $0.purpose == purpose }.map { entry($0) }
            let half = (commands.count + 1) / 2
            for row in 0..<half {
                let right = row + half < commands.count ? commands[row + half] : ""
                lines.append(Text.trimmed("  " + Text.padded(commands[row], to: 39) + right))
            }
        }
        lines += ["", "'howalarming help COMMAND' explains one; --json is for programs."]
        return lines
    }

    private static func entry(_ syntax: CommandSyntax) -> String {
        Text.padded(syntax.name, to: 13) + syntax.brief
    }

    /// How one command is used.
    static func of(_ syntax: CommandSyntax) -> [String] {
        var usage = "howalarming \(syntax.name)"
        for operand in syntax.operands { usage += operand.isOptional ? " [\(operand.name)]" : " \(operand.name)" }
        var lines = ["usage: \(usage) [options]", ""]
        lines += Text.wrapped(syntax.summary, width: width)
        lines += ["", "options:"]
        for option in syntax.allOptions {
            let left = "  " + option.name + (option.value.map { " \($0)" } ?? "")
            lines.append(Text.padded(left, to: 27) + option.summary)
        }
        if !syntax.examples.isEmpty { lines += ["", "examples:"] + syntax.examples.map { "  \($0)" } }
        return lines
    }
}
