package import AlarmModel
import PhoneProtocol

/// Somebody's web server: in the simulated world a program at two addresses, one told by GET, the other by POST with a
/// signature; elsewhere whatever is asked is answered.
package struct WebPeer: ChannelPeer {
    private struct Late: Sendable {
        var due: BootTime
        var id: ConnectionID
        var answer: HTTPServerAnswer
    }

    package static let get = "https://url.example/told/"
    package static let post = "https://url.example/hook"

    /// Only those two are known.
    private let isHook: Bool
    /// What a request is answered that is as it should be.
    package var status = 204
    /// How far its clock is ahead of the true time; nil: it tells no date.
    package var ahead: Duration?
    private var http = HTTPServerMachine()
    private var arrivals: [Arrival] = []
    private var late: [Late] = []
    private var port = PeerPort()
    private var delay = Duration.zero

    package init(isHook: Bool = false) { self.isHook = isHook }

    package var nextDeadline: BootTime? { late.first?.due }

    package mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        http.accepted(id)
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        http.received(id, bytes)
        while let request = http.next(id, into: &actions) { serve(request, at: now, into: &actions) }
    }

    package mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        http.closed(id)
        late.removeAll { $0.id == id }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        while let first = late.first, first.due <= now.boot {
            late.removeFirst()
            http.answer(first.id, first.answer, into: &actions)
            while let request = http.next(first.id, into: &actions) { serve(request, at: now, into: &actions) }
        }
    }

    package mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    private mutating func serve(
        _ request: HTTPServerRequest, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let id = request.connection
        if PeerPort.take(&port.garbage) {
            http.send(id, Array("?? nothing of the kind\r\n\r\n".utf8), into: &actions)
            return http.close(id, into: &actions)
        }
        if PeerPort.take(&port.lies) {
            let place = HTTPServerRequest.Field("Location", "https://elsewhere.example/")
            return answer(id, HTTPServerAnswer(302, fields: [place]), at: now, into: &actions)
        }
        if PeerPort.take(&port.failures) {
            let wait = HTTPServerRequest.Field("Retry-After", "3")
            return answer(id, HTTPServerAnswer(503, fields: [wait]), at: now, into: &actions)
        }
        guard !PeerPort.take(&port.tooMany), port.takes() else {
            return answer(id, HTTPServerAnswer(429), at: now, into: &actions)
        }
        guard take(request) else { return answer(id, HTTPServerAnswer(404), at: now, into: &actions) }
        if PeerPort.take(&port.noAnswer) { return }
        if PeerPort.take(&port.closesMidway) {
            http.send(id, Array("HTTP/1.1 20".utf8), into: &actions)
            return http.close(id, into: &actions)
        }
        answer(id, HTTPServerAnswer(status, fields: date(at: now)), at: now, into: &actions)
    }

    private mutating func answer(
        _ id: ConnectionID, _ answer: HTTPServerAnswer, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard delay > .zero || late.contains(where: { $0.id == id }) else {
            return http.answer(id, answer, into: &actions)
        }
        late.append(Late(due: max(now.boot + delay, late.last?.due ?? .zero), id: id, answer: answer))
    }

    private func date(at now: Moment) -> [HTTPServerRequest.Field] { ahead.map { [.date(now.wall + $0)] } ?? [] }

    private mutating func take(_ request: HTTPServerRequest) -> Bool {
        let name = request.field("Idempotency-Key").map { MessageID($0) }
        let path = "https://url.example" + request.path
        if !isHook {
            arrivals.append(Arrival(address: request.method, message: name, text: request.path))
        } else if request.method == "GET", path.hasPrefix(Self.get) {
            arrivals.append(Arrival(address: Self.get, message: name, text: request.path))
        } else if request.method == "POST", path == Self.post, request.field("X-HowAlarming-Signature") != nil {
            arrivals.append(
                Arrival(address: Self.post, message: name, text: String(decoding: request.body, as: UTF8.self)))
        } else {
            return false
        }
        return true
    }

    package mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        switch fault {
        case .refuse, .reset, .ends:
            if fault == .refuse { actions.append(.listen(false)) }
            late = []
            for id in http.open {
                if fault == .ends { http.close(id, into: &actions) } else { http.reset(id, into: &actions) }
            }
        case .blackHole, .silent:
            http.isBlackHole = true
            for id in http.open { http.silence(id) }
        case .slow(let span): delay = span
        case .garbage, .lies, .closesMidway, .noAnswer, .failure, .tooMany, .quota, .repeats:
            _ = port.perform(fault, at: now, into: &actions)
        case .off:
            _ = port.perform(.off, at: now, into: &actions)
            http.isBlackHole = false
            delay = .zero
        }
    }
}
