import AlarmModel
package import CommandKit
import Glibc
import Platform

/// `howalarming console`: the box explained to whoever plugs in a cable, or in any terminal.
package struct ConsoleCommand: Command {
    /// A serial line; nil: the terminal in which the command was typed.
    var device: String?
    var stateDirectory: String

    package func run(on console: Console) -> Int32 {
        SignalSource.blockSignals()
        guard device != nil || Terminal.isTerminal(STDIN_FILENO) else {
            console.complain("there is no terminal; name a serial line with --tty, or use \(Hint.status)")
            return ExitStatus.failed
        }
        do throws(SystemError) {
            let loop = try EventLoop()
            let program = ConsoleProgram(
                device.map { .device($0) } ?? .own, stateDirectory: stateDirectory,
                isDumb: getenv("TERM").map { String(cString: $0) } == "dumb",
                colours: (getenv("NO_COLOR").map { String(cString: $0) } ?? "").isEmpty, on: loop)
            let signals = try SignalSource(on: loop) { _ in program.end() }
            try program.start()
            loop.run()
            signals.cancel()
            return ExitStatus.done
        } catch {
            console.complain("the console cannot start: \(error)")
            return ExitStatus.failed
        }
    }
}

extension ConsoleCommand {
    package static let entry = CommandEntry(
        "console", in: .watching, brief: "all of it, on a terminal",
        """
        Shows the house and the box on this terminal, or on a serial line of 115200 baud: overview, events, links,
        panel trace, phones, network, software. Looking needs nothing; arming, disarming and pairing need the console's
        PIN, which is set there first. A terminal that only prints gets a menu of lines. A lost PIN is reset by a file
        named reset-pin beside the daemon's configuration when it starts.

        --tty DEVICE  own this serial line and never end

        howalarming console
        howalarming console --tty /dev/ttyS0
        """
    ) { ConsoleCommand(device: $0.value("--tty"), stateDirectory: $0.stateDirectory) }
}
