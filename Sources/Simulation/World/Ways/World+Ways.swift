import AlarmModel
import ApplianceCore
import PhoneLink

/// The wires between box and the services of the other ways.
extension World {
    func host(_ kind: WayKind) -> Int? { hosts.firstIndex { $0.kind == kind } }
    func host(named name: String) -> Int? { hosts.firstIndex { $0.name == name } }
    func host(at endpoint: Endpoint) -> Int? { hosts.firstIndex { $0.address == endpoint.address } }
    func host(of connection: ConnectionID) -> Int? {
        hosts.firstIndex { host in host.wires.contains { $0.connection == connection } }
    }

    /// What the clocks of services say; they are right.
    var serviceMoment: Moment { Moment(boot: now, wall: Self.wallStart + (now - .zero), isWallTrusted: true) }

    /// Lets a service act and carries out what it does.
    mutating func wayTurn(
        _ index: Int, _ act: (inout any WayPeer, Moment, inout [HTTPServiceAction]) -> Void
    ) {
        var actions: [HTTPServiceAction] = []
        act(&hosts[index].peer, serviceMoment, &actions)
        for action in actions {
            switch action {
            case .send(let peer, let bytes):
                guard let wire = hosts[index].wires.firstIndex(where: { $0.peer == peer }) else { continue }
                let arrival = max(now + wayDelay(index), hosts[index].wires[wire].lastToBox)
                hosts[index].wires[wire].lastToBox = arrival
                agenda.add(.input(run: run, .received(hosts[index].wires[wire].connection, bytes)), at: arrival)
            case .close(let peer): wayHangsUp(index, peer, .finished)
            case .reset(let peer): wayHangsUp(index, peer, .reset)
            case .listen(let isOn): hosts[index].isListening = isOn
            case .certificate, .trace: break
            }
        }
        for arrival in hosts[index].peer.takeArrivals() { arrived(arrival, by: hosts[index].kind) }
        if let next = hosts[index].peer.nextDeadline, hosts[index].timerAt.map({ next < $0 }) ?? true {
            let due = max(next, now)
            hosts[index].timerAt = due
            agenda.add(.wayTimer(hosts[index].kind, due), at: due)
        }
    }

    mutating func happens(_ happening: WayHappening, by kind: WayKind) {
        guard let index = host(kind) else { return }
        switch happening {
        case .hears(let peer, let bytes): wayTurn(index) { $0.received(peer, bytes, at: $1, into: &$2) }
        case .accepts(let peer): wayTurn(index) { $0.accepted(peer, at: $1, into: &$2) }
        case .loses(let peer): wayTurn(index) { $0.closed(peer, at: $1, into: &$2) }
        }
    }

    mutating func wayTimer(_ kind: WayKind, _ time: BootTime) {
        guard let index = host(kind), hosts[index].timerAt == time else { return }
        hosts[index].timerAt = nil
        wayTurn(index) { $0.timerFired(at: $1, into: &$2) }
    }

    private mutating func wayHangsUp(_ index: Int, _ peer: ConnectionID, _ end: ConnectionEnd) {
        guard let wire = hosts[index].wires.firstIndex(where: { $0.peer == peer }) else { return }
        let arrival = max(now + wayDelay(index), hosts[index].wires[wire].lastToBox)
        hosts[index].wires[wire].isOpen = false
        agenda.add(.input(run: run, .closed(hosts[index].wires[wire].connection, end)), at: arrival)
    }

    // MARK: What the box does

    mutating func openWay(_ connection: ConnectionID, _ index: Int) {
        guard hosts[index].backAt <= now else { return later(.closed(connection, .timedOut), in: .seconds(20)) }
        guard hosts[index].isListening else { return later(.closed(connection, .refused), in: wayDelay(index)) }
        nextWayPeer += 1
        hosts[index].wires.append(Wire(connection: connection, run: run, peer: ConnectionID(nextWayPeer)))
        let arrival = now + wayDelay(index)
        if !hosts[index].startsEncrypted { acceptWay(index, hosts[index].wires.count - 1, at: arrival) }
        agenda.add(.input(run: run, .connected(connection)), at: arrival)
    }

    private mutating func acceptWay(_ index: Int, _ wire: Int, at arrival: BootTime) {
        hosts[index].wires[wire].isOpen = true
        hosts[index].wires[wire].since = now
        hosts[index].wires[wire].lastToBox = arrival
        hosts[index].wires[wire].lastToPanel = arrival
        agenda.add(.way(hosts[index].kind, .accepts(hosts[index].wires[wire].peer)), at: arrival)
    }

    mutating func secureWay(_ connection: ConnectionID, _ index: Int) {
        guard let wire = hosts[index].wires.firstIndex(where: { $0.connection == connection }) else { return }
        if hosts[index].wires[wire].isOpen {
            // It was plain so far; its peer waits for the same.
            let arrival = max(now + wayDelay(index), hosts[index].wires[wire].lastToBox)
            hosts[index].wires[wire].lastToBox = arrival
            hosts[index].secured.append(connection)
            return agenda.add(.input(run: run, .secured(connection)), at: arrival)
        }
        if wayChance.next() % 40 == 0 {
            hosts[index].wires.remove(at: wire)
            return later(.closed(connection, .tls(.cutOff)), in: wayDelay(index))
        }
        let arrival = now + wayDelay(index)
        acceptWay(index, wire, at: arrival)
        agenda.add(.input(run: run, .secured(connection)), at: arrival)
    }

    mutating func sendWay(_ bytes: [UInt8], on connection: ConnectionID, _ index: Int) throws(Violation) {
        guard let wire = hosts[index].wires.firstIndex(where: { $0.connection == connection }) else { return }
        try checkSending(bytes, by: hosts[index].kind)
        try checkLogin(bytes, on: connection, hosts[index])
        guard hosts[index].wires[wire].isOpen else { return }
        let arrival = max(now + wayDelay(index), hosts[index].wires[wire].lastToPanel)
        hosts[index].wires[wire].lastToPanel = arrival
        agenda.add(.way(hosts[index].kind, .hears(hosts[index].wires[wire].peer, bytes)), at: arrival)
    }

    mutating func closeWay(_ connection: ConnectionID, _ index: Int) {
        guard let place = hosts[index].wires.firstIndex(where: { $0.connection == connection }) else { return }
        let wire = hosts[index].wires.remove(at: place)
        agenda.add(.way(hosts[index].kind, .loses(wire.peer)), at: max(now + wayDelay(index), wire.lastToPanel))
    }

    /// The process is gone: what it had sent still arrives, unless the power went.
    mutating func dropWayWires(silently: Bool) {
        for index in hosts.indices {
            for wire in hosts[index].wires {
                let arrival = max(now + wayDelay(index), wire.lastToPanel)
                agenda.add(
                    .way(hosts[index].kind, .loses(wire.peer)), at: silently ? arrival + .seconds(120) : arrival)
            }
            hosts[index].wires = []
            hosts[index].secured = []
            hosts[index].soundSince = max(hosts[index].soundSince, now)
        }
    }

    private mutating func wayDelay(_ index: Int) -> Duration {
        let latency = wayChance.duration(in: .milliseconds(5)..<(.milliseconds(120)))
        return hosts[index].backAt > now ? hosts[index].backAt - now + latency : latency
    }
}

/// Something that reaches a service.
enum WayHappening: Hashable, Sendable {
    case hears(ConnectionID, [UInt8])
    case accepts(ConnectionID)
    case loses(ConnectionID)
}
