import Simulators

/// The provider of telephone calls, as the core's tests look at it.
typealias CallServer = Served<CallPeer>

extension CallServer {
    static var port: UInt16 { 9444 }

    init() { self.init(CallPeer(), at: Self.port) }

    var calls: [(number: String, words: String)] { arrivals.map { ($0.arrival.address, $0.arrival.text) } }
}
