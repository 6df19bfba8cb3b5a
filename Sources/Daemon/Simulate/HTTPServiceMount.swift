import AlarmModel
import Platform
import Simulation

/// A simulated service that speaks HTTP on a real loopback port, with TLS from the first byte or without. Confined to the
/// loop's thread.
final class HTTPServiceMount<Service: HTTPService> {
    private(set) var service: Service
    /// The port, also while nothing listens on it.
    let port: UInt16
    var onTrace: ((String) -> Void)?

    private let loop: EventLoop
    /// nil: without TLS.
    private let certificates: PushCertificates?
    private var certificate = PushSimulator.Certificate.valid
    private var listener: Listener?
    private var retry: TimerToken?
    private var clients: [ConnectionID: any ByteStream] = [:]
    private var nextClient: UInt64 = 1
    private var timer: (token: TimerToken, due: BootTime)?
    private var isClosed = false

    /// Listens at once; port 0 takes a free one.
    init(
        _ service: Service, port wanted: UInt16, certificates: PushCertificates?, on loop: EventLoop
    ) throws(SystemError) {
        self.service = service
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

    /// Lets something happen to the service, and carries out what it orders.
    func step(_ body: (inout Service, Moment, inout [HTTPServiceAction]) -> Void) {
        guard !isClosed else { return }
        var actions: [HTTPServiceAction] = []
        body(&service, SystemClock.moment(isTrusted: true), &actions)
        for action in actions { carryOut(action) }
        planTimer()
    }

    /// Closes everything; nothing happens any more.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for token in [timer?.token, retry].compactMap({ $0 }) { loop.cancel(token) }
        listener?.close()
        listener = nil
        let open = clients.sorted { $0.key < $1.key }
        clients = [:]
        for (_, stream) in open { stream.close() }
    }

    private func planTimer() {
        let due = service.nextDeadline
        guard timer?.due != due else { return }
        if let timer { loop.cancel(timer.token) }
        timer = nil
        guard let due else { return }
        let token = loop.setTimer(at: due) { [weak self] in
            self?.timer = nil
            self?.step { $0.timerFired(at: $1, into: &$2) }
        }
        timer = (token, due)
    }

    private func carryOut(_ action: HTTPServiceAction) {
        switch action {
        case .send(let id, let bytes): clients[id]?.send(bytes)
        case .close(let id): clients.removeValue(forKey: id)?.close()
        case .reset(let id): clients.removeValue(forKey: id)?.reset()
        case .listen(let isOn):
            if isOn { reopen() } else { stopListening() }
        case .certificate(let kind): certificate = kind
        case .trace(let line): onTrace?(line)
        }
    }

    private func stopListening() {
        if let retry { loop.cancel(retry) }
        retry = nil
        listener?.close()
        listener = nil
    }

    /// The same port again; should somebody have taken it, until it is free.
    private func reopen() {
        guard listener == nil, !isClosed else { return }
        listener = try? Self.listener(port: port, on: loop) { [weak self] stream in
            guard let self else { return stream.reset() }
            accepted(stream)
        }
        guard listener == nil else { return }
        retry = loop.setTimer(after: .milliseconds(100)) { [weak self] in self?.reopen() }
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
