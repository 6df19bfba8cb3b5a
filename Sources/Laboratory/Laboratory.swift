import CommandKit
import Glibc

// Laboratory: what tries the box out, as a program of its own that is not on the card.
//
// For:        the simulated panel, push services, topic server and phone on real sockets; the demo, which plays a day with
//             the real daemon among them, and hosts the web app for a browser on this machine, its push service too.
// Guarantees: listens on loopback only; stops what it started.
// Knows not:  the daemon's inside: it is a program beside it.

/// The command line `howalarming-lab …`.
package enum LaboratoryCommand {
    private static let usage = """
        howalarming-lab: what tries the box out; 'howalarming-lab COMMAND --help' explains one

          demo          a night of a simulated house with the real daemon, in 20 seconds
          simulate      panel, push, phone, fcm, ntfy, webpush or calls, on this machine
        """
    private static let simulators = [
        SimulatePanelCommand.entry, SimulatePushCommand.entry, SimulatePhoneCommand.entry, SimulateFCMCommand.entry,
        SimulateNtfyCommand.entry, SimulateWebPushCommand.entry, SimulateCallsCommand.entry,
    ]

    /// Carries out a command line (without the program's name) and gives the exit status.
    package static func main(_ arguments: [String]) -> Int32 {
        // A reader that went away is an error of `write`, not the end of the process in the middle of something.
        signal(SIGPIPE, SIG_IGN)
        let console = Console(program: "howalarming-lab")
        switch arguments.first {
        case "demo": return run(DemoCommand.entry, arguments.dropFirst(), on: console)
        case "simulate": return simulate(arguments.dropFirst(), on: console)
        case "help", "--help", "-h":
            console.print([usage])
            return ExitStatus.done
        case let word?:
            let shown = Text.printable(String(word.prefix(40)))
            console.complain("unknown command '\(shown)'; 'demo' and 'simulate' are what there is")
            return ExitStatus.usage
        case nil:
            console.complain("no command is given; see 'howalarming-lab help'")
            return ExitStatus.usage
        }
    }

    private static func simulate(_ arguments: ArraySlice<String>, on console: Console) -> Int32 {
        if let kind = arguments.first, let entry = simulators.first(where: { $0.syntax.name == "simulate \(kind)" }) {
            return run(entry, arguments.dropFirst(), on: console)
        }
        guard arguments.contains("--help") || arguments.contains("-h") else {
            console.complain(
                "simulate what? 'panel', 'push', 'phone', 'fcm', 'ntfy' and 'webpush' are what there is; see 'howalarming-lab simulate "
                    + "panel --help', 'howalarming-lab simulate push --help', and so on")
            return ExitStatus.usage
        }
        console.print(Array(simulators.map { HelpText.of($0.syntax) }.joined(separator: [""])))
        return ExitStatus.done
    }

    private static func run(_ entry: CommandEntry, _ arguments: ArraySlice<String>, on console: Console) -> Int32 {
        do throws(UsageError) {
            let given = try ParsedArguments(arguments, syntax: entry.syntax)
            guard given.wantsHelp else { return try entry.read(given).run(on: console) }
            console.print(HelpText.of(entry.syntax))
            return ExitStatus.done
        } catch {
            console.complain(error.description)
            return ExitStatus.usage
        }
    }
}

extension CommandEntry {
    /// A command of this program, whose options are read from its help.
    init(
        laboratory name: String, missing: String = "needs a value", _ manual: String, read: @escaping Reading
    ) {
        self.init(
            CommandSyntax(name, manual: manual, asking: "howalarming-lab \(name) --help", missing: missing),
            read: read)
    }
}

extension ParsedArguments {
    func port(_ option: String) throws(UsageError) -> UInt16? { try read(option, "a port, 0 to 65535") { UInt16($0) } }
    func seed() throws(UsageError) -> UInt64 { try read("--seed", "a whole number") { UInt64($0) } ?? 1 }

    func read(_ option: String, _ expected: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        try read(option, expected) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }
}
