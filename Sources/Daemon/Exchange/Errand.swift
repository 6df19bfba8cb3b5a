import Platform

/// One place that something is brought to: its connection, and the one word of what came of it. Confined to the loop's thread.
class Errand {
    /// Why it was not taken.
    struct Fault: Error {
        var words: String
        /// True if nobody else would reach this server either. One that has answered slowly may serve the next.
        var isOfServer = false
    }

    static let limits = PeerExchange.Limits(total: .seconds(20), silence: .seconds(10))

    let loop: EventLoop
    var exchange: PeerExchange?
    private var then: ((Result<Void, Fault>) -> Void)?

    /// - Parameter then: called once, later
    init(on loop: EventLoop, then: @escaping (Result<Void, Fault>) -> Void) {
        self.loop = loop
        self.then = then
    }

    var isOpen: Bool { then != nil }

    func end(_ result: Result<Void, Fault>) {
        guard let then else { return }
        self.then = nil
        exchange?.stop()
        exchange = nil
        loop.later { then(result) }
    }

    /// The connection is over before it was done.
    func ended(_ how: PeerExchange.End) {
        switch how {
        case .failed(let why): end(.failure(Fault(words: why, isOfServer: true)))
        case .slow(let why): end(.failure(Fault(words: why)))
        case .closed(let how): end(.failure(Fault(words: "the connection ended (\(how))", isOfServer: true)))
        }
    }
}
