import AlarmModel
import PhoneProtocol
import Platform
import Simulation

/// `howalarming simulate fcm`: Google's sign-in, FCM's HTTP v1 and a Realtime Database on a loopback port, until SIGTERM,
/// SIGINT or `quit`.
enum SimulateFCMCommand {
    private static var console: Console { Console() }

    /// Gives the exit status.
    static func run(arguments: [String]) -> Int32 {
        do throws(SimulateFCMOptions.Misuse) {
            return serve(try SimulateFCMOptions(arguments))
        } catch .help {
            console.print([SimulateFCMOptions.usage])
            return 0
        } catch {
            console.complain("\(error); see 'howalarming simulate fcm --help'")
            return 64
        }
    }

    private static func serve(_ options: SimulateFCMOptions) -> Int32 {
        SignalSource.blockSignals()
        do {
            let certificates = try PushCertificates()
            if let file = options.authorityFile {
                try AtomicFile.write(file, Array(certificates.authorityPEM.utf8), mode: 0o644)
            }
            let machine = FCMSimulator(settings: FCMServerSettings(projectID: options.project))
            let loop = try EventLoop()
            let server = try FCMServer(machine, port: options.port, certificates: certificates, on: loop)
            let signals = try SignalSource(on: loop) { signal in
                switch signal {
                case .terminate, .interrupt, .hangup: loop.stop()
                case .user1: break
                }
            }
            var line = "fcm simulator listens: port=\(server.port)"
            let control = try options.controlPort.map { try LoopbackLines(port: $0, on: loop) }
            if let control {
                line += " control-port=\(control.port)"
                control.onLine = { client, line in
                    client.send(answer(line, server))
                    guard line == "quit" else { return }
                    client.close()
                    // The answer still leaves.
                    _ = loop.setTimer(after: .milliseconds(50)) { loop.stop() }
                }
            }
            if let file = options.authorityFile { line += " ca=\(file)" }
            if options.isTraced { server.onTrace = { console.print(["# \($0)"]) } }
            console.print([line])
            loop.run()
            control?.close()
            server.close()
            signals.cancel()
            return 0
        } catch {
            console.complain("\(error)")
            return 1
        }
    }

    private static func answer(_ line: String, _ server: FCMServer) -> String {
        switch line {
        case "quit": return "ok"
        case "truth": return server.machine.truth.text
        default:
            do throws(FCMScriptError) {
                server.perform(try FCMScript.parseStimulus(line))
                return "ok"
            } catch {
                return "error: \(error)"
            }
        }
    }
}
