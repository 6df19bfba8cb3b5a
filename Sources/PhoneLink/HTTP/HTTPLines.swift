package import AlarmModel

/// One host of a transport that speaks with several.
package protocol HTTPLine {
    var client: HTTPClient { get set }
    /// Of this host; nil: none.
    var problem: TransportProblem? { get set }
}

/// A transport that speaks HTTP with several hosts, each over a client of its own, so that one that stalls holds up no
/// other. A client's slot is its place in `lines`.
///
/// Here is what such transports have in common: events of connections go to their client, and what a client says is
/// carried out. What an answer means is each transport's own.
package protocol HTTPLines: Transport {
    associatedtype Line: HTTPLine

    var lines: [Line] { get set }
    var lastAccepted: WallTime? { get set }
    var problem: TransportProblem? { get }
    var told: ToldProblem { get set }

    mutating func answered(
        _ id: HTTPRequestID, _ response: HTTPResponse, on index: Int, at now: Moment,
        into actions: inout [TransportAction])
    mutating func failed(
        _ id: HTTPRequestID, _ failure: HTTPFailure, on index: Int, at now: Moment,
        into actions: inout [TransportAction])
}

extension HTTPLines {
    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard lines.indices.contains(slot.number) else {
            actions.append(.close(connection))
            return
        }
        drive(slot.number, at: now, into: &actions) { $0.connected(connection, slot: slot, at: now, into: &$1) }
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard lines.indices.contains(slot.number) else { return }
        drive(slot.number, at: now, into: &actions) { $0.connectFailed(failure, slot: slot, at: now, into: &$1) }
    }

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = lines.firstIndex(where: { $0.client.connection == connection }) else { return }
        drive(index, at: now, into: &actions) { $0.received(connection, bytes, at: now, into: &$1) }
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = lines.firstIndex(where: { $0.client.connection == connection }) else { return }
        drive(index, at: now, into: &actions) { $0.closed(connection, end, at: now, into: &$1) }
    }

    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        for index in lines.indices {
            drive(index, at: now, into: &actions) { $0.networkChanged(at: now, into: &$1) }
        }
    }

    /// Lets the client of a host do something and carries out what it says.
    mutating func drive(
        _ index: Int, at now: Moment, into actions: inout [TransportAction],
        _ step: (inout HTTPClient, inout [HTTPAction]) -> Void
    ) {
        var said: [HTTPAction] = []
        step(&lines[index].client, &said)
        for action in said {
            switch action {
            case .transport(let order): actions.append(order)
            case .answered(let id, let response): answered(id, response, on: index, at: now, into: &actions)
            case .failed(let id, let failure): failed(id, failure, on: index, at: now, into: &actions)
            }
        }
        tellProblem(into: &actions)
    }

    mutating func accept(
        _ message: MessageID, on index: Int, at now: Moment, into actions: inout [TransportAction]
    ) {
        lastAccepted = now.wall
        lines[index].problem = nil
        actions.append(.accepted(message, canonical: nil))
    }

    func refuse(
        _ message: MessageID, _ reaction: PushReaction, _ why: String, after: Duration? = nil,
        needsPerson: Bool = false, into actions: inout [TransportAction]
    ) {
        actions.append(.refused(message, Refusal(reaction, why: why, after: after, needsPerson: needsPerson)))
    }

    mutating func tellProblem(into actions: inout [TransportAction]) {
        told.tell(problem, isLogged: false, into: &actions)
    }
}
