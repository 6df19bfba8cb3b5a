import Foundation
import Platform
import Testing

/// The MQTT broker Mosquitto with TLS and one user, and its own clients.
final class BrokerProcess {
    static let user = "alarm"
    static let password = "s3cret-word"
    let port: UInt16
    let authorityFile: String
    private let directory: TestDirectory
    private let program: Program
    private var clientCount = 0

    init(in directory: TestDirectory) throws {
        self.directory = directory
        let (held, port) = try TestSocket.bind(listening: false)
        held.close()
        self.port = port
        let authority = try Authority(name: "Mosquitto of a test")
        let identity = try authority.issue(Authority.Request(names: ["localhost", "127.0.0.1"]))
        authorityFile = try directory.write("broker-ca.pem", authority.certificatePEM)
        let certificate = try directory.write("broker.crt", identity.certificateChainPEM)
        let key = try directory.write("broker.key", identity.privateKeyPEM)
        let passwords = "\(directory.path)/broker.passwords"
        let made = try Program.run(
            ["-b", "-c", passwords, Self.user, Self.password], in: directory, environment: Self.environment,
            executable: Independents.program("/usr/bin/mosquitto_passwd"))
        guard made.status == 0 else { throw HarnessError("mosquitto_passwd: \(made.errors)") }
        let lines = [
            "listener \(port) 127.0.0.1", "certfile \(certificate)", "keyfile \(key)", "allow_anonymous false",
            "password_file \(passwords)", "log_dest stderr", "set_tcp_nodelay true",
        ]
        // As root it would become a user who may not read what is here.
        let root = getuid() == 0 ? ["user root"] : []
        let file = try directory.write("mosquitto.conf", (lines + root).joined(separator: "\n") + "\n")
        let program = try Program(
            "mosquitto", ["-c", file], in: directory, environment: Self.environment,
            executable: Independents.program("/usr/sbin/mosquitto"))
        self.program = program
        try eventually("Mosquitto listens; \(program.report)") {
            guard program.isRunning else { throw HarnessError("Mosquitto has ended. \(program.report)") }
            return program.errors.contains("running") ? true : nil
        }
        try publish("probe", "here", isRetained: true)
    }

    private static var environment: [String: String] { ["LD_LIBRARY_PATH": Independents.libraries] }

    private var login: [String] {
        [
            "-h", "127.0.0.1", "-p", String(port), "-u", Self.user, "-P", Self.password, "--cafile", authorityFile,
            "-q", "1",
        ]
    }

    /// The lines of the configuration for this broker.
    func section(commands: String?, code: String? = nil) -> [String] {
        var lines = [
            "mqtt:", "  host: 127.0.0.1", "  port: \(port)", "  ca_file: '\(authorityFile)'", "  user: \(Self.user)",
            "  password: \(Self.password)", "  timing: {reconnect_minimum: 100ms, reconnect_maximum: 500ms}",
        ]
        if let commands { lines.append("  commands: [\(commands)]") }
        if let code { lines.append("  code: '\(code)'") }
        return lines
    }

    /// Somebody who listens to everything; listening when this returns. Lines are `RETAINED TOPIC PAYLOAD`.
    func listener() throws -> Program {
        clientCount += 1
        let client = try Program(
            "listener-\(clientCount)", login + ["-F", "%r %t %p", "-t", "#"], in: directory,
            environment: Self.environment, executable: Independents.program("/usr/bin/mosquitto_sub"))
        _ = try client.waitForLine(containing: "1 probe here")
        return client
    }

    func publish(_ topic: String, _ payload: String, isRetained: Bool = false) throws {
        let result = try Program.run(
            login + ["-t", topic] + (payload.isEmpty ? ["-n"] : ["-m", payload]) + (isRetained ? ["-r"] : []),
            in: directory, environment: Self.environment,
            executable: Independents.program("/usr/bin/mosquitto_pub"))
        guard result.status == 0 else { throw HarnessError("mosquitto_pub: \(result.errors)") }
    }
}
