import AlarmModel
import PhoneProtocol
import Platform
import Simulation

/// `howalarming simulate ntfy`: a simulated topic server on a loopback port, until SIGTERM, SIGINT or `quit`.
enum SimulateNtfyCommand {
    private static var console: Console { Console() }

    /// Gives the exit status.
    static func run(arguments: [String]) -> Int32 {
        do throws(SimulateNtfyOptions.Misuse) {
            return serve(try SimulateNtfyOptions(arguments))
        } catch .help {
            console.print([SimulateNtfyOptions.usage])
            return 0
        } catch {
            console.complain("\(error); see 'howalarming simulate ntfy --help'")
            return 64
        }
    }

    private static func serve(_ options: SimulateNtfyOptions) -> Int32 {
        SignalSource.blockSignals()
        do {
            let certificates = options.isEncrypted ? try PushCertificates() : nil
            if let file = options.authorityFile, let certificates {
                try AtomicFile.write(file, Array(certificates.authorityPEM.utf8), mode: 0o644)
            }
            let loop = try EventLoop()
            let machine = NtfySimulator(settings: options.server, seed: options.seed)
            let mount = try HTTPServiceMount(machine, port: options.port, certificates: certificates, on: loop)
            if options.server.isTraced { mount.onTrace = { console.print([$0]) } }
            let signals = try SignalSource(on: loop) { signal in
                switch signal {
                case .terminate, .interrupt, .hangup: loop.stop()
                case .user1: break
                }
            }
            var line = "topic server listens: port=\(mount.port)"
            let control = try options.controlPort.map { try LoopbackLines(port: $0, on: loop) }
            if let control { line += " control-port=\(control.port)" }
            if let file = options.authorityFile, certificates != nil { line += " ca=\(file)" }
            control?.onLine = { client, line in
                let words = line.split(separator: " ")
                guard !words.isEmpty else { return }
                client.send(answer(line, words, mount))
                guard words == ["quit"] else { return }
                client.close()
                // The answer to `quit` still leaves.
                loop.setTimer(after: .milliseconds(50)) { loop.stop() }
            }
            console.print([line])
            loop.run()
            control?.close()
            mount.close()
            signals.cancel()
            return 0
        } catch {
            console.complain("\(error)")
            return 1
        }
    }

    /// A verb of `NtfyScript`; besides them `truth` answers what is really so as JSON, and `quit` ends the program.
    private static func answer(_ line: String, _ words: [Substring], _ mount: HTTPServiceMount<NtfySimulator>) -> String
    {
        if words == ["quit"] { return "ok" }
        if words == ["truth"] {
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
