import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators

/// What goes over its wires, and what befalls it.
extension ChannelHost {
    func has(_ connection: ConnectionID) -> Bool { index(of: connection) != nil }
    private func index(of connection: ConnectionID) -> Int? { wires.firstIndex { $0.connection == connection } }

    /// Since when nothing is wrong with it; nil: something is.
    func sound(at now: BootTime) -> BootTime? { isFaulty || isTakenOut || backAt > now ? nil : max(soundSince, backAt) }

    // MARK: What the service does

    mutating func turn(
        at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda,
        _ act: (inout any ChannelPeer, Moment, inout [HTTPServiceAction]) -> Void
    ) -> [Arrival] {
        var actions: [HTTPServiceAction] = []
        act(&peer, SimulatedClock.right(at: here.now), &actions)
        for action in actions {
            switch action {
            case .send(let peer, let bytes):
                guard let wire = wires.firstIndex(where: { $0.peer == peer }) else { continue }
                let arrival = max(here.now + delay(at: here.now, &chance), wires[wire].lastToBox)
                wires[wire].lastToBox = arrival
                agenda.add(.input(run: here.run, .received(wires[wire].connection, bytes)), at: arrival)
            case .close(let peer): hangUp(peer, .finished, at: here, &chance, &agenda)
            case .reset(let peer): hangUp(peer, .reset, at: here, &chance, &agenda)
            case .listen(let isOn): isListening = isOn
            case .certificate, .trace: break
            }
        }
        return peer.takeArrivals()
    }

    private mutating func hangUp(
        _ peer: ConnectionID, _ end: ConnectionEnd, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) {
        guard let wire = wires.firstIndex(where: { $0.peer == peer }) else { return }
        let arrival = max(here.now + delay(at: here.now, &chance), wires[wire].lastToBox)
        wires[wire].isOpen = false
        agenda.add(.input(run: here.run, .closed(wires[wire].connection, end)), at: arrival)
    }

    mutating func setTimer(at now: BootTime, _ agenda: inout Agenda) {
        guard let next = peer.nextDeadline, timerAt.map({ next < $0 }) ?? true else { return }
        let due = max(next, now)
        timerAt = due
        agenda.add(.channelTimer(kind, due), at: due)
    }

    /// False for a timer that was set anew meanwhile.
    mutating func takesTimer(_ time: BootTime) -> Bool {
        guard timerAt == time else { return false }
        timerAt = nil
        return true
    }

    // MARK: What the box does

    /// - Parameter peer: how the service names it
    /// - Returns: whether it took it
    mutating func open(
        _ connection: ConnectionID, _ peer: ConnectionID, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) -> Bool {
        guard backAt <= here.now else {
            agenda.add(.input(run: here.run, .closed(connection, .timedOut)), at: here.now + .seconds(20))
            return false
        }
        let arrival = here.now + delay(at: here.now, &chance)
        guard isListening else {
            agenda.add(.input(run: here.run, .closed(connection, .refused)), at: arrival)
            return false
        }
        wires.append(SimulatedWire(connection: connection, run: here.run, peer: peer))
        if !startsEncrypted { accept(wires.count - 1, arrival, at: here.now, &agenda) }
        agenda.add(.input(run: here.run, .connected(connection)), at: arrival)
        return true
    }

    private mutating func accept(_ wire: Int, _ arrival: BootTime, at now: BootTime, _ agenda: inout Agenda) {
        wires[wire].isOpen = true
        wires[wire].since = now
        wires[wire].lastToBox = arrival
        wires[wire].lastToPeer = arrival
        agenda.add(.channel(kind, .accepts(wires[wire].peer)), at: arrival)
    }

    mutating func secure(
        _ connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard let wire = index(of: connection) else { return }
        if wires[wire].isOpen {
            // It was plain so far; its peer waits for the same.
            let arrival = max(here.now + delay(at: here.now, &chance), wires[wire].lastToBox)
            wires[wire].lastToBox = arrival
            secured.append(connection)
            return agenda.add(.input(run: here.run, .secured(connection)), at: arrival)
        }
        let isCutOff = chance.next() % 40 == 0
        let arrival = here.now + delay(at: here.now, &chance)
        if isCutOff {
            wires.remove(at: wire)
            return agenda.add(.input(run: here.run, .closed(connection, .tls(.cutOff))), at: arrival)
        }
        accept(wire, arrival, at: here.now, &agenda)
        agenda.add(.input(run: here.run, .secured(connection)), at: arrival)
    }

    mutating func send(
        _ bytes: [UInt8], on connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) {
        guard let wire = index(of: connection), wires[wire].isOpen else { return }
        let arrival = max(here.now + delay(at: here.now, &chance), wires[wire].lastToPeer)
        wires[wire].lastToPeer = arrival
        agenda.add(.channel(kind, .hears(wires[wire].peer, bytes)), at: arrival)
    }

    mutating func close(
        _ connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard let place = index(of: connection) else { return }
        let wire = wires.remove(at: place)
        agenda.add(
            .channel(kind, .loses(wire.peer)), at: max(here.now + delay(at: here.now, &chance), wire.lastToPeer))
    }

    /// The box has heard that it is over.
    mutating func forget(_ connection: ConnectionID) { wires.removeAll { $0.connection == connection } }

    /// The process is gone: what it had sent still arrives, unless the power went.
    mutating func drop(silently: Bool, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda) {
        for wire in wires {
            let arrival = max(now + delay(at: now, &chance), wire.lastToPeer)
            agenda.add(.channel(kind, .loses(wire.peer)), at: silently ? arrival + .seconds(120) : arrival)
        }
        wires = []
        secured = []
        soundSince = max(soundSince, now)
    }

    private func delay(at now: BootTime, _ chance: inout Jitter) -> Duration {
        let latency = chance.duration(in: .milliseconds(5)..<(.milliseconds(120)))
        return backAt > now ? backAt - now + latency : latency
    }

    // MARK: What befalls

    mutating func cut(until time: BootTime) { backAt = max(backAt, time) }

    mutating func suffers(_ fault: PeerFault, at now: BootTime) {
        isFaulty = fault.isMoment ? isFaulty && fault != .off : true
        soundSince = now
    }

    mutating func takeOut(_ isOut: Bool, at now: BootTime) {
        isTakenOut = isOut
        soundSince = now
        if !isOut { backInAt = now }
    }

    mutating func mend(at now: BootTime) {
        backAt = now
        isFaulty = false
        soundSince = now
    }
}
