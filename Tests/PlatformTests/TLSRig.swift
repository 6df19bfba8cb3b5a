import AlarmModel
import Glibc
import Platform
import Testing

/// A loop, an authority and the file with it that clients get.
final class TLSRig {
    let loop: EventLoop
    let authority: Authority
    let trust: TLSTrust
    let directory: TemporaryDirectory
    /// Everything that has to live while the loop runs.
    var kept: [AnyObject] = []

    static let host = "push.howalarming.test"

    init() throws {
        loop = try EventLoop()
        authority = try Authority()
        directory = try TemporaryDirectory()
        let path = "\(directory.path)/ca.pem"
        try AtomicFile.write(path, Array(authority.certificatePEM.utf8))
        trust = try TLSTrust(caFile: path)
    }

    var caFile: String { "\(directory.path)/ca.pem" }

    func goodIdentity() throws -> TLSIdentity { try authority.issue(.init(names: [Self.host])) }

    /// Both identity and key as files, for programs.
    func write(_ identity: TLSIdentity) throws -> (chain: String, key: String) {
        let paths = (chain: "\(directory.path)/chain.pem", key: "\(directory.path)/key.pem")
        try AtomicFile.write(paths.chain, Array(identity.certificateChainPEM.utf8))
        try AtomicFile.write(paths.key, Array(identity.privateKeyPEM.utf8))
        return paths
    }

    /// A server that does with each accepted connection what `serve` says; returns its port.
    func listen(_ serve: @escaping (Stream) -> Void) throws -> UInt16 {
        let listener = try Listener(loopback: loopback, on: loop, limit: 1000, onAccepted: serve)
        kept.append(listener)
        return listener.port
    }

    func listen(as identity: TLSIdentity, _ serve: @escaping (SecureStream) -> Void = { _ in }) throws -> UInt16 {
        let loop = loop
        return try listen { stream in
            let secure = SecureStream(server: stream, identity: identity, on: loop)
            serve(secure)
            secure.startHandshake(within: .seconds(8))
        }
    }

    func dial(_ port: UInt16, _ body: @escaping (Stream) -> Void) {
        let attempt = Connector(on: loop).open(Endpoint(address: localhost, port: port)) { result in
            switch result {
            case .success(let stream): body(stream)
            case .failure(let failure): Issue.record("not connected: \(failure)")
            }
        }
        kept.append(attempt)
    }

    enum Outcome: Equatable {
        case secured
        case closed(ConnectionEnd)
    }

    /// Connects, does the handshake and says what came of it first; nil when nothing did.
    func attempt(
        _ port: UInt16, serverName: String = TLSRig.host, trust: TLSTrust? = nil, within span: Duration = .seconds(8)
    ) -> Outcome? {
        var outcome: Outcome?
        let trust = trust ?? self.trust
        let loop = loop
        dial(port) { stream in
            let secure: SecureStream
            do throws(TLSFailure) {
                secure = try SecureStream(client: stream, serverName: serverName, trust: trust, on: loop)
            } catch {
                stream.reset()
                outcome = .closed(.tls(error))
                return loop.stop()
            }
            var isInCall = true
            secure.onSecured = {
                #expect(!isInCall)
                outcome = .secured
                secure.close()
            }
            secure.onReceived = { _ in Issue.record("nothing is to be received") }
            secure.onClosed = { end in
                #expect(!isInCall)
                if outcome == nil { outcome = .closed(end) }
                loop.stop()
            }
            secure.startHandshake(within: span)
            isInCall = false
        }
        #expect(loop.runBounded())
        return outcome
    }

    /// A pair of ends that both have finished the handshake.
    func pair(client wrap: (any ByteStream) -> any ByteStream = { $0 }) throws -> (
        client: SecureStream, server: SecureStream
    ) {
        let raw = try Pair.make(on: loop)
        kept.append(raw.listener)
        let loop = loop
        let server = SecureStream(server: raw.accepted, identity: try goodIdentity(), on: loop)
        let client = try SecureStream(client: wrap(raw.dialed), serverName: Self.host, trust: trust, on: loop)
        var secured = 0
        for end in [server, client] {
            end.onSecured = {
                secured += 1
                if secured == 2 { loop.stop() }
            }
            end.onClosed = { Issue.record("ended: \($0)") }
            end.startHandshake()
        }
        try #require(loop.runBounded())
        for end in [server, client] { end.onClosed = nil }
        return (client, server)
    }

    /// Runs a Python program that prints the port on which it listens, and waits for that.
    func python(_ script: String, _ arguments: [String], onLine: @escaping (String) -> Void = { _ in }) throws -> UInt16
    {
        let path = "\(directory.path)/peer.py"
        try AtomicFile.write(path, Array(script.utf8))
        let child = try ChildProcess("/usr/bin/env", ["python3", path] + arguments, output: .lines, on: loop)
        kept.append(ChildKiller(child))
        var port: UInt16?
        let loop = loop
        child.onLine = { source, line in
            if source == .error { Issue.record("python: \(line)") }
            if port == nil, let number = UInt16(line) {
                port = number
                loop.stop()
            } else {
                onLine(line)
            }
        }
        child.onEnd = { _ in loop.stop() }
        try #require(loop.runBounded())
        child.onEnd = nil
        return try #require(port)
    }
}

/// Ends a child that a failed test leaves behind.
final class ChildKiller {
    private let child: ChildProcess
    init(_ child: ChildProcess) { self.child = child }
    deinit { child.kill() }
}

/// Repeats after a number of bytes that fits nothing else; computing each byte would take seconds.
func pattern(_ count: Int) -> [UInt8] {
    var bytes = (0..<min(count, 65_521)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    while bytes.count < count { bytes += bytes.prefix(count - bytes.count) }
    return bytes
}
