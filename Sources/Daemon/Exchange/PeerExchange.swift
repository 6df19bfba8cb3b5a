import AlarmModel
import ApplianceCore
import Glibc
import PhoneLink
import Platform

/// One talk over a connection of its own: a request, and the bytes that come back. Confined to the loop's thread.
///
/// Guarantees: nothing is sent before the other side has proved who it is, where that is asked for; a silence and the whole
/// time are bounded; `then` is called once.
final class PeerExchange {
    enum Security {
        /// The server proves that it is the host.
        case certified(() throws(TLSFailure) -> TLSTrust)
        /// Its certificate is the one with this fingerprint.
        case pinned([UInt8])
        case plain
    }

    struct Limits {
        var total: Duration
        /// Without a byte for so long it is over.
        var silence: Duration
    }

    enum End {
        /// The other side closed; what it said is to be judged.
        case closed(ConnectionEnd)
        case failed(String)
    }

    private let host: String
    private let port: UInt16
    private let request: [UInt8]
    private let security: Security
    private let link: Link
    private let limits: Limits
    private let loop: EventLoop
    private let resolver: Resolver
    private let onBytes: ([UInt8]) -> Void
    private var then: ((End) -> Void)?
    private var addresses: [IPAddress] = []
    private var attempt: ConnectAttempt?
    private var stream: (any ByteStream)?
    /// While it is not encrypted.
    private var plain: Stream?
    private var deadline: TimerToken?
    private var silence: TimerToken?
    /// Of one name so many are tried.
    private static let addressLimit = 4

    /// - Parameters:
    ///   - host: a name or an address
    ///   - request: sent first; empty: the other side speaks first
    ///   - then: called later, unless `stop` comes first
    init(
        _ host: String, _ port: UInt16, _ request: [UInt8], _ security: Security, link: Link, _ limits: Limits,
        on loop: EventLoop, onBytes: @escaping ([UInt8]) -> Void, then: @escaping (End) -> Void
    ) {
        self.host = host
        self.port = port
        self.request = request
        self.security = security
        self.link = link
        self.limits = limits
        self.loop = loop
        self.onBytes = onBytes
        self.then = then
        resolver = Resolver(on: loop)
        deadline = loop.setTimer(after: limits.total) { [weak self] in self?.end(.failed("it took too long to answer"))
        }
        awaitBytes()
        if case .interface(let name) = link {
            let servers = LinkNameServers().of(index: Int32(if_nametoindex(name)))
            if !servers.isEmpty { resolver.setServers(servers.map { Endpoint(address: $0, port: 53) }, for: link) }
        }
        resolver.resolve(host, link: link) { [weak self] result in
            switch result {
            case .success(let found):
                self?.addresses = Array(found.prefix(Self.addressLimit))
                self?.connect()
            case .failure(let error): self?.end(.failed("its name cannot be resolved (\(error.failure))"))
            }
        }
    }

    /// What came is enough: nothing more is said.
    func stop() {
        then = nil
        release()
    }

    /// Says more, once something was received.
    func send(_ bytes: [UInt8]) { stream?.send(bytes) }

    /// Encrypts a plain connection from here on, before anything else is said.
    ///
    /// - Parameter then: called later, once the other side has proved that it is the host
    func encrypt(_ trust: TLSTrust, then: @escaping () -> Void) {
        guard let plain else { return }
        do throws(TLSFailure) {
            try secure(plain, trust, then: then)
        } catch {
            end(.failed("no encrypted connection: \(error)"))
        }
    }

    private func awaitBytes() {
        if let silence { loop.cancel(silence) }
        silence = loop.setTimer(after: limits.silence) { [weak self] in self?.end(.failed("it fell silent")) }
    }

    private func connect(after failure: String? = nil) {
        guard then != nil else { return }
        guard !addresses.isEmpty else { return end(.failed("it cannot be reached (\(failure ?? "no address"))")) }
        let endpoint = Endpoint(address: addresses.removeFirst(), port: port)
        attempt = Connector(on: loop).open(endpoint, link: link) { [weak self] result in
            self?.attempt = nil
            switch result {
            case .success(let stream): self?.opened(stream)
            case .failure(let failure): self?.connect(after: "\(failure)")
            }
        }
    }

    private func opened(_ plain: Stream) {
        do throws(TLSFailure) {
            switch security {
            case .plain:
                (stream, self.plain) = (plain, plain)
                listen(to: plain)
                sendRequest()
            case .certified(let trust): try secure(plain, try trust()) { [weak self] in self?.sendRequest() }
            case .pinned(let fingerprint):
                try secure(plain, TLSTrust(pinned: fingerprint)) { [weak self] in self?.sendRequest() }
            }
        } catch {
            plain.close()
            end(.failed("no encrypted connection: \(error)"))
        }
    }

    private func sendRequest() { if !request.isEmpty { stream?.send(request) } }

    private func secure(_ plain: Stream, _ trust: TLSTrust, then: @escaping () -> Void) throws(TLSFailure) {
        let secure = try SecureStream(client: plain, serverName: host, trust: trust, on: loop)
        (stream, self.plain) = (secure, nil)
        listen(to: secure)
        secure.onSecured = then
        secure.startHandshake()
    }

    private func listen(to stream: any ByteStream) {
        stream.onReceived = { [weak self] bytes in
            self?.awaitBytes()
            self?.onBytes(bytes)
        }
        // A body that leaves slowly is no silence.
        stream.onSent = { [weak self] _ in self?.awaitBytes() }
        stream.onClosed = { [weak self] how in
            guard let self else { return }
            self.stream = nil
            self.end(self.meaning(of: how))
        }
    }

    private func meaning(of how: ConnectionEnd) -> End {
        guard case .pinned = security, case .tls(.certificateRejected(let what)) = how else { return .closed(how) }
        return .failed("its certificate is not the one that is expected: \(what)")
    }

    private func end(_ how: End) {
        guard let then else { return }
        self.then = nil
        release()
        loop.later { then(how) }
    }

    private func release() {
        for timer in [deadline, silence].compactMap({ $0 }) { loop.cancel(timer) }
        attempt?.cancel()
        stream?.reset()
        (stream, plain) = (nil, nil)
    }
}
