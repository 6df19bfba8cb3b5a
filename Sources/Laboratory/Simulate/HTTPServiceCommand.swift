import CommandKit
import Platform
import Simulators

/// Serves a simulated service that speaks HTTP until SIGTERM, SIGINT or `quit`: what `simulate ntfy` and `simulate fcm`
/// have in common.
struct HTTPServiceCommand<Service: HTTPService> {
    /// As it stands in the first line: "NAME listens: port=…".
    var name: String
    var port: UInt16
    /// nil: no such port.
    var controlPort: UInt16?
    var authorityFile: String?
    var isEncrypted = true
    /// Without TLS, too, at the same port.
    var takesPlain = false
    var isTraced = false
    /// What it is reached by besides the names that its certificate always has.
    var names: [String] = []
    /// Opens what else listens: its words in the first line, and how it is closed.
    var opened: ((HTTPServiceMount<Service>, EventLoop) throws -> (words: String, close: () -> Void))?
    /// Answers a line of the control port; `quit` is answered here.
    var answer: (String, HTTPServiceMount<Service>) -> String

    /// Gives the exit status.
    func run(_ service: Service, on console: Console) -> Int32 {
        LoopCommand.serve(on: console) { loop in
            let certificates = isEncrypted ? try PushCertificates(others: names) : nil
            if let authorityFile, let certificates {
                try AtomicFile.write(authorityFile, Array(certificates.authorityPEM.utf8), mode: 0o644)
            }
            let mount = try HTTPServiceMount(
                service, port: port, certificates: certificates, takesPlain: takesPlain, on: loop)
            if isTraced { mount.onTrace = { console.print([$0]) } }
            var line = "\(name) listens: port=\(mount.port)"
            let control = try controlPort.map { try LoopbackLines(port: $0, on: loop) }
            if let control { line += " control-port=\(control.port)" }
            let more = try opened?(mount, loop)
            if let more { line += " \(more.words)" }
            if let authorityFile, certificates != nil { line += " ca=\(authorityFile)" }
            control?.onLine = { client, line in
                guard line.contains(where: { $0 != " " }) else { return }
                let isOver = line == "quit"
                client.send(isOver ? "ok" : answer(line, mount))
                guard isOver else { return }
                client.close()
                // The answer to `quit` still leaves.
                loop.setTimer(after: .milliseconds(50)) { loop.stop() }
            }
            console.print([line])
            loop.run()
            control?.close()
            more?.close()
            mount.close()
            return ExitStatus.done
        }
    }
}
