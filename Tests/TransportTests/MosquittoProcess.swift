import AlarmModel
import PhoneLink
import Platform
import Testing

/// Mosquitto as the broker, and its clients in Home Assistant's place, on the loop of a runner.
final class MosquittoProcess {
    static let broker = "/usr/sbin/mosquitto"
    let port: UInt16
    private let directory: TemporaryDirectory
    private let loop: EventLoop
    private let options: String
    private var program: ProgramOfOthers?
    /// Clients that listen for as long as the test runs.
    private var kept: [ProgramOfOthers] = []
    private let login: [String]

    /// The user is `alarm` with the password `s3cret-word`.
    ///
    /// - Parameter files: certificate and key for TLS; nil: plain
    init(files: (chain: String, key: String)? = nil, authority: TestAuthority, on loop: EventLoop) throws {
        directory = authority.directory
        self.loop = loop
        port = try freePort()
        let passwords = "\(directory.path)/passwords"
        var options = "listener \(port) 127.0.0.1\nallow_anonymous false\npassword_file \(passwords)\n"
        options += "user root\nlog_dest stderr\nlog_type all\nset_tcp_nodelay true\n"
        login = ["-h", "127.0.0.1", "-p", String(port), "-u", "alarm", "-P", "s3cret-word"]
        if let files { options += "certfile \(files.chain)\nkeyfile \(files.key)\n" }
        self.options = options
        kept.append(try run("/usr/bin/mosquitto_passwd", ["-b", "-c", passwords, "alarm", "s3cret-word"]))
    }

    private func run(_ path: String, _ arguments: [String]) throws -> ProgramOfOthers {
        let libraries = ["x86_64", "aarch64"].map { "\(Independents.root)/usr/lib/\($0)-linux-gnu" }
        return try ProgramOfOthers(
            Independents.program(path), arguments,
            environment: ["LD_LIBRARY_PATH=" + libraries.joined(separator: ":"), "PATH=/usr/bin:/bin"], on: loop)
    }

    /// Starts the broker, for the first time or again, and waits until it listens.
    func start(_ runner: TransportRunner<MQTTTransport>) throws {
        try runner.wait(for: "the password file") { _ in self.kept[0].end != nil }
        let file = try directory.write("mosquitto.conf", options)
        let program = try run(Self.broker, ["-c", file])
        self.program = program
        try runner.wait(for: "the broker") { _ in
            if program.end != nil { throw WaitedInVain(description: program.complaints.joined(separator: "\n")) }
            return program.complaints.contains { $0.contains("running") }
        }
    }

    /// Ends the broker and everything that it knows.
    func stop(_ runner: TransportRunner<MQTTTransport>) throws {
        let old = program
        old?.terminate()
        try runner.wait(for: "the broker's end") { _ in old?.end != nil }
        program = nil
    }

    var log: [String] { program?.complaints ?? [] }

    /// A client that prints `RETAIN TOPIC PAYLOAD` for what comes; it is listening when this returns.
    func listener(
        _ topics: [String], _ runner: TransportRunner<MQTTTransport>, authority file: String? = nil
    ) throws -> ProgramOfOthers {
        let before = log.count { $0.contains("Sending SUBACK to ear") }
        let mark = "ear\(kept.count)"
        let client = try run(
            "/usr/bin/mosquitto_sub",
            login + (file.map { ["--cafile", $0] } ?? []) + ["-i", mark, "-q", "1", "-F", "%r %t %p"]
                + topics.flatMap { ["-t", $0] })
        kept.append(client)
        try runner.wait(for: "the listener") { _ in
            if client.end != nil { throw WaitedInVain(description: client.complaints.joined(separator: "\n")) }
            return self.log.count { $0.contains("Sending SUBACK to ear") } > before
        }
        return client
    }

    func publish(
        _ topic: String, _ payload: String, isRetained: Bool = false, authority file: String? = nil,
        _ runner: TransportRunner<MQTTTransport>
    ) throws {
        let client = try run(
            "/usr/bin/mosquitto_pub",
            login + (file.map { ["--cafile", $0] } ?? []) + ["-q", "1", "-t", topic, "-m", payload]
                + (isRetained ? ["-r"] : []))
        try runner.wait(for: "the publisher's end") { _ in client.end != nil }
        #expect(client.complaints.isEmpty)
    }
}
