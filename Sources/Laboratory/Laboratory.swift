import CommandKit
import Glibc

// Laboratory: what tries the box out, as a program of its own that is not on the card.
//
// For:        the simulated panel, push services, topic server and phone on real sockets; the demo, which plays a day with
//             the real daemon among them.
// Guarantees: listens on loopback only; stops what it started.
// Knows not:  the daemon's inside: it is a program beside it.

/// The command line `howalarming-lab …`.
package enum LaboratoryCommand {
    private static let usage = """
        howalarming-lab: what tries the box out; 'howalarming-lab COMMAND --help' explains one

          demo          a day of a simulated house with the real daemon, in a minute
          simulate      panel, push, phone, fcm or ntfy, on this machine
        """

    /// Carries out a command line (without the program's name) and gives the exit status.
    package static func main(_ arguments: [String]) -> Int32 {
        // A reader that went away is an error of `write`, not the end of the process in the middle of something.
        signal(SIGPIPE, SIG_IGN)
        let console = Console(program: "howalarming-lab")
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case "demo": return DemoCommand.run(arguments: rest)
        case "simulate": return SimulateCommand.run(arguments: rest)
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
}
