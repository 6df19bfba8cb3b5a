import AlarmModel
import Platform
import Simulators

/// A simulated service that speaks HTTP on a real loopback port: with TLS from the first byte, without, or as each client
/// begins. Confined to the loop's thread.
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
    /// Whoever begins without TLS is served, too.
    private let takesPlain: Bool
    private var certificate = PushSimulator.Certificate.valid
    private var clients: [ConnectionID: any ByteStream] = [:]
    private var nextClient: UInt64 = 1
    private let timer: MachineTimer
    private var isClosed = false
    /// Of a TLS record that belongs to a handshake (RFC 8446 5.1). A request begins with a letter.
    private static var handshake: UInt8 { 22 }

    /// Listens at once; port 0 takes a free one.
    init(
        _ service: Service, port wanted: UInt16, certificates: PushCertificates?, takesPlain: Bool = false,
        on loop: EventLoop
    ) throws(SystemError) {
        self.service = service
        self.loop = loop
        self.certificates = certificates
        self.takesPlain = takesPlain
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
        guard let certificates else { return begin(id, stream) }
        guard takesPlain else { return secure(id, stream, certificates) }
        // Its first byte tells.
        clients[id] = stream
        stream.onClosed = { [weak self] _ in self?.clients[id] = nil }
        stream.onReceived = { [weak self, weak stream] bytes in
            guard let self, let stream else { return }
            if bytes.first == Self.handshake {
                secure(id, stream, certificates)
            } else {
                begin(id, stream)
            }
            // Whoever has taken the stream over has not seen them.
            stream.onReceived?(bytes)
        }
    }

    private func begin(_ id: ConnectionID, _ stream: Stream) {
        welcome(id, stream)
        step { $0.accepted(id, at: $1, into: &$2) }
    }

    private func secure(_ id: ConnectionID, _ stream: Stream, _ certificates: PushCertificates) {
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
