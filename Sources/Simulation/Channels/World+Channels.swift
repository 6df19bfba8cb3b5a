import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators

/// The wires between box and the services of the other channels.
extension World {
    /// Lets a service act and carries out what it does.
    func channelTurn(
        _ index: Int, _ act: (inout any ChannelPeer, Moment, inout [HTTPServiceAction]) -> Void
    ) {
        let arrivals = hosts.turn(index, at: standpoint, &chances.channels, &agenda, act)
        for arrival in arrivals { arrived(arrival, by: hosts[index].kind) }
        hosts.setTimer(index, at: now, &agenda)
    }

    /// The same, if it is a service of this kind.
    func channelTurn<Service: ChannelPeer>(
        _ index: Int, _ kind: Service.Type, _ act: (inout Service, Moment, inout [HTTPServiceAction]) -> Void
    ) {
        guard var service = hosts[index].peer as? Service else { return }
        channelTurn(index) { peer, moment, actions in
            act(&service, moment, &actions)
            peer = service
        }
    }

    func happens(_ happening: ChannelHappening, by kind: ChannelKind) {
        guard let index = hosts.index(kind) else { return }
        switch happening {
        case .hears(let peer, let bytes): channelTurn(index) { $0.received(peer, bytes, at: $1, into: &$2) }
        case .accepts(let peer): channelTurn(index) { $0.accepted(peer, at: $1, into: &$2) }
        case .loses(let peer): channelTurn(index) { $0.closed(peer, at: $1, into: &$2) }
        }
    }

    func sendChannel(_ bytes: [UInt8], on connection: ConnectionID, _ index: Int) throws(Violation) {
        guard hosts[index].has(connection) else { return }
        try channelChecks.checkSending(bytes, by: hosts[index].kind, store, from: standpoint)
        try ChannelChecks.checkLogin(bytes, on: connection, hosts[index], from: standpoint)
        hosts.send(bytes, on: connection, index, at: standpoint, &chances.channels, &agenda)
    }
}

/// Something that reaches a service.
enum ChannelHappening: Equatable, Sendable {
    case hears(ConnectionID, [UInt8])
    case accepts(ConnectionID)
    case loses(ConnectionID)
}
