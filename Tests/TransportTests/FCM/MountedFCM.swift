import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Simulators
import Testing

import class Foundation.Pipe
import class Foundation.Process
import struct Foundation.URL

/// A simulated FCM on a real port of a test's loop, with TLS.
final class MountedFCM {
    private(set) var machine = FCMSimulator()
    let port: UInt16
    private let loop: EventLoop
    private let identity: TLSIdentity
    private var listener: Listener?
    private var streams: [ConnectionID: SecureStream] = [:]
    private var nextConnection: UInt64 = 1
    private var timer: TimerToken?

    init(on loop: EventLoop, as identity: TLSIdentity) throws {
        self.loop = loop
        self.identity = identity
        var welcome: ((Stream) -> Void)?
        let listener = try Listener(
            loopback: Endpoint(address: localhost, port: 0), on: loop, limit: 100, onAccepted: { welcome?($0) })
        port = listener.port
        self.listener = listener
        welcome = { [weak self] in self?.accepted($0) }
    }

    deinit {
        listener?.close()
        if let timer { loop.cancel(timer) }
        for stream in streams.values {
            stream.onReceived = nil
            stream.onClosed = nil
            stream.reset()
        }
    }

    func perform(_ stimulus: FCMStimulus) { step { $0.perform(stimulus, at: $1, into: &$2) } }

    /// The machine's tables as JSON.
    func truth(_ key: String) -> [JSON] { machine.truth[key]?.arrayValue ?? [] }

    /// Nobody answers any more, and connections end; then somebody does again.
    func stop() {
        perform(.reset)
        listener?.close()
        listener = nil
    }

    func startAgain() throws {
        listener = try Listener(
            loopback: Endpoint(address: localhost, port: port), on: loop, limit: 100,
            onAccepted: { [weak self] in self?.accepted($0) })
    }

    private func accepted(_ stream: Stream) {
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        let secure = SecureStream(server: stream, identity: identity, on: loop)
        streams[id] = secure
        secure.onSecured = { [weak self] in self?.step { $0.accepted(id, at: $1, into: &$2) } }
        secure.onReceived = { [weak self] bytes in self?.step { $0.received(id, bytes, at: $1, into: &$2) } }
        secure.onClosed = { [weak self] _ in
            self?.streams[id] = nil
            self?.step { $0.closed(id, at: $1, into: &$2) }
        }
        secure.startHandshake()
    }

    private func step(_ body: (inout FCMSimulator, Moment, inout [HTTPServiceAction]) -> Void) {
        var actions: [HTTPServiceAction] = []
        body(&machine, SystemClock.moment(isTrusted: true), &actions)
        for action in actions {
            switch action {
            case .send(let id, let bytes): streams[id]?.send(bytes)
            case .close(let id): streams[id]?.close()
            case .reset(let id): streams[id]?.reset()
            case .listen, .certificate, .trace: break
            }
        }
        if let timer { loop.cancel(timer) }
        timer = machine.nextDeadline.map { due in
            loop.setTimer(at: due) { [weak self] in
                self?.timer = nil
                self?.step { $0.timerFired(at: $1, into: &$2) }
            }
        }
    }
}

/// A box's side and Google's side on one loop.
struct FCMRig {
    let authority: TestAuthority
    let loop: EventLoop
    let google: MountedFCM
    let runner: TransportRunner<FCMTransport>
    /// PEM, of the service account.
    let publicKeyFile: String
    private let keys: TemporaryDirectory

    init(_ change: (inout FCMSettings) -> Void = { _ in }) throws {
        authority = try TestAuthority()
        loop = try EventLoop()
        google = try MountedFCM(on: loop, as: try authority.identity())
        keys = try TemporaryDirectory()
        let key = "\(keys.path)/key.pem"
        publicKeyFile = "\(keys.path)/public.pem"
        try Self.openssl(["genpkey", "-algorithm", "RSA", "-out", key])
        try Self.openssl(["pkey", "-in", key, "-pubout", "-out", publicKeyFile])
        let pem = String(decoding: try FileReader.read(key, limit: 65_536), as: UTF8.self)
        let file = JSON.object([
            "type": .string("service_account"), "project_id": .string("house-1"), "private_key_id": .string("kid1"),
            "private_key": .string(pem), "client_email": .string("box@house-1.iam.gserviceaccount.com"),
            "token_uri": .string("https://localhost:\(google.port)/token"),
        ])
        var settings = FCMSettings(account: try ServiceAccount(parsing: Array(file.text.utf8)))
        settings.host = "localhost"
        settings.port = google.port
        settings.databaseURL = try HTTPURL("https://localhost:\(google.port)/up/box1")
        settings.caFile = authority.file
        settings.backoff.minimum = .milliseconds(50)
        settings.backoff.maximum = .milliseconds(500)
        settings.backoff.urgentMaximum = .milliseconds(200)
        settings.backoff.refusedWait = .milliseconds(500)
        change(&settings)
        runner = try TransportRunner(FCMTransport(settings: settings, seed: 1), on: loop)
        runner.compute = { TransportComputation.answer(to: $0) }
        runner.start()
    }

    func deliver(_ id: String) -> Bool {
        runner.deliver(
            Delivery(
                message: MessageID(id), address: DeliveryAddress(.phone(.fcmToken), "PHONE"),
                content: .sealed([1, 2, 3]), priority: .alarm, timeToLive: 3600))
    }

    private static func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = Pipe()
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
