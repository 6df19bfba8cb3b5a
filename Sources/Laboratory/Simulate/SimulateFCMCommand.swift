import AlarmModel
import CommandKit
import PhoneProtocol
import Platform
import Simulation

/// `howalarming-lab simulate fcm`: Google's sign-in, FCM's HTTP v1 and a Realtime Database on a loopback port, until SIGTERM,
/// SIGINT or `quit`.
enum SimulateFCMCommand {
    private static var console: Console { Console(program: "howalarming-lab") }

    /// Gives the exit status.
    static func run(arguments: [String]) -> Int32 {
        do throws(SimulateFCMOptions.Misuse) {
            return serve(try SimulateFCMOptions(arguments))
        } catch .help {
            console.print([SimulateFCMOptions.usage])
            return 0
        } catch {
            console.complain("\(error); see 'howalarming-lab simulate fcm --help'")
            return 64
        }
    }

    private static func serve(_ options: SimulateFCMOptions) -> Int32 {
        HTTPServiceCommand(
            name: "fcm simulator", port: options.port, controlPort: options.controlPort,
            authorityFile: options.authorityFile, isTraced: options.isTraced,
            opened: options.phonesPort.map { port in
                { mount, loop in
                    let phones = try FCMPhonesPort(for: mount, place: options.place, port: port, on: loop)
                    return ("phones-port=\(phones.port)", { phones.close() })
                }
            }, answer: answer
        ).run(FCMSimulator(settings: FCMServerSettings(projectID: options.project)), on: console)
    }

    private static func answer(_ line: String, _ mount: HTTPServiceMount<FCMSimulator>) -> String {
        if line == "truth" { return mount.service.truth.text }
        do throws(FCMScriptError) {
            let stimulus = try FCMScript.parseStimulus(line)
            mount.step { $0.perform(stimulus, at: $1, into: &$2) }
            return "ok"
        } catch {
            return "error: \(error)"
        }
    }
}
