import AlarmModel
import CommandKit
import Companion
import Glibc
import Platform
import Simulation

/// `howalarming-lab simulate phone`: a virtual phone on a terminal, or driven by words, until `quit`, the end of the words,
/// SIGTERM or SIGINT.
enum SimulatePhoneCommand {
    private static var console: Console { Console(program: "howalarming-lab") }

    /// Gives the exit status.
    static func run(arguments: [String]) -> Int32 {
        do throws(SimulatePhoneOptions.Misuse) {
            return serve(try SimulatePhoneOptions(arguments))
        } catch .help {
            console.print([SimulatePhoneOptions.usage])
            return 0
        } catch {
            console.complain("\(error); see 'howalarming-lab simulate phone --help'")
            return 64
        }
    }

    private static func serve(_ options: SimulatePhoneOptions) -> Int32 {
        SignalSource.blockSignals()
        do {
            let loop = try EventLoop()
            let file = try PhoneKeyFile(options.stateFile)
            let shell = try PhoneShell(file, name: options.name, push: options.push, on: loop)
            let signals = try SignalSource(on: loop) { signal in
                switch signal {
                case .terminate, .interrupt, .hangup: loop.stop()
                case .user1: break
                }
            }
            var status: Int32 = 0
            shell.onQuit = { loop.stop() }
            var failure: String?
            shell.onFailure = { why in
                failure = why
                loop.stop()
            }
            let screen = options.isScripted ? nil : PhoneScreen()
            let words = PhoneWords(for: shell, on: loop)
            words.onEnd = { code in
                status = code
                loop.stop()
            }
            let window = screen.map { PhoneWindow($0, for: shell, on: loop, name: options.name) }
            if let window { try window.open() } else { try words.open() }
            if let code = options.code { shell.perform(.pair(code.revealed)) }
            shell.connect()
            loop.run()
            window?.close()
            shell.close()
            signals.cancel()
            if let failure {
                console.complain(failure)
                return 1
            }
            return status
        } catch {
            console.complain("\(error)")
            return 1
        }
    }
}
