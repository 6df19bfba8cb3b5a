import AlarmModel
import PhoneProtocol
import Platform
import Simulators

/// A simulated push service on a real loopback port, TLS from the first byte. Confined to the loop's thread.
final class PushServer {
    /// What happens outside the stanzas, and for phones.
    enum Sight {
        case wire(PushWireLine)
        case connected(ConnectionID, String)
        /// Also when the handshake failed.
        case closed(ConnectionID, ConnectionEnd)
        case listening(PushSimulator.Listening)
        case certificate(PushSimulator.Certificate)
    }

    /// What a phone is to be told.
    enum PhoneNews {
        case message(PushDelivery)
        case deleted
        case failed(messageID: String, code: Int)
        case ready
        case token(String)
    }

    private(set) var machine: PushSimulator
    /// The port, also while nothing listens on it.
    var port: UInt16 { listening.number }
    var onSight: ((Sight) -> Void)?
    /// For the phone with this token.
    var onPhone: ((String, PhoneNews) -> Void)?

    private let loop: EventLoop
    private let listening: SimulatorPort
    private let certificates: PushCertificates
    private var certificate = PushSimulator.Certificate.valid
    private var clients: [ConnectionID: SegmentWriter] = [:]
    private var nextClient: UInt64 = 1
    private let timer: MachineTimer
    private var script: PushScript.Run?
    private var scriptTimer: TimerToken?
    private var isClosed = false

    /// Listens at once; port 0 takes a free one.
    init(
        _ machine: PushSimulator, port wanted: UInt16, certificates: PushCertificates, on loop: EventLoop
    ) throws(SystemError) {
        self.machine = machine
        self.loop = loop
        self.certificates = certificates
        timer = MachineTimer(on: loop)
        listening = try SimulatorPort(wanted, on: loop)
        listening.onAccepted = { [weak self] stream in
            guard let self else { return stream.reset() }
            accepted(stream)
        }
    }

    func perform(_ stimulus: PushSimulator.Stimulus) { step { $0.perform(stimulus, at: $1, into: &$2) } }

    /// Performs the statements as their times come, counted from now.
    func run(_ script: PushScript) {
        self.script = PushScript.Run(script, start: SystemClock.bootTime())
        continueScript()
    }

    /// Closes everything; nothing happens any more.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        timer.cancel()
        if let scriptTimer { loop.cancel(scriptTimer) }
        listening.close()
        let open = clients.values.sorted { $0.id < $1.id }
        clients = [:]
        for client in open { client.stream.close() }
    }

    // MARK: The machine

    private func step(_ body: (inout PushSimulator, BootTime, inout [PushSimulator.Action]) -> Void) {
        guard !isClosed else { return }
        var actions: [PushSimulator.Action] = []
        body(&machine, SystemClock.bootTime(), &actions)
        for action in actions { carryOut(action) }
        planTimer()
    }

    private func planTimer() {
        timer.plan(machine.nextDeadline) { [weak self] in self?.step { $0.timerFired(at: $1, into: &$2) } }
    }

    private func carryOut(_ action: PushSimulator.Action) {
        switch action {
        case .send(let id, let bytes): clients[id]?.add(.send(bytes))
        case .close(let id): clients[id]?.add(.close)
        case .reset(let id): clients[id]?.add(.reset)
        case .stopReading(let id): clients[id]?.stream.pauseReading()
        case .resumeReading(let id): clients[id]?.stream.resumeReading()
        case .listen(let how): listen(how)
        case .certificate(let kind):
            certificate = kind
            onSight?(.certificate(kind))
        case .deliver(let token, let delivery): onPhone?(token, .message(delivery))
        case .deletedMessages(let token): onPhone?(token, .deleted)
        case .sendFailed(let token, let messageID, let code): onPhone?(token, .failed(messageID: messageID, code: code))
        case .channelUp(let token): onPhone?(token, .ready)
        case .tokenChanged(let old, let new): onPhone?(old, .token(new))
        case .wire(let line): onSight?(.wire(line))
        case .heard: break
        }
    }

    private func listen(_ how: PushSimulator.Listening) {
        onSight?(.listening(how))
        switch how {
        case .accept: listening.open()
        case .refuse: listening.close()
        }
    }

    private func accepted(_ stream: Stream) {
        guard !isClosed else { return stream.reset() }
        let id = ConnectionID(nextClient)
        nextClient += 1
        let secure = SecureStream(server: stream, identity: certificates.identity(certificate), on: loop)
        clients[id] = SegmentWriter(id, secure, on: loop) { _ in }
        secure.onSecured = { [weak self, weak secure] in
            self?.onSight?(.connected(id, secure?.summary ?? ""))
            self?.step { $0.accepted(id, at: $1, into: &$2) }
        }
        secure.onReceived = { [weak self] bytes in self?.step { $0.received(id, bytes, at: $1, into: &$2) } }
        secure.onClosed = { [weak self] end in
            self?.clients[id] = nil
            self?.onSight?(.closed(id, end))
            self?.step { $0.closed(id, at: $1, into: &$2) }
        }
        secure.startHandshake()
    }

    // MARK: Phones

    func phoneRegistered(_ token: String, _ client: PushClient) {
        step { $0.phoneRegistered(token, client, at: $1, into: &$2) }
    }

    func phonePresence(_ token: String, _ presence: PushPresence) {
        step { $0.phonePresence(token, presence, at: $1, into: &$2) }
    }

    func phoneSends(_ token: String, messageID: String, data: JSON, ttl: Int64) {
        step { $0.phoneSends(token, messageID: messageID, data: data, ttl: ttl, at: $1, into: &$2) }
    }

    func phoneUnregistered(_ token: String) { step { $0.phoneUnregistered(token, at: $1, into: &$2) } }

    // MARK: Script

    private func continueScript() {
        guard var run = script else { return }
        let due = run.due(at: SystemClock.bootTime())
        script = run
        for statement in due { perform(statement.stimulus) }
        guard let next = run.nextDeadline, !isClosed else { return }
        scriptTimer = loop.setTimer(at: next) { [weak self] in self?.continueScript() }
    }
}
