import AlarmModel
import CommandKit
import PhoneProtocol
import Platform
import Simulation

/// `howalarming-lab simulate ntfy`: a simulated topic server on a loopback port, until SIGTERM, SIGINT or `quit`.
enum SimulateNtfyCommand {
    private static var console: Console { Console(program: "howalarming-lab") }

    /// Gives the exit status.
    static func run(arguments: [String]) -> Int32 {
        do throws(SimulateNtfyOptions.Misuse) {
            return serve(try SimulateNtfyOptions(arguments))
        } catch .help {
            console.print([SimulateNtfyOptions.usage])
            return 0
        } catch {
            console.complain("\(error); see 'howalarming-lab simulate ntfy --help'")
            return 64
        }
    }

    private static func serve(_ options: SimulateNtfyOptions) -> Int32 {
        HTTPServiceCommand(
            name: "topic server", port: options.port, controlPort: options.controlPort,
            authorityFile: options.authorityFile, isEncrypted: options.isEncrypted,
            isTraced: options.server.isTraced, answer: answer
        ).run(NtfySimulator(settings: options.server, seed: options.seed), on: console)
    }

    /// A verb of `NtfyScript`; besides them `truth` answers what is really so as JSON.
    private static func answer(_ line: String, _ mount: HTTPServiceMount<NtfySimulator>) -> String {
        if line == "truth" {
            guard let json = try? JSON.encoding(mount.service.truth) else {
                return "error: column 1: the server's state cannot be written down"
            }
            return json.text
        }
        do throws(ScriptError) {
            let stimulus = try NtfyScript.parseStimulus(line)
            mount.step { $0.perform(stimulus, at: $1, into: &$2) }
            return "ok"
        } catch {
            return "error: column \(error.column): \(error.reason)"
        }
    }
}
