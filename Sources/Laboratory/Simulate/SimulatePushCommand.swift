import AlarmModel
import CommandKit
import Platform
import Simulators

/// `howalarming-lab simulate push`: a simulated push service on loopback ports, until SIGTERM, SIGINT or `quit`.
struct SimulatePushCommand: Command {
    private let port: UInt16
    /// nil: no such port.
    private let phonesPort: UInt16?
    private let controlPort: UInt16?
    private let sender: String
    private let key: Secret
    private let authorityFile: String?
    private let scriptFile: String?
    private let seed: UInt64
    /// Messages a minute that one device may get; nil: as the service has it.
    private let deviceRate: Int?
    private let isTraced: Bool
    /// Names and addresses that its certificate holds besides those of this machine and of the service.
    private let names: [String]

    static let entry = CommandEntry(
        laboratory: "simulate push",
        """
        usage: howalarming-lab simulate push --sender ID --key KEY [options]

        Google's push service (FCM over XMPP) with its phones on this machine, for trying things out: TLS on 127.0.0.1
        with a certificate of an authority that is made at each start.

          --sender ID          the project number that logs in
          --key KEY            the server key that logs in
          --port N             the service's port; 0 takes a free one (5235)
          --phones-port N      a port for virtual phones, one JSON object per line; 0 takes a free one
          --control-port N     a port that takes one verb per line, such as 'drain'; 0 takes a free one
          --ca-out FILE        where to write the authority's certificate, for 'ca_file' of a client
          --script FILE        what happens to the service, with times
          --seed N             for what happens by chance (1)
          --device-rate N      messages a minute that one device may get, without a limit by the hour (240, 5000 an hour)
          --name HOST          a name or an address that clients reach it by, for its certificate; may be given again
          --trace              show the stanzas of both sides, without the key
        """
    ) { given throws(UsageError) in try SimulatePushCommand(given) }

    private init(_ given: ParsedArguments) throws(UsageError) {
        port = try given.port("--port") ?? 5235
        phonesPort = try given.port("--phones-port")
        controlPort = try given.port("--control-port")
        let sender = try given.read("--sender", "a project number, digits only") { text in
            !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) } ? text : nil
        }
        names = given.values("--name")
        guard !names.contains("") else { throw given.misuse("option '--name' takes a host's name or address") }
        authorityFile = given.value("--ca-out")
        scriptFile = given.value("--script")
        seed = try given.seed()
        deviceRate = try given.read("--device-rate", "messages a minute, 1 to 1000000", in: 1...1_000_000)
        isTraced = given.has("--trace")
        guard let sender else {
            throw given.misuse("'simulate push' needs --sender, the project number that is to log in")
        }
        guard let key = given.value("--key"), !key.isEmpty else {
            throw given.misuse("'simulate push' needs --key, the server key that is to log in")
        }
        self.sender = sender
        self.key = Secret(key)
    }

    func run(on console: Console) -> Int32 {
        LoopCommand.serve(on: console) { loop in
            let script = try scriptFile.map { try LoopCommand.read($0) { try PushScript(parsing: $0) } }
            let certificates = try PushCertificates(others: names)
            if let file = authorityFile {
                try AtomicFile.write(file, Array(certificates.authorityPEM.utf8), mode: 0o644)
            }
            var settings = PushSettings(sender: sender, key: key)
            settings.isTraced = isTraced
            if let rate = deviceRate {
                settings.messagesPerMinute = rate
                settings.messagesPerHour = rate * 60
            }
            let machine = PushSimulator(settings: settings, seed: seed)
            let server = try PushServer(machine, port: port, certificates: certificates, on: loop)
            var line = "push simulator listens: port=\(server.port)"
            let phones = try phonesPort.map { try PushPhonesPort(for: server, port: $0, on: loop) }
            if let phones { line += " phones-port=\(phones.port)" }
            let control = try controlPort.map {
                // The answer to `quit` still leaves.
                try PushControlPort(for: server, port: $0, on: loop) {
                    loop.setTimer(after: .milliseconds(50)) { loop.stop() }
                }
            }
            if let control { line += " control-port=\(control.port)" }
            if let file = authorityFile { line += " ca=\(file)" }
            if isTraced { server.onSight = { Self.show($0, on: console) } }
            console.print([line])
            if let script { server.run(script) }
            loop.run()
            control?.close()
            phones?.close()
            server.close()
            return ExitStatus.done
        }
    }

    private static func show(_ sight: PushServer.Sight, on console: Console) {
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
        return "\(microseconds / 1_000_000).\((microseconds % 1_000_000).padded(6))"
    }
}
