import AlarmModel
package import CommandKit
import Glibc
import Platform

/// `howalarming console`: the box explained to whoever plugs in a cable, or in any terminal.
package struct ConsoleCommand {
    /// A serial line; nil: the terminal in which the command was typed.
    var device: String?
    var stateDirectory: String

    package init(device: String? = nil, stateDirectory: String) {
        self.device = device
        self.stateDirectory = stateDirectory
    }

    package func run(on console: Console) -> Int32 {
        SignalSource.blockSignals()
        guard device != nil || Terminal.isTerminal(STDIN_FILENO) else {
            console.complain("there is no terminal; name a serial line with --tty, or use 'howalarming status'")
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
