import AlarmModel
import ApplianceCore
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

    private let loop: EventLoop
    private let onBody: ([UInt8]) throws(FetchStop) -> Void
    private var then: ((FetchStop?) -> Void)?
    private var exchange: PeerExchange?
    private var reader: HTTPResponseReader

    /// - Parameters:
    ///   - trust: whom to believe; read for each connection
    ///   - then: called once, later: nil, or why the body is not whole
    init(
        _ url: HTTPURL, trust: @escaping () throws(TLSFailure) -> TLSTrust, link: Link, limits: Limits,
        on loop: EventLoop, onBody: @escaping ([UInt8]) throws(FetchStop) -> Void, then: @escaping (FetchStop?) -> Void
    ) {
        self.loop = loop
        self.onBody = onBody
        self.then = then
        var bounds = HTTPResponseReader.Limits()
        bounds.bodyBytes = limits.bodyBytes
        reader = HTTPResponseReader(limits: bounds)
        guard url.isEncrypted else {
            loop.later { self.end(.failed("the address does not begin with https://")) }
            return
        }
        do throws(HTTPRequestError) {
            exchange = PeerExchange(
                url.host, url.port, try HTTPRequest(.get, url.target).bytes(for: url.origin()), .certified(trust),
                link: link,
                PeerExchange.Limits(total: limits.total, silence: limits.silence), on: loop,
                onBytes: { [weak self] bytes in self?.received(bytes) }, then: { [weak self] how in self?.ended(how) })
        } catch {
            loop.later { self.end(.failed("\(error)")) }
        }
    }

    private func received(_ bytes: [UInt8]) {
        reader.append(bytes)
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

    private func ended(_ how: PeerExchange.End) {
        switch how {
        case .failed(let why), .slow(let why): end(.failed(why))
        case .closed(let how):
            // Without its length an answer ends with the connection; the hash says whether it was whole.
            if how == .finished, case .end? = reader.finish() { return end(nil) }
            end(.failed("the connection ended before the answer was complete (\(how))"))
        }
    }

    private func end(_ stop: FetchStop?) {
        guard let then else { return }
        self.then = nil
        exchange?.stop()
        loop.later { then(stop) }
    }
}

/// Why nothing was fetched.
enum FetchStop: Error, Equatable, Sendable {
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
