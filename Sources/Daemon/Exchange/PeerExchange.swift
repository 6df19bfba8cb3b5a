import AlarmModel
import ApplianceCore
import Glibc
import PhoneLink
import Platform
import Uplinks

/// Session over a connection of its own: a request, and the bytes that come back. Confined to the loop's thread.
///
/// Guarantees: addresses are raced as for every channel (`Dialer`); nothing is sent before the other side has proved who it
/// is, where that is asked for; a silence and the whole time are bounded; `then` is called once.
final class PeerExchange {
    enum Security {
        /// The server proves that it is the host.
        case certified(() throws(TLSFailure) -> TLSTrust)
        /// Its certificate is the one with this fingerprint.
        case pinned([UInt8])
        case plain
    }

    struct Limits {
        /// Time for the whole session, beside that for what is sent (`slowest`).
        var total: Duration
        /// Longest time without progress once the connection is open: a byte that was received, or sent bytes that the
        /// peer has acknowledged.
        var silence: Duration

        /// Bytes a second that a peer has to take, so that a large body has more time than a small one.
        static let slowest = 8192
    }

    enum End {
        /// The other side closed; what it said is to be judged.
        case closed(ConnectionEnd)
        case failed(String)
        /// The peer has answered something on this connection and is too slow.
        case slow(String)
    }

    /// Answered once, later.
    typealias Find = (String, Link, @escaping (Result<[IPAddress], NameError>) -> Void) -> Void

    private let host: String
    private let port: UInt16
    private let request: [UInt8]
    private let security: Security
    private let link: Link
    private let limits: Limits
    private let loop: EventLoop
    private let find: Find
    private let onBytes: ([UInt8]) -> Void
    private var then: ((End) -> Void)?
    private var dialer = Dialer()
    private var dialTimer: TimerToken?
    private var attempts: [ConnectionID: ConnectAttempt] = [:]
    private var stream: (any ByteStream)?
    /// While it is not encrypted.
    private var plain: Stream?
    private var deadline: TimerToken?
    private var endsAt: BootTime
    private var silence: TimerToken?
    /// Sent bytes that the peer had not acknowledged when `silence` was set.
    private var outstanding = 0
    private var hasReceived = false

    /// - Parameters:
    ///   - host: a name or an address
    ///   - request: sent first; empty: the other side speaks first
    ///   - find: asks for the addresses of a name; nil: the name servers of the link
    ///   - then: called later, unless `stop` comes first
    init(
        _ host: String, _ port: UInt16, _ request: [UInt8], _ security: Security, link: Link, _ limits: Limits,
        on loop: EventLoop, find: Find? = nil, onBytes: @escaping ([UInt8]) -> Void, then: @escaping (End) -> Void
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
        let resolver = Resolver(on: loop)
        self.find = find ?? { name, link, then in resolver.resolve(name, link: link, then: then) }
        endsAt = SystemClock.bootTime() + limits.total
        awaitEnd()
        if case .interface(let name) = link {
            let servers = LinkNameServers().of(index: Int32(if_nametoindex(name)))
            if !servers.isEmpty { resolver.setServers(servers.map { Endpoint(address: $0, port: 53) }, for: link) }
        }
        dial { dialer, now, actions in
            dialer.dial(name: host, port: port, link: link, remembered: [], at: now, into: &actions)
        }
    }

    /// What came is enough: nothing more is said.
    func stop() {
        then = nil
        release()
    }

    /// Says more, once something was received.
    func send(_ bytes: [UInt8]) {
        endsAt = endsAt + .milliseconds(Int64(bytes.count) * 1000 / Int64(Limits.slowest))
        awaitEnd()
        stream?.send(bytes)
        awaitProgress()
    }

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

    // MARK: Time

    private func awaitEnd() {
        if let deadline { loop.cancel(deadline) }
        deadline = loop.setTimer(after: max(.zero, endsAt - SystemClock.bootTime())) { [weak self] in
            self?.endLate("it took too long to answer")
        }
    }

    private func awaitProgress() {
        if let silence { loop.cancel(silence) }
        outstanding = unacknowledged
        silence = loop.setTimer(after: limits.silence) { [weak self] in self?.noticeSilence() }
    }

    private var unacknowledged: Int { stream.map { $0.unsentCount + $0.unacknowledgedCount } ?? 0 }

    private func noticeSilence() {
        guard unacknowledged >= outstanding else { return awaitProgress() }
        endLate("it fell silent")
    }

    private func endLate(_ why: String) { end(hasReceived ? .slow(why) : .failed(why)) }

    // MARK: The connection

    private func dial(_ step: (inout Dialer, Moment, inout [DialAction]) -> Void) {
        guard then != nil else { return }
        let now = SystemClock.moment(isTrusted: false)
        var actions: [DialAction] = []
        step(&dialer, now, &actions)
        actions.forEach(carryOut)
        if let dialTimer { loop.cancel(dialTimer) }
        dialTimer = dialer.nextDeadline.map { due in
            loop.setTimer(after: max(.zero, due - now.boot)) { [weak self] in
                self?.dial { $0.timerFired(at: $1, into: &$2) }
            }
        }
    }

    private func carryOut(_ action: DialAction) {
        switch action {
        case .resolve(let question, let name, let link):
            find(name, link) { [weak self] result in
                let answer: Resolution =
                    switch result {
                    case .success(let addresses): .addresses(addresses)
                    case .failure(let error): .failed(error.failure)
                    }
                self?.dial { $0.resolved(question, answer, at: $1, into: &$2) }
            }
        case .open(let id, let endpoint, let link):
            attempts[id] = Connector(on: loop).open(endpoint, link: link) { [weak self] result in
                self?.attempted(id, result)
            }
        case .close(let id): attempts.removeValue(forKey: id)?.cancel()
        case .remember, .connected: break
        case .failed(.unresolved(let why)): end(.failed("its name cannot be resolved (\(why))"))
        case .failed(.unreachable(let how)): end(.failed("it cannot be reached (\(how))"))
        }
    }

    private func attempted(_ id: ConnectionID, _ result: Result<Stream, Platform.ConnectFailure>) {
        attempts[id] = nil
        switch result {
        case .success(let stream):
            dial { $0.opened(id, at: $1, into: &$2) }
            opened(stream)
        case .failure(let failure): dial { $0.openFailed(id, failure.end, at: $1, into: &$2) }
        }
    }

    private func opened(_ plain: Stream) {
        guard then != nil else { return plain.reset() }
        defer { awaitProgress() }
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

    private func sendRequest() { if !request.isEmpty { send(request) } }

    private func secure(_ plain: Stream, _ trust: TLSTrust, then: @escaping () -> Void) throws(TLSFailure) {
        let secure = try SecureStream(client: plain, serverName: host, trust: trust, on: loop)
        (stream, self.plain) = (secure, nil)
        listen(to: secure)
        secure.onSecured = then
        secure.startHandshake()
    }

    private func listen(to stream: any ByteStream) {
        stream.onReceived = { [weak self] bytes in
            self?.hasReceived = true
            self?.awaitProgress()
            self?.onBytes(bytes)
        }
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
        for timer in [deadline, silence, dialTimer].compactMap({ $0 }) { loop.cancel(timer) }
        (deadline, silence, dialTimer) = (nil, nil, nil)
        for attempt in attempts.values { attempt.cancel() }
        attempts = [:]
        stream?.reset()
        (stream, plain) = (nil, nil)
    }
}
