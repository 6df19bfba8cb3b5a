import AlarmModel
import ApplianceCore
import Glibc
import PhoneLink
import Platform

/// One GET over TLS, its body in pieces. Confined to the loop's thread.
///
/// Guarantees: only what is encrypted and certified is asked; a redirect is an error; body, silence and the whole time are
/// bounded; what is sent is the same for every box.
final class WebGet {
    struct Limits {
        var bodyBytes: Int
        var total: Duration
        /// Without a byte for so long it is over.
        var silence: Duration
    }

    private let url: HTTPURL
    private let trust: () throws(TLSFailure) -> TLSTrust
    private let link: Link
    private let limits: Limits
    private let loop: EventLoop
    private let resolver: Resolver
    private let onBody: ([UInt8]) throws(FetchStop) -> Void
    private var then: ((FetchStop?) -> Void)?
    private var addresses: [IPAddress] = []
    private var attempt: ConnectAttempt?
    private var stream: (any ByteStream)?
    private var reader: HTTPResponseReader
    private var deadlines: [TimerToken] = []
    private var silence: TimerToken?
    /// Of one name so many are tried.
    private static let addressLimit = 4

    /// - Parameters:
    ///   - trust: whom to believe; read for each connection
    ///   - then: called once, later: nil, or why the body is not whole
    init(
        _ url: HTTPURL, trust: @escaping () throws(TLSFailure) -> TLSTrust, link: Link, limits: Limits,
        on loop: EventLoop, onBody: @escaping ([UInt8]) throws(FetchStop) -> Void, then: @escaping (FetchStop?) -> Void
    ) {
        self.url = url
        self.trust = trust
        self.link = link
        self.limits = limits
        self.loop = loop
        self.onBody = onBody
        self.then = then
        resolver = Resolver(on: loop)
        var bounds = HTTPResponseReader.Limits()
        bounds.bodyBytes = limits.bodyBytes
        reader = HTTPResponseReader(limits: bounds)
        guard url.isEncrypted else {
            loop.later { self.end(.failed("the address does not begin with https://")) }
            return
        }
        deadlines.append(
            loop.setTimer(after: limits.total) { [weak self] in self?.end(.failed("it took too long to answer")) })
        awaitBytes()
        if case .interface(let name) = link {
            let servers = LinkNameServers().of(index: Int32(if_nametoindex(name)))
            if !servers.isEmpty { resolver.setServers(servers.map { Endpoint(address: $0, port: 53) }, for: link) }
        }
        resolver.resolve(url.host, link: link) { [weak self] result in
            switch result {
            case .success(let found):
                self?.addresses = Array(found.prefix(Self.addressLimit))
                self?.connect()
            case .failure(let error): self?.end(.failed("its name cannot be resolved (\(error.failure))"))
            }
        }
    }

    private func awaitBytes() {
        if let silence { loop.cancel(silence) }
        silence = loop.setTimer(after: limits.silence) { [weak self] in self?.end(.failed("it fell silent")) }
    }

    private func connect(after failure: String? = nil) {
        guard then != nil else { return }
        guard !addresses.isEmpty else { return end(.failed("it cannot be reached (\(failure ?? "no address"))")) }
        let endpoint = Endpoint(address: addresses.removeFirst(), port: url.port)
        attempt = Connector(on: loop).open(endpoint, link: link) { [weak self] result in
            self?.attempt = nil
            switch result {
            case .success(let stream): self?.secure(stream)
            case .failure(let failure): self?.connect(after: "\(failure)")
            }
        }
    }

    private func secure(_ plain: Stream) {
        do throws(TLSFailure) {
            let secure = try SecureStream(client: plain, serverName: url.host, trust: try trust(), on: loop)
            stream = secure
            secure.onSecured = { [weak self] in self?.ask(secure) }
            secure.onReceived = { [weak self] bytes in self?.received(bytes) }
            secure.onClosed = { [weak self] how in self?.closed(how) }
            secure.startHandshake()
        } catch {
            plain.close()
            end(.failed("no encrypted connection: \(error)"))
        }
    }

    private func ask(_ stream: any ByteStream) {
        do {
            stream.send(try HTTPRequest(.get, url.target).bytes(for: url.origin()))
        } catch {
            end(.failed("\(error)"))
        }
    }

    private func received(_ bytes: [UInt8]) {
        awaitBytes()
        reader.append(bytes)
        read()
    }

    private func read() {
        while then != nil, let event = reader.next() {
            switch event {
            case .head(let head):
                if let stop = Self.refusal(of: head) { return end(stop) }
            case .body(let piece):
                do throws(FetchStop) {
                    try onBody(piece)
                } catch {
                    return end(error)
                }
            case .end: return end(nil)
            case .failed(let error): return end(.failed(error.description))
            }
        }
    }

    private static func refusal(of head: HTTPResponseHead) -> FetchStop? {
        switch head.status {
        case 200: nil
        case 300...399:
            .failed(
                "it answered \(head.status), which leads elsewhere and is not followed; write the address where it leads "
                    + "into 'updates'")
        case 404, 410: .failed("it answered \(head.status): there is no such file; check 'url' in 'updates'")
        default: .failed("it answered \(head.status)")
        }
    }

    private func closed(_ how: ConnectionEnd) {
        stream = nil
        guard then != nil else { return }
        // Without its length an answer ends with the connection; the hash says whether it was whole.
        if how == .finished, case .end? = reader.finish() { return end(nil) }
        end(.failed("the connection ended before the answer was complete (\(how))"))
    }

    private func end(_ stop: FetchStop?) {
        guard let then else { return }
        self.then = nil
        for timer in deadlines { loop.cancel(timer) }
        if let silence { loop.cancel(silence) }
        attempt?.cancel()
        stream?.reset()
        loop.later { then(stop) }
    }
}

/// Why nothing was fetched.
enum FetchStop: Error, Hashable, Sendable {
    /// The host's or the network's fault, or the card's.
    case failed(String)
    /// What is offered must not be believed.
    case refused(String)

    var answer: FetchAnswer {
        switch self {
        case .failed(let why): .failed(why)
        case .refused(let why): .refused(why)
        }
    }
}
