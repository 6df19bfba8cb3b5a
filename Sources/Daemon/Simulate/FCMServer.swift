import AlarmModel
import Platform
import Simulation

/// A simulated FCM on a real loopback port, TLS from the first byte. Confined to the loop's thread.
final class FCMServer {
    private(set) var machine: FCMSimulator
    /// The port, also while nothing listens on it.
    let port: UInt16
    /// A line about what happened, without secrets.
    var onTrace: ((String) -> Void)?

    private let loop: EventLoop
    private let certificates: PushCertificates
    private var certificate = PushSimulator.Certificate.valid
    private var listener: Listener?
    private var clients: [ConnectionID: SegmentWriter] = [:]
    private var nextClient: UInt64 = 1
    private var timer: (token: TimerToken, due: BootTime)?
    private var isClosed = false

    /// Listens at once; port 0 takes a free one.
    init(
        _ machine: FCMSimulator, port wanted: UInt16, certificates: PushCertificates, on loop: EventLoop
    ) throws(SystemError) {
        self.machine = machine
        self.loop = loop
        self.certificates = certificates
        var welcome: ((Stream) -> Void)?
        let listener = try Self.listener(port: wanted, on: loop) { welcome?($0) }
        port = listener.port
        self.listener = listener
        welcome = { [weak self] stream in
            guard let self else { return stream.reset() }
            accepted(stream)
        }
    }

    private static func listener(
        port: UInt16, on loop: EventLoop, onAccepted: @escaping (Stream) -> Void
    ) throws(SystemError) -> Listener {
        guard let address = IPAddress(bytes: [127, 0, 0, 1]) else { preconditionFailure("four bytes are an address") }
        return try Listener(
            loopback: Endpoint(address: address, port: port), on: loop, limit: 64, onAccepted: onAccepted)
    }

    func perform(_ stimulus: FCMStimulus) { step { $0.perform(stimulus, at: $1, into: &$2) } }

    /// Closes everything; nothing happens any more.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if let timer { loop.cancel(timer.token) }
        listener?.close()
        listener = nil
        let open = clients.values.sorted { $0.id < $1.id }
        clients = [:]
        for client in open { client.stream.close() }
    }

    private func step(_ body: (inout FCMSimulator, Moment, inout [HTTPServiceAction]) -> Void) {
        guard !isClosed else { return }
        var actions: [HTTPServiceAction] = []
        body(&machine, SystemClock.moment(isTrusted: true), &actions)
        for action in actions { carryOut(action) }
        planTimer()
    }

    private func planTimer() {
        let due = machine.nextDeadline
        guard timer?.due != due else { return }
        if let timer { loop.cancel(timer.token) }
        timer = due.map { due in
            let token = loop.setTimer(at: due) { [weak self] in
                self?.timer = nil
                self?.step { $0.timerFired(at: $1, into: &$2) }
            }
            return (token, due)
        }
    }

    private func carryOut(_ action: HTTPServiceAction) {
        switch action {
        case .send(let id, let bytes): clients[id]?.add(.send(bytes))
        case .close(let id): clients[id]?.add(.close)
        case .reset(let id): clients[id]?.add(.reset)
        case .listen(let isOn): listen(isOn)
        case .certificate(let kind): certificate = kind
        case .trace(let line): onTrace?(line)
        }
    }

    private func listen(_ isOn: Bool) {
        guard isOn else {
            listener?.close()
            listener = nil
            return
        }
        guard listener == nil, !isClosed else { return }
        listener = try? Self.listener(port: port, on: loop) { [weak self] stream in
            guard let self else { return stream.reset() }
            accepted(stream)
        }
        // Should somebody have taken the port: until it is free.
        guard listener == nil else { return }
        _ = loop.setTimer(after: .milliseconds(100)) { [weak self] in self?.listen(true) }
    }

    private func accepted(_ stream: Stream) {
        guard !isClosed else { return stream.reset() }
        let id = ConnectionID(nextClient)
        nextClient += 1
        let secure = SecureStream(server: stream, identity: certificates.identity(certificate), on: loop)
        clients[id] = SegmentWriter(id, secure, on: loop) { _ in }
        secure.onSecured = { [weak self] in self?.step { $0.accepted(id, at: $1, into: &$2) } }
        secure.onReceived = { [weak self] bytes in self?.step { $0.received(id, bytes, at: $1, into: &$2) } }
        secure.onClosed = { [weak self] end in
            self?.clients[id] = nil
            self?.onTrace?("client \(id.number): \(end)")
            self?.step { $0.closed(id, at: $1, into: &$2) }
        }
        secure.startHandshake()
    }
}
