package import CommandKit
import Glibc

/// The command line `howalarming …`.
package enum HowAlarmingCommand {
    /// Words of the other program (`Sources/Laboratory`).
    private static let laboratoryCommands = ["demo", "simulate"]

    /// Carries out a command line (without the program's name) and gives the exit status.
    package static func main(_ arguments: [String]) -> Int32 {
        // A reader that went away is an error of `write`, not the end of the process in the middle of something.
        signal(SIGPIPE, SIG_IGN)
        let console = Console()
        do throws(UsageError) {
            return console.status(after: try parse(arguments).run(on: console))
        } catch {
            console.complain(error.description)
            return ExitStatus.usage
        }
    }

    /// Understands a command line without doing anything.
    package static func parse(_ arguments: [String]) throws(UsageError) -> any Command {
        var rest = arguments[...]
        var leading: [String] = []
        while let first = rest.first, first.hasPrefix("-") {
            rest = rest.dropFirst()
            switch first {
            case "-h", "--help": return HelpCommand()
            case "--version": return VersionCommand()
            case "--state":
                guard let value = rest.popFirst(), !value.hasPrefix("-") else {
                    throw UsageError("option '--state' needs a value: --state DIR")
                }
                leading = ["--state=\(value)"]
            default:
                guard first.hasPrefix("--state=") else {
                    let name = first.prefix { $0 != "=" }
                    let known = ["--state", "--help", "--version"]
                    throw UsageError(
                        "unknown option '\(name)'\(UsageError.suggestion(for: String(name), among: known))")
                }
                leading = [first]
            }
        }
        guard let name = rest.popFirst() else { throw UsageError("no command is given") }
        if laboratoryCommands.contains(name) {
            throw UsageError(
                "the simulators and the demo are a program of their own, which is not on the box: 'howalarming-lab \(name) "
                    + "…'; tools/demo builds and starts it")
        }
        guard let entry = CommandTable.entry(name) else {
            let shown = Text.printable(String(name.prefix(40)))
            if let other = CommandTable.otherWords[name] {
                throw UsageError("unknown command '\(shown)'; here it is '\(other)'")
            }
            let suggestion = UsageError.suggestion(for: name, among: CommandTable.harmlessNames)
            throw UsageError("unknown command '\(shown)'\(suggestion)")
        }
        return entry.parts.isEmpty
            ? try command(entry, leading + rest) : try part(of: entry, leading: leading, rest)
    }

    private static func command(_ entry: CommandEntry, _ arguments: [String]) throws(UsageError) -> any Command {
        let given = try ParsedArguments(arguments, syntax: entry.syntax)
        return given.wantsHelp ? HelpCommand(topic: entry.syntax.name) : try entry.read(given)
    }

    /// A command whose next word says what to do; without one it is `list`.
    private static func part(
        of group: CommandEntry, leading: [String], _ given: ArraySlice<String>
    ) throws(UsageError) -> any Command {
        var rest = given
        let name = group.syntax.name
        if rest.contains(where: { $0 == "--help" || $0 == "-h" }), rest.first?.hasPrefix("-") ?? true {
            return HelpCommand(topic: name)
        }
        var word = "list"
        if let first = rest.first, !first.hasPrefix("-") {
            word = first
            rest = rest.dropFirst()
        }
        guard let part = group.parts.first(where: { $0.syntax.name == "\(name) \(word)" }) else {
            let names = group.parts.map { String($0.syntax.name.dropFirst(name.count + 1)) }
            if let other = CommandTable.otherParts[word]?.first(where: { names.contains($0) }) {
                throw UsageError(
                    "'\(name)' has no part '\(word)'; here it is 'howalarming \(name) \(other)'",
                    help: "howalarming help \(name)")
            }
            throw UsageError(
                "the part of '\(name)' is one of \(names.joined(separator: ", "))"
                    + UsageError.suggestion(for: word, among: names), help: "howalarming help \(name)")
        }
        return try command(part, leading + rest)
    }
}
