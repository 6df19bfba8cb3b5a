import CommandKit

/// `help`: the overview, or how one command is used.
struct HelpCommand: Command, Equatable {
    /// A command, or a part of one; nil: the overview.
    var topic: String?

    static let entry = CommandEntry(
        "help", "[COMMAND] [PART]", in: .daemon, brief: "explain a command",
        """
        Shows the overview, or how one command is used. Every command ends with 0: done, 1: failed or refused, 2: sent and not
        confirmed, 64: not understood, 69: no daemon runs.

        howalarming help arm
        howalarming help phones pair
        """
    ) { given throws(UsageError) in
        guard let topic = given.operand(0) else { return HelpCommand() }
        guard let entry = CommandTable.entry(topic) else {
            throw UsageError("there is no such command\(UsageError.suggestion(for: topic, among: CommandTable.names))")
        }
        guard let part = given.operand(1) else { return HelpCommand(topic: topic) }
        guard CommandTable.entry("\(topic) \(part)") != nil else {
            let known = entry.parts.map { String($0.syntax.name.dropFirst(topic.count + 1)) }
            throw UsageError(
                "'\(topic)' has no such part\(UsageError.suggestion(for: part, among: known))",
                help: "howalarming help \(topic)")
        }
        return HelpCommand(topic: "\(topic) \(part)")
    }

    func run(on console: Console) -> Int32 {
        console.print(topic.flatMap { CommandTable.entry($0) }.map { HelpText.of($0.syntax) } ?? CommandTable.overview)
        return ExitStatus.done
    }
}

/// `version`.
struct VersionCommand: Command, Equatable {
    var json = false

    static let entry = CommandEntry(
        "version", in: .daemon, brief: "print the version",
        """
        Prints name and version.

        \(CommandSyntax.json)

        howalarming version
        """
    ) { VersionCommand(json: $0.json) }

    func run(on console: Console) -> Int32 {
        console.print([VersionText.line(json: json)])
        return ExitStatus.done
    }
}
