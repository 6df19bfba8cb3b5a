package import AlarmModel

/// What a service remembers of somebody who talks to it.
package protocol PeerClient: Sendable {
    var id: ConnectionID { get }
}

/// A service that talks with each of its clients apart from the others, on connections of a `PeerPort`.
package protocol TalkingPeer: ChannelPeer {
    associatedtype Client: PeerClient
    var port: PeerPort { get set }
    var clients: [Client] { get set }
    var arrivals: [Arrival] { get set }
    func newClient(_ id: ConnectionID) -> Client
}

extension TalkingPeer {
    package var nextDeadline: BootTime? { port.nextDeadline }

    package mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.accepted(id)
        clients.append(newClient(id))
    }

    package mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.closed(id)
        clients.removeAll { $0.id == id }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.timerFired(at: now, into: &actions)
    }

    package mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    /// The service hangs up.
    mutating func end(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.close(id, at: now, into: &actions)
        clients.removeAll { $0.id == id }
    }

    package mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        for id in port.perform(fault, at: now, into: &actions) { clients.removeAll { $0.id == id } }
    }
}
