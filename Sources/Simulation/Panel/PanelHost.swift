import AlarmModel
import ApplianceCore
import PanelLink
import Simulators

/// The module with its panel in the simulated network, and the wires between it and the box.
///
/// Guarantees: on a wire nothing arrives before what was sent before; what is sent while the wire stands arrives; no run
/// of the daemon hears what was said to another one.
struct PanelHost: Sendable {
    /// Bytes that the module has sent, whether or not anybody hears them.
    struct Said: Sendable {
        var peer: ConnectionID
        var bytes: [UInt8]
    }

    private(set) var panel: PanelSimulator
    private var listens = PanelSimulator.Listening.accept
    private var wires: [SimulatedWire] = []
    /// The network carries nothing before.
    private(set) var backAt = BootTime.zero
    /// When the module last said anything, heard or not.
    private var lastSaid = BootTime.zero
    /// When the last of it is at the box.
    private var lastArrival = BootTime.zero

    init(_ panel: PanelSimulator) { self.panel = panel }

    var isPaused: Bool { wires.contains(where: \.isPaused) }
    func has(_ connection: ConnectionID, run: Int) -> Bool { index(of: connection, run) != nil }

    /// No fault is on, and nothing waits.
    func isSound(at now: BootTime) -> Bool { backAt <= now && panel.faults == PanelFaults() && !isPaused }

    /// It is sound, nothing is under way, and nothing has changed for so long.
    func isQuiet(for span: Duration, at now: BootTime) -> Bool {
        isSound(at: now) && now - lastSaid > span && now > lastArrival + span
    }

    private func index(of connection: ConnectionID, _ run: Int) -> Int? {
        wires.firstIndex { $0.connection == connection && $0.run == run }
    }

    // MARK: What the module does

    /// Lets the panel act and carries out what it does.
    mutating func turn(
        at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda,
        _ act: (inout PanelSimulator, BootTime, inout [PanelSimulator.Action]) -> Void
    ) -> [Said] {
        var actions: [PanelSimulator.Action] = []
        var said: [Said] = []
        act(&panel, here.now, &actions)
        for action in actions {
            switch action {
            case .send(let peer, let bytes):
                lastSaid = here.now
                said.append(Said(peer: peer, bytes: bytes))
                deliver(bytes, from: peer, at: here, &chance, &agenda)
            case .close(let peer): hangUp(peer, .finished, at: here, &chance, &agenda)
            case .reset(let peer): hangUp(peer, .reset, at: here, &chance, &agenda)
            case .stopReading, .resumeReading: break
            case .listen(let listening): listens = listening
            }
        }
        if let next = panel.nextDeadline { agenda.add(.panelTimer, at: max(next, here.now)) }
        return said
    }

    /// What a silent module had to say is lost, and TCP loses nothing without the connection: it ends with a reset.
    func endsSilence(_ stimulus: PanelSimulator.Stimulus) -> Bool {
        panel.faults.silent != .off && (stimulus == .fault(.none) || stimulus == .fault(.silent(.off)))
    }

    private mutating func deliver(
        _ bytes: [UInt8], from peer: ConnectionID, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard let index = wires.firstIndex(where: { $0.peer == peer && $0.isOpen }), wires[index].run == here.run else {
            return
        }
        if wires[index].isPaused { return wires[index].held.append(bytes) }
        let arrival = max(here.now + delay(at: here.now, &chance), wires[index].lastToBox)
        wires[index].lastToBox = arrival
        lastArrival = max(lastArrival, arrival)
        agenda.add(.input(run: here.run, .received(wires[index].connection, bytes)), at: arrival)
    }

    private mutating func hangUp(
        _ peer: ConnectionID, _ end: ConnectionEnd, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) {
        guard let index = wires.firstIndex(where: { $0.peer == peer }) else { return }
        let wire = wires.remove(at: index)
        guard wire.run == here.run else { return }
        let arrival = max(here.now + delay(at: here.now, &chance), wire.lastToBox)
        agenda.add(.input(run: here.run, .closed(wire.connection, end)), at: arrival)
    }

    // MARK: What the box does

    mutating func open(
        _ connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        let peer = ConnectionID(UInt64(here.run) << 24 | connection.number)
        let arrival = here.now + delay(at: here.now, &chance)
        switch listens {
        case .refuse: return agenda.add(.input(run: here.run, .closed(connection, .refused)), at: arrival)
        case .drop:
            return agenda.add(.input(run: here.run, .closed(connection, .timedOut)), at: here.now + .seconds(130))
        case .accept: break
        }
        var wire = SimulatedWire(connection: connection, run: here.run, peer: peer, isOpen: true)
        wire.lastToBox = arrival
        wire.lastToPeer = arrival
        wires.append(wire)
        agenda.add(.input(run: here.run, .connected(connection)), at: arrival)
        agenda.add(.panelAccepts(peer), at: arrival)
    }

    mutating func send(
        _ bytes: [UInt8], on connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) {
        let delay = delay(at: here.now, &chance)
        guard let index = index(of: connection, here.run), wires[index].isOpen else { return }
        let arrival = max(here.now + delay, wires[index].lastToPeer)
        wires[index].lastToPeer = arrival
        agenda.add(.panelHears(wires[index].peer, bytes), at: arrival)
    }

    mutating func pause(_ connection: ConnectionID, run: Int) {
        if let index = index(of: connection, run) { wires[index].isPaused = true }
    }

    mutating func resume(
        _ connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard let index = index(of: connection, here.run) else { return }
        let wire = wires[index]
        wires[index].isPaused = false
        wires[index].held = []
        for bytes in wire.held { deliver(bytes, from: wire.peer, at: here, &chance, &agenda) }
    }

    /// The box closes: the module hears of it after everything that was sent before.
    mutating func close(
        _ connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard let index = index(of: connection, here.run) else { return }
        let wire = wires.remove(at: index)
        agenda.add(
            .panelLoses(wire.peer, .finished), at: max(here.now + delay(at: here.now, &chance), wire.lastToPeer))
    }

    /// The process is gone: its connections end, or stay half open when the power went.
    mutating func drop(silently: Bool, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda) {
        for wire in wires where wire.isOpen {
            let arrival = max(now + delay(at: now, &chance), wire.lastToPeer)
            agenda.add(
                .panelLoses(wire.peer, silently ? .timedOut : .finished),
                at: silently ? arrival + .seconds(120) : arrival)
        }
        wires = []
    }

    // MARK: What befalls

    mutating func cut(until time: BootTime) { backAt = max(backAt, time) }
    mutating func mend(at now: BootTime) { backAt = now }

    private func delay(at now: BootTime, _ chance: inout Jitter) -> Duration {
        let latency = chance.duration(in: .milliseconds(1)..<(.milliseconds(20)))
        return backAt > now ? backAt - now + latency : latency
    }
}
