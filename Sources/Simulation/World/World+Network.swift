import AlarmModel
import ApplianceCore
import PanelLink

/// The wire between box and module.
extension World {
    /// Lets the panel act and carries out what it does.
    mutating func panelTurn(_ act: (inout PanelSimulator, BootTime, inout [PanelSimulator.Action]) -> Void) {
        var actions: [PanelSimulator.Action] = []
        act(&panel, now, &actions)
        for action in actions {
            switch action {
            case .send(let peer, let bytes):
                checks.panelSent(bytes, at: now)
                phoneChecks.panelSays(bytes, on: peer)
                deliver(bytes, from: peer)
            case .close(let peer): hangUp(peer, .finished)
            case .reset(let peer): hangUp(peer, .reset)
            case .stopReading, .resumeReading: break
            case .listen(let listening): panelListens = listening
            }
        }
        if let next = panel.nextDeadline { agenda.add(.panelTimer, at: max(next, now)) }
    }

    mutating func withWire(_ connection: ConnectionID, _ change: (inout Wire) -> Void) {
        guard let index = wires.firstIndex(where: { $0.connection == connection && $0.run == run }) else { return }
        change(&wires[index])
    }

    mutating func open(_ connection: ConnectionID) {
        let peer = ConnectionID(UInt64(run) << 24 | connection.number)
        let latency = networkDelay()
        switch panelListens {
        case .refuse: return later(.closed(connection, .refused), in: latency)
        case .drop: return later(.closed(connection, .timedOut), in: .seconds(130))
        case .accept: break
        }
        wires.append(Wire(connection: connection, run: run, peer: peer, isOpen: true))
        let arrival = now + latency
        withWire(connection) {
            $0.lastToBox = arrival
            $0.lastToPanel = arrival
        }
        agenda.add(.input(run: run, .connected(connection)), at: arrival)
        agenda.add(.panelAccepts(peer), at: arrival)
    }

    mutating func send(_ bytes: [UInt8], on connection: ConnectionID) {
        let delay = networkDelay()
        let time = now
        var peer: ConnectionID?
        var arrival = now
        withWire(connection) {
            guard $0.isOpen else { return }
            arrival = max(time + delay, $0.lastToPanel)
            $0.lastToPanel = arrival
            peer = $0.peer
        }
        if let peer { agenda.add(.panelHears(peer, bytes), at: arrival) }
    }

    private mutating func deliver(_ bytes: [UInt8], from peer: ConnectionID) {
        guard let index = wires.firstIndex(where: { $0.peer == peer && $0.isOpen }), wires[index].run == run else {
            return
        }
        if wires[index].isPaused { return wires[index].held.append(bytes) }
        let arrival = max(now + networkDelay(), wires[index].lastToBox)
        wires[index].lastToBox = arrival
        checks.underWay(until: arrival)
        agenda.add(.input(run: run, .received(wires[index].connection, bytes)), at: arrival)
    }

    private mutating func hangUp(_ peer: ConnectionID, _ end: ConnectionEnd) {
        guard let index = wires.firstIndex(where: { $0.peer == peer }) else { return }
        let wire = wires.remove(at: index)
        guard wire.run == run else { return }
        let arrival = max(now + networkDelay(), wire.lastToBox)
        agenda.add(.input(run: run, .closed(wire.connection, end)), at: arrival)
    }

    mutating func resume(_ connection: ConnectionID) {
        var held: [[UInt8]] = []
        var peer: ConnectionID?
        withWire(connection) {
            $0.isPaused = false
            held = $0.held
            $0.held = []
            peer = $0.peer
        }
        guard let peer else { return }
        for bytes in held { deliver(bytes, from: peer) }
    }

    /// The box closes: the module hears of it after everything that was sent before.
    mutating func close(_ connection: ConnectionID) {
        guard let index = wires.firstIndex(where: { $0.connection == connection && $0.run == run }) else { return }
        let wire = wires.remove(at: index)
        agenda.add(.panelLoses(wire.peer, .finished), at: max(now + networkDelay(), wire.lastToPanel))
    }

    /// The process is gone: its connections end, or stay half open when the power went.
    mutating func dropWires(silently: Bool) {
        for wire in wires where wire.isOpen {
            let arrival = max(now + networkDelay(), wire.lastToPanel)
            agenda.add(
                .panelLoses(wire.peer, silently ? .timedOut : .finished),
                at: silently ? arrival + .seconds(120) : arrival)
        }
        wires = []
    }

    private mutating func networkDelay() -> Duration {
        let latency = chance.duration(in: .milliseconds(1)..<(.milliseconds(20)))
        return networkBackAt > now ? networkBackAt - now + latency : latency
    }
}
