import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators

/// A service of the simulated world as the bench mounts it, without any delay: the core's effects in, its inputs out.
struct Served<Machine: ChannelPeer> {
    /// Connections to these are its.
    let ports: [UInt16]
    var machine: Machine
    /// Nobody listens, and nothing is heard any more.
    var isDead = false
    /// What the box objects to in its certificate.
    var objection: TLSFailure?
    /// From when to when its certificate is valid; nil: always.
    var certificate: (begin: WallTime, end: WallTime)?
    /// All that the box ever opened, in order.
    private(set) var connections: [ConnectionID] = []
    /// What it has taken, in order.
    private(set) var arrivals: [(arrival: Arrival, at: Moment)] = []

    init(_ machine: Machine, at ports: UInt16...) {
        self.machine = machine
        self.ports = ports
    }

    /// nil: none of its business.
    mutating func carryOut(_ effect: Effect, at now: Moment) -> [Input]? {
        switch effect {
        case .open(let id, let endpoint, _) where ports.contains(endpoint.port):
            connections.append(id)
            guard !isDead else { return [.closed(id, .refused)] }
            return [.connected(id)] + act(at: now) { $0.accepted(id, at: now, into: &$1) }
        case .startTLS(let id, _, _, let time) where connections.contains(id):
            return (objection ?? objectionToTime(time ?? now.wall)).map { [.closed(id, .tls($0))] }
        case .send(let id, let bytes) where connections.contains(id):
            return isDead ? [] : act(at: now) { $0.received(id, bytes, at: now, into: &$1) }
        case .close(let id) where connections.contains(id):
            return act(at: now) { $0.closed(id, at: now, into: &$1) }
        case _: return nil
        }
    }

    private func objectionToTime(_ time: WallTime) -> TLSFailure? {
        guard let certificate else { return nil }
        if time < certificate.begin { return .certificateNotYetValid }
        return time > certificate.end ? .certificateExpired : nil
    }

    /// When it does something by itself.
    var nextDeadline: BootTime? { isDead ? nil : machine.nextDeadline }

    mutating func awake(at now: Moment) -> [Input] {
        guard let due = nextDeadline, due <= now.boot else { return [] }
        return act(at: now) { $0.timerFired(at: now, into: &$1) }
    }

    mutating func act(at now: Moment, _ body: (inout Machine, inout [HTTPServiceAction]) -> Void) -> [Input] {
        var actions: [HTTPServiceAction] = []
        body(&machine, &actions)
        arrivals += machine.takeArrivals().map { ($0, now) }
        return actions.compactMap { action in
            switch action {
            case .send(let id, let bytes): .received(id, bytes)
            case .close(let id): .closed(id, .finished)
            case .reset(let id): .closed(id, .reset)
            case .listen, .certificate, .trace: nil
            }
        }
    }
}
