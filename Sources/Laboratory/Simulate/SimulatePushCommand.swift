import AlarmModel
import CommandKit
import Platform
import Simulation

/// `howalarming-lab simulate push`: a simulated push service on loopback ports, until SIGTERM, SIGINT or `quit`.
enum SimulatePushCommand {
    private static var console: Console { Console(program: "howalarming-lab") }
    private static let fileLimit = 4 * 1024 * 1024

    /// Gives the exit status.
    static func run(arguments: [String]) -> Int32 {
        do throws(SimulatePushOptions.Misuse) {
            return serve(try SimulatePushOptions(arguments))
        } catch .help {
            console.print([SimulatePushOptions.usage])
            return 0
        } catch {
            console.complain("\(error); see 'howalarming-lab simulate push --help'")
            return 64
        }
    }

    private static func serve(_ options: SimulatePushOptions) -> Int32 {
        SignalSource.blockSignals()
        do {
            let script = try options.scriptFile.map { try read(script: $0) }
            let certificates = try PushCertificates(others: options.names)
            if let file = options.authorityFile {
                try AtomicFile.write(file, Array(certificates.authorityPEM.utf8), mode: 0o644)
            }
            var settings = PushSettings(sender: options.sender, key: options.key)
            settings.isTraced = options.isTraced
            if let rate = options.deviceRate {
                settings.messagesPerMinute = rate
                settings.messagesPerHour = rate * 60
            }
            let machine = PushSimulator(settings: settings, seed: options.seed)
            let loop = try EventLoop()
            let server = try PushServer(machine, port: options.port, certificates: certificates, on: loop)
            let signals = try SignalSource(on: loop) { signal in
                switch signal {
                case .terminate, .interrupt, .hangup: loop.stop()
                case .user1: break
                }
            }
            var line = "push simulator listens: port=\(server.port)"
            let phones = try options.phonesPort.map { try PushPhonesPort(for: server, port: $0, on: loop) }
            if let phones { line += " phones-port=\(phones.port)" }
            let control = try options.controlPort.map {
                // The answer to `quit` still leaves.
                try PushControlPort(for: server, port: $0, on: loop) {
                    loop.setTimer(after: .milliseconds(50)) { loop.stop() }
                }
            }
            if let control { line += " control-port=\(control.port)" }
            if let file = options.authorityFile { line += " ca=\(file)" }
            if options.isTraced { server.onSight = { show($0) } }
            console.print([line])
            if let script { server.run(script) }
            loop.run()
            control?.close()
            phones?.close()
            server.close()
            signals.cancel()
            return 0
        } catch {
            console.complain("\(error)")
            return 1
        }
    }

    private static func show(_ sight: PushServer.Sight) {
        switch sight {
        case .wire(let line):
            console.print([
                "\(seconds(line.time)) \(line.connection.number) \(line.direction.rawValue) \(line.text)"
            ])
        case .connected(let id, let summary): console.print(["# client \(id.number) connected, \(summary)"])
        case .closed(let id, let end): console.print(["# client \(id.number): \(end)"])
        case .listening(let how): console.print(["# listening: \(how.rawValue)"])
        case .certificate(let kind): console.print(["# certificate: \(kind.rawValue)"])
        }
    }

    /// Since the start of the machine, to the microsecond.
    private static func seconds(_ time: BootTime) -> String {
        let microseconds = time.nanoseconds / 1000
        let rest = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - rest.count))\(rest)"
    }

    private static func read(script file: String) throws -> PushScript {
        let text = String(decoding: try FileReader.read(file, limit: fileLimit), as: UTF8.self)
        do throws(ScriptError) {
            return try PushScript(parsing: text)
        } catch {
            throw FileProblem(file: file, what: "\(error)")
        }
    }

    private struct FileProblem: Error, CustomStringConvertible {
        var file: String
        var what: String
        var description: String { "\(file): \(what)" }
    }
}
