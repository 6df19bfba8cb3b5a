import AlarmModel
import ApplianceCore
import PhoneLink

/// The wires between box and the services of the other channels.
extension World {
    func host(_ kind: ChannelKind) -> Int? { hosts.firstIndex { $0.kind == kind } }
    func host(named name: String) -> Int? { hosts.firstIndex { $0.name == name } }
    func host(at endpoint: Endpoint) -> Int? { hosts.firstIndex { $0.address == endpoint.address } }
    func host(of connection: ConnectionID) -> Int? {
        hosts.firstIndex { host in host.wires.contains { $0.connection == connection } }
    }

    /// Lets a service act and carries out what it does.
    mutating func channelTurn(
        _ index: Int, _ act: (inout any ChannelPeer, Moment, inout [HTTPServiceAction]) -> Void
    ) {
        var actions: [HTTPServiceAction] = []
        act(&hosts[index].peer, rightMoment, &actions)
        for action in actions {
            switch action {
            case .send(let peer, let bytes):
                guard let wire = hosts[index].wires.firstIndex(where: { $0.peer == peer }) else { continue }
                let arrival = max(now + channelDelay(index), hosts[index].wires[wire].lastToBox)
                hosts[index].wires[wire].lastToBox = arrival
                agenda.add(.input(run: run, .received(hosts[index].wires[wire].connection, bytes)), at: arrival)
            case .close(let peer): channelHangsUp(index, peer, .finished)
            case .reset(let peer): channelHangsUp(index, peer, .reset)
            case .listen(let isOn): hosts[index].isListening = isOn
            case .certificate, .trace: break
            }
        }
        for arrival in hosts[index].peer.takeArrivals() { arrived(arrival, by: hosts[index].kind) }
        if let next = hosts[index].peer.nextDeadline, hosts[index].timerAt.map({ next < $0 }) ?? true {
            let due = max(next, now)
            hosts[index].timerAt = due
            agenda.add(.channelTimer(hosts[index].kind, due), at: due)
        }
    }

    /// The same, if it is a service of this kind.
    mutating func channelTurn<Service: ChannelPeer>(
        _ index: Int, _ kind: Service.Type, _ act: (inout Service, Moment, inout [HTTPServiceAction]) -> Void
    ) {
        guard var service = hosts[index].peer as? Service else { return }
        channelTurn(index) { peer, moment, actions in
            act(&service, moment, &actions)
            peer = service
        }
    }

    mutating func happens(_ happening: ChannelHappening, by kind: ChannelKind) {
        guard let index = host(kind) else { return }
        switch happening {
        case .hears(let peer, let bytes): channelTurn(index) { $0.received(peer, bytes, at: $1, into: &$2) }
        case .accepts(let peer): channelTurn(index) { $0.accepted(peer, at: $1, into: &$2) }
        case .loses(let peer): channelTurn(index) { $0.closed(peer, at: $1, into: &$2) }
        }
    }

    mutating func channelTimer(_ kind: ChannelKind, _ time: BootTime) {
        guard let index = host(kind), hosts[index].timerAt == time else { return }
        hosts[index].timerAt = nil
        channelTurn(index) { $0.timerFired(at: $1, into: &$2) }
    }

    private mutating func channelHangsUp(_ index: Int, _ peer: ConnectionID, _ end: ConnectionEnd) {
        guard let wire = hosts[index].wires.firstIndex(where: { $0.peer == peer }) else { return }
        let arrival = max(now + channelDelay(index), hosts[index].wires[wire].lastToBox)
        hosts[index].wires[wire].isOpen = false
        agenda.add(.input(run: run, .closed(hosts[index].wires[wire].connection, end)), at: arrival)
    }

    // MARK: What the box does

    mutating func openChannel(_ connection: ConnectionID, _ index: Int) {
        guard hosts[index].backAt <= now else { return later(.closed(connection, .timedOut), in: .seconds(20)) }
        guard hosts[index].isListening else { return later(.closed(connection, .refused), in: channelDelay(index)) }
        nextChannelPeer += 1
        hosts[index].wires.append(SimulatedWire(connection: connection, run: run, peer: ConnectionID(nextChannelPeer)))
        let arrival = now + channelDelay(index)
        if !hosts[index].startsEncrypted { acceptChannel(index, hosts[index].wires.count - 1, at: arrival) }
        agenda.add(.input(run: run, .connected(connection)), at: arrival)
    }

    private mutating func acceptChannel(_ index: Int, _ wire: Int, at arrival: BootTime) {
        hosts[index].wires[wire].isOpen = true
        hosts[index].wires[wire].since = now
        hosts[index].wires[wire].lastToBox = arrival
        hosts[index].wires[wire].lastToPeer = arrival
        agenda.add(.channel(hosts[index].kind, .accepts(hosts[index].wires[wire].peer)), at: arrival)
    }

    mutating func secureChannel(_ connection: ConnectionID, _ index: Int) {
        guard let wire = hosts[index].wires.firstIndex(where: { $0.connection == connection }) else { return }
        if hosts[index].wires[wire].isOpen {
            // It was plain so far; its peer waits for the same.
            let arrival = max(now + channelDelay(index), hosts[index].wires[wire].lastToBox)
            hosts[index].wires[wire].lastToBox = arrival
            hosts[index].secured.append(connection)
            return agenda.add(.input(run: run, .secured(connection)), at: arrival)
        }
        if channelChance.next() % 40 == 0 {
            hosts[index].wires.remove(at: wire)
            return later(.closed(connection, .tls(.cutOff)), in: channelDelay(index))
        }
        let arrival = now + channelDelay(index)
        acceptChannel(index, wire, at: arrival)
        agenda.add(.input(run: run, .secured(connection)), at: arrival)
    }

    mutating func sendChannel(_ bytes: [UInt8], on connection: ConnectionID, _ index: Int) throws(Violation) {
        guard let wire = hosts[index].wires.firstIndex(where: { $0.connection == connection }) else { return }
        try checkSending(bytes, by: hosts[index].kind)
        try checkLogin(bytes, on: connection, hosts[index])
        guard hosts[index].wires[wire].isOpen else { return }
        let arrival = max(now + channelDelay(index), hosts[index].wires[wire].lastToPeer)
        hosts[index].wires[wire].lastToPeer = arrival
        agenda.add(.channel(hosts[index].kind, .hears(hosts[index].wires[wire].peer, bytes)), at: arrival)
    }

    mutating func closeChannel(_ connection: ConnectionID, _ index: Int) {
        guard let place = hosts[index].wires.firstIndex(where: { $0.connection == connection }) else { return }
        let wire = hosts[index].wires.remove(at: place)
        agenda.add(.channel(hosts[index].kind, .loses(wire.peer)), at: max(now + channelDelay(index), wire.lastToPeer))
    }

    /// The process is gone: what it had sent still arrives, unless the power went.
    mutating func dropChannelWires(silently: Bool) {
        for index in hosts.indices {
            for wire in hosts[index].wires {
                let arrival = max(now + channelDelay(index), wire.lastToPeer)
                agenda.add(
                    .channel(hosts[index].kind, .loses(wire.peer)), at: silently ? arrival + .seconds(120) : arrival)
            }
            hosts[index].wires = []
            hosts[index].secured = []
            hosts[index].soundSince = max(hosts[index].soundSince, now)
        }
    }

    private mutating func channelDelay(_ index: Int) -> Duration {
        let latency = channelChance.duration(in: .milliseconds(5)..<(.milliseconds(120)))
        return hosts[index].backAt > now ? hosts[index].backAt - now + latency : latency
    }
}

/// Something that reaches a service.
enum ChannelHappening: Hashable, Sendable {
    case hears(ConnectionID, [UInt8])
    case accepts(ConnectionID)
    case loses(ConnectionID)
}
