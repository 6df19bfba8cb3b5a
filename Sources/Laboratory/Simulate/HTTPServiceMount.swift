import AlarmModel
import Platform
import Simulation

/// A simulated service that speaks HTTP on a real loopback port, with TLS from the first byte or without. Confined to the
/// loop's thread.
final class HTTPServiceMount<Service: HTTPService> {
    private(set) var service: Service
    /// The port, also while nothing listens on it.
    var port: UInt16 { listening.number }
    var onTrace: ((String) -> Void)?
    /// Something has happened to the service.
    var onStep: (() -> Void)?

    private let loop: EventLoop
    private let listening: SimulatorPort
    /// nil: without TLS.
    private let certificates: PushCertificates?
    private var certificate = PushSimulator.Certificate.valid
    private var clients: [ConnectionID: any ByteStream] = [:]
    private var nextClient: UInt64 = 1
    private let timer: MachineTimer
    private var isClosed = false

    /// Listens at once; port 0 takes a free one.
    init(
        _ service: Service, port wanted: UInt16, certificates: PushCertificates?, on loop: EventLoop
    ) throws(SystemError) {
        self.service = service
        self.loop = loop
        self.certificates = certificates
        timer = MachineTimer(on: loop)
        listening = try SimulatorPort(wanted, on: loop)
        listening.onAccepted = { [weak self] stream in
            guard let self else { return stream.reset() }
            accepted(stream)
        }
    }

    /// Lets something happen to the service, and carries out what it orders.
    func step(_ body: (inout Service, Moment, inout [HTTPServiceAction]) -> Void) {
        guard !isClosed else { return }
        var actions: [HTTPServiceAction] = []
        body(&service, SystemClock.moment(isTrusted: true), &actions)
        for action in actions { carryOut(action) }
        planTimer()
        onStep?()
    }

    /// Closes everything; nothing happens any more.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        timer.cancel()
        listening.close()
        let open = clients.sorted { $0.key < $1.key }
        clients = [:]
        for (_, stream) in open { stream.close() }
    }

    private func planTimer() {
        timer.plan(service.nextDeadline) { [weak self] in self?.step { $0.timerFired(at: $1, into: &$2) } }
    }

    private func carryOut(_ action: HTTPServiceAction) {
        switch action {
        case .send(let id, let bytes): clients[id]?.send(bytes)
        case .close(let id): clients.removeValue(forKey: id)?.close()
        case .reset(let id): clients.removeValue(forKey: id)?.reset()
        case .listen(let isOn):
            if isOn { listening.open() } else { listening.close() }
        case .certificate(let kind): certificate = kind
        case .trace(let line): onTrace?(line)
        }
    }

    private func accepted(_ stream: Stream) {
        guard !isClosed else { return stream.reset() }
        let id = ConnectionID(nextClient)
        nextClient += 1
        guard let certificates else {
            welcome(id, stream)
            return step { $0.accepted(id, at: $1, into: &$2) }
        }
        let secure = SecureStream(server: stream, identity: certificates.identity(certificate), on: loop)
        welcome(id, secure)
        secure.onSecured = { [weak self] in self?.step { $0.accepted(id, at: $1, into: &$2) } }
        secure.startHandshake()
    }

    private func welcome(_ id: ConnectionID, _ stream: any ByteStream) {
        clients[id] = stream
        stream.onReceived = { [weak self] bytes in self?.step { $0.received(id, bytes, at: $1, into: &$2) } }
        stream.onClosed = { [weak self] _ in
            self?.clients[id] = nil
            self?.step { $0.closed(id, at: $1, into: &$2) }
        }
    }
}
