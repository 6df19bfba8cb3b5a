import AlarmModel
import Simulators

/// A server of the web that answers every request, as the core's tests look at it.
typealias WebServer = Served<WebPeer>

extension WebServer {
    static var port: UInt16 { 9443 }

    init() {
        var machine = WebPeer()
        machine.status = 200
        machine.ahead = .zero
        self.init(machine, at: Self.port)
    }

    var requests: [(line: String, at: Moment)] {
        arrivals.map { ("\($0.arrival.address) \($0.arrival.text) HTTP/1.1", $0.at) }
    }
}
