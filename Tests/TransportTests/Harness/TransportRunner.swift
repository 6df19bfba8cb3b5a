import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Testing

/// Mounts a way of carrying messages on real sockets, as the daemon does: dials, encrypts, keeps its timers, computes,
/// and collects what it tells. All on one loop, on which a test's own peers and child processes may live too; nothing
/// happens outside of the waits.
///
/// It also checks the contract of `Transport`: each message ends once, nothing is sent on a connection that is not
/// open.
final class TransportRunner<Channel: Transport> {
    let loop: EventLoop
    private(set) var transport: Channel
    /// Everything that was ordered and told, in order.
    private(set) var actions: [TransportAction] = []
    /// Where host names lead. Addresses and `localhost` need no entry; other names do not exist.
    var hosts: [String: IPAddress] = [:]
    /// Who is asked for SRV records.
    var resolver: Resolver?
    /// Answers `compute` instead of the shell's own computer; nil: no answer, ever.
    var compute: ((TransportJob) -> TransportAnswer?)?
    /// Swallows what comes and goes, without ending anything: a dead router.
    var isBlackHoled = false

    /// Peers, programs and directories that have to live as long as the runner.
    var kept: [AnyObject] = []

    private let connector: Connector
    private let trusts = TLSTrustCache()
    private let computer: TransportComputer
    private var attempts: [DialSlot: Attempt] = [:]
    var streams: [ConnectionID: any ByteStream] = [:]
    private var nextConnection: UInt64 = 1
    private var timer: (time: BootTime, token: TimerToken)?
    private var underWay: [MessageID] = []
    private var taken: [MessageID] = []
    private var seen: [Int: Int] = [:]

    /// An attempt to connect: kept so that it can be given up.
    private final class Attempt {
        var dialing: ConnectAttempt?
        var securing: SecureStream?
        func cancel() {
            dialing?.cancel()
            securing?.onSecured = nil
            securing?.onClosed = nil
            securing?.reset()
        }
    }

    init(_ transport: Channel, on loop: EventLoop? = nil) throws {
        self.loop = try loop ?? EventLoop()
        self.transport = transport
        connector = Connector(on: self.loop)
        computer = TransportComputer(on: self.loop)
    }

    func isUnderWay(_ id: MessageID) -> Bool { underWay.contains(id) }

    // MARK: What the core does

    func start() { step { $0.start(at: $1, into: &$2) } }
    func stop() { step { $0.stop(at: $1, into: &$2) } }

    @discardableResult func deliver(_ delivery: Delivery) -> Bool {
        var isTaken = false
        step { transport, now, actions in
            isTaken = transport.deliver(delivery, at: now, into: &actions)
            if isTaken { self.underWay.append(delivery.message) }
        }
        return isTaken
    }

    func acknowledge(_ message: InboundMessage) { step { $0.acknowledge(message, at: $1, into: &$2) } }
    func houseChanged(_ house: HousePicture) { step { $0.houseChanged(house, at: $1, into: &$2) } }
    func networkChanged() { step { $0.networkChanged(at: $1, into: &$2) } }
    func setUrgent(_ isUrgent: Bool) { step { transport, now, _ in transport.setUrgent(isUrgent, at: now) } }

    /// Ends every connection with a reset, as if the line had been cut.
    func cutConnections() {
        for (id, stream) in streams.sorted(by: { $0.key < $1.key }) {
            silence(stream)
            stream.reset()
            streams[id] = nil
            step { $0.closed(id, .reset, at: $1, into: &$2) }
        }
    }

    /// One fact into the machine, its orders into sockets, its next deadline into a timer.
    func step(_ body: (inout Channel, Moment, inout [TransportAction]) -> Void) {
        var orders: [TransportAction] = []
        body(&transport, SystemClock.moment(isTrusted: true), &orders)
        actions += orders
        for order in orders { carryOut(order) }
        setTimer()
    }

    private func setTimer() {
        let deadline = transport.nextDeadline
        guard deadline != timer?.time else { return }
        if let token = timer?.token { loop.cancel(token) }
        timer = deadline.map { time in
            (
                time,
                loop.setTimer(at: time) { [weak self] in
                    self?.timer = nil
                    self?.step { $0.timerFired(at: $1, into: &$2) }
                }
            )
        }
    }

    private func carryOut(_ order: TransportAction) {
        switch order {
        case .connect(let slot, let target): connect(slot, target)
        case .cancelConnect(let slot): attempts.removeValue(forKey: slot)?.cancel()
        case .upgrade(let id, let name, let file): upgrade(id, name, file)
        case .send(let id, let bytes):
            // The peer may have gone in the same round.
            if !isBlackHoled { streams[id]?.send(bytes) }
        case .close(let id):
            guard let stream = streams.removeValue(forKey: id) else { break }
            silence(stream)
            stream.close()
        case .compute(let id, let job): self.compute(id, job)
        case .locate(let id, let service):
            let resolver = resolver ?? Resolver(on: loop)
            resolver.locate(service) { [weak self] lookup in
                // Keeps the resolver until its answer.
                withExtendedLifetime(resolver) { self?.step { $0.located(id, lookup, at: $1, into: &$2) } }
            }
        case .accepted(let id, _):
            end(id)
            taken.append(id)
        case .refused(let id, _):
            // A chat server may take its word back, once.
            if transport is XMPPTransport, let index = taken.firstIndex(of: id) {
                taken.remove(at: index)
            } else {
                end(id)
            }
        case .returned(let ids): ids.forEach(end)
        case .ready, .notReady, .received, .inbound, .problem, .log, .serverTime, .presence: break
        }
    }

    private func compute(_ id: TransportJobID, _ job: TransportJob) {
        if let compute {
            guard let answer = compute(job) else { return }
            loop.later { [weak self] in self?.step { $0.computed(id, answer, at: $1, into: &$2) } }
        } else {
            computer.carryOut(job, stream: { streams[$0] }) { [weak self] answer in
                self?.step { $0.computed(id, answer, at: $1, into: &$2) }
            }
        }
    }

    private func end(_ id: MessageID) {
        guard let index = underWay.firstIndex(of: id) else {
            Issue.record("\(id) was answered twice, or never taken")
            return
        }
        underWay.remove(at: index)
    }

    private func silence(_ stream: any ByteStream) {
        stream.onReceived = nil
        stream.onClosed = nil
    }

    // MARK: Connections

    private func connect(_ slot: DialSlot, _ target: DialTarget) {
        if attempts[slot] != nil { Issue.record("two attempts for slot \(slot.number)") }
        let attempt = Attempt()
        attempts[slot] = attempt
        let connected: (Result<Stream, Platform.ConnectFailure>) -> Void = { [weak self] result in
            guard let self, attempts[slot] === attempt else { return }
            switch result {
            case .failure(let failure): fail(slot, .dial(.unreachable(failure.end)))
            case .success(let stream):
                switch target.security {
                case .plain: stand(slot, stream)
                case .tls(let file): secure(slot, stream, target.certifiedName ?? target.host, file, attempt)
                }
            }
        }
        if target.isLocalSocket {
            let parts = target.host.split(separator: "/", omittingEmptySubsequences: false)
            let directory = parts.dropLast().joined(separator: "/")
            attempt.dialing = connector.openUnix(
                directory: directory, name: String(parts.last ?? ""), then: connected)
        } else if let address = address(of: target.host) {
            attempt.dialing = connector.open(Endpoint(address: address, port: target.port), then: connected)
        } else {
            loop.later { [weak self] in
                if self?.attempts[slot] === attempt { self?.fail(slot, .dial(.unresolved(.notFound))) }
            }
        }
    }

    private func address(of host: String) -> IPAddress? {
        IPAddress(host) ?? hosts[host] ?? (host == "localhost" ? IPAddress("127.0.0.1") : nil)
    }

    private func secure(_ slot: DialSlot, _ plain: Stream, _ name: String, _ file: String?, _ attempt: Attempt) {
        do throws(TLSFailure) {
            let trust = try trusts.trust(caFile: file)
            let stream = try SecureStream(client: plain, serverName: name, trust: trust, on: loop)
            attempt.securing = stream
            stream.onSecured = { [weak self] in self?.stand(slot, stream) }
            stream.onClosed = { [weak self] end in
                if case .tls(let failure) = end {
                    self?.fail(slot, .tls(failure))
                } else {
                    self?.fail(slot, .dial(.unreachable(end)))
                }
            }
            stream.startHandshake()
        } catch {
            plain.reset()
            fail(slot, .tls(error))
        }
    }

    private func stand(_ slot: DialSlot, _ stream: any ByteStream) {
        attempts[slot] = nil
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        adopt(stream, as: id)
        step { $0.connected(id, slot: slot, at: $1, into: &$2) }
    }

    private func fail(_ slot: DialSlot, _ failure: PhoneLink.ConnectFailure) {
        guard attempts.removeValue(forKey: slot) != nil else { return }
        step { $0.connectFailed(failure, slot: slot, at: $1, into: &$2) }
    }

    private func adopt(_ stream: any ByteStream, as id: ConnectionID) {
        stream.onReceived = { [weak self] bytes in
            guard let self, !isBlackHoled else { return }
            step { $0.received(id, bytes, at: $1, into: &$2) }
        }
        stream.onClosed = { [weak self] end in
            guard let self, !isBlackHoled, streams.removeValue(forKey: id) != nil else { return }
            step { $0.closed(id, end, at: $1, into: &$2) }
        }
        streams[id] = stream
    }

    private func upgrade(_ id: ConnectionID, _ name: String, _ file: String?) {
        guard let plain = streams[id] else { return }
        do throws(TLSFailure) {
            let trust = try trusts.trust(caFile: file)
            let stream = try SecureStream(client: plain, serverName: name, trust: trust, on: loop)
            adopt(stream, as: id)
            stream.onSecured = { [weak self] in self?.step { $0.secured(id, at: $1, into: &$2) } }
            stream.startHandshake()
        } catch {
            streams[id] = nil
            silence(plain)
            plain.reset()
            loop.later { [weak self] in self?.step { $0.closed(id, .tls(error), at: $1, into: &$2) } }
        }
    }

    // MARK: Marks, for `next…`

    /// The first action behind those that the same kind of call has returned before, and forgets it for the next call.
    func takeFirst<Value>(_ key: Int, _ choose: (TransportAction) -> Value?) -> Value? {
        for index in actions.indices.dropFirst(seen[key] ?? 0) {
            if let value = choose(actions[index]) {
                seen[key] = index + 1
                return value
            }
        }
        return nil
    }

    deinit {
        for attempt in attempts.values { attempt.cancel() }
        for stream in streams.values {
            silence(stream)
            stream.reset()
        }
        if let timer { loop.cancel(timer.token) }
    }
}
