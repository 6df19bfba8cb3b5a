import AlarmModel
import ApplianceCore
import Simulators

/// The push service (CCS) in the simulated network, and the wires between it and the box.
///
/// Guarantees: on a wire nothing arrives before what was sent before, and nothing of what one side sent before it closed
/// is lost; the service acts when it is due and once for each time.
struct PushHost: Sendable {
    private(set) var push: PushSimulator
    private(set) var wires: [SimulatedWire] = []
    /// The way there carries nothing before.
    private(set) var backAt = BootTime.zero
    private var isListening = true
    private var timerAt: BootTime?

    init(_ push: PushSimulator) { self.push = push }

    func has(_ connection: ConnectionID) -> Bool { index(of: connection) != nil }
    private func index(of connection: ConnectionID) -> Int? { wires.firstIndex { $0.connection == connection } }

    // MARK: What the service does

    /// Lets it act. What comes of it is given to `carryOut`, one by one, and then its timer is set.
    mutating func actions(
        at now: BootTime, _ act: (inout PushSimulator, BootTime, inout [PushSimulator.Action]) -> Void
    ) -> [PushSimulator.Action] {
        var actions: [PushSimulator.Action] = []
        act(&push, now, &actions)
        return actions
    }

    /// What it does to its wires; the rest is not for the box.
    mutating func carryOut(
        _ action: PushSimulator.Action, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        switch action {
        case .send(let peer, let bytes):
            guard let index = wires.firstIndex(where: { $0.peer == peer }) else { return }
            let arrival = max(here.now + delay(at: here.now, &chance), wires[index].lastToBox)
            wires[index].lastToBox = arrival
            agenda.add(.input(run: here.run, .received(wires[index].connection, bytes)), at: arrival)
        case .close(let peer): hangUp(peer, .finished, at: here, &chance, &agenda)
        case .reset(let peer): hangUp(peer, .reset, at: here, &chance, &agenda)
        case .listen(let listening): isListening = listening == .accept
        case .stopReading, .resumeReading, .certificate, .wire, .heard, .deliver, .deletedMessages, .sendFailed,
            .channelUp, .tokenChanged:
            break
        }
    }

    private mutating func hangUp(
        _ peer: ConnectionID, _ end: ConnectionEnd, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) {
        guard let index = wires.firstIndex(where: { $0.peer == peer }) else { return }
        let arrival = max(here.now + delay(at: here.now, &chance), wires[index].lastToBox)
        wires[index].isOpen = false
        agenda.add(.input(run: here.run, .closed(wires[index].connection, end)), at: arrival)
    }

    mutating func setTimer(at now: BootTime, _ agenda: inout Agenda) {
        guard let next = push.nextDeadline, timerAt.map({ next < $0 }) ?? true else { return }
        let due = max(next, now)
        timerAt = due
        agenda.add(.pushTimer(due), at: due)
    }

    /// False for a timer that was set anew meanwhile.
    mutating func takesTimer(_ time: BootTime) -> Bool {
        guard timerAt == time else { return false }
        timerAt = nil
        return true
    }

    // MARK: What the box does

    mutating func open(
        _ connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard backAt <= here.now else {
            return agenda.add(
                .input(run: here.run, .closed(connection, .timedOut)), at: here.now + .seconds(20))
        }
        let arrival = here.now + delay(at: here.now, &chance)
        guard isListening else {
            return agenda.add(.input(run: here.run, .closed(connection, .refused)), at: arrival)
        }
        let peer = ConnectionID(UInt64(here.run) << 32 | connection.number)
        wires.append(SimulatedWire(connection: connection, run: here.run, peer: peer))
        agenda.add(.input(run: here.run, .connected(connection)), at: arrival)
    }

    mutating func secure(
        _ connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard let index = index(of: connection) else { return }
        let isCutOff = chance.next() % 20 == 0
        let arrival = here.now + delay(at: here.now, &chance)
        if isCutOff {
            wires.remove(at: index)
            return agenda.add(.input(run: here.run, .closed(connection, .tls(.cutOff))), at: arrival)
        }
        wires[index].isOpen = true
        wires[index].since = here.now
        wires[index].lastToBox = arrival
        wires[index].lastToPeer = arrival
        agenda.add(.pushAccepts(wires[index].peer), at: arrival)
        agenda.add(.input(run: here.run, .secured(connection)), at: arrival)
    }

    mutating func send(
        _ bytes: [UInt8], on connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) {
        guard let index = index(of: connection) else { return }
        let arrival = max(here.now + delay(at: here.now, &chance), wires[index].lastToPeer)
        wires[index].lastToPeer = arrival
        agenda.add(.pushHears(wires[index].peer, bytes), at: arrival)
    }

    mutating func close(
        _ connection: ConnectionID, at here: Standpoint, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard let index = index(of: connection) else { return }
        let wire = wires.remove(at: index)
        agenda.add(.pushLoses(wire.peer), at: max(here.now + delay(at: here.now, &chance), wire.lastToPeer))
    }

    /// The box has heard that it is over.
    mutating func forget(_ connection: ConnectionID) { wires.removeAll { $0.connection == connection } }

    /// The process is gone: what it had sent still arrives, unless the power went.
    mutating func drop(silently: Bool, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda) {
        for wire in wires {
            let arrival = max(now + delay(at: now, &chance), wire.lastToPeer)
            agenda.add(.pushLoses(wire.peer), at: silently ? arrival + .seconds(120) : arrival)
        }
        wires = []
    }

    // MARK: What befalls

    mutating func cut(until time: BootTime) { backAt = max(backAt, time) }
    mutating func mend(at now: BootTime) { backAt = now }

    private func delay(at now: BootTime, _ chance: inout Jitter) -> Duration {
        let latency = chance.duration(in: .milliseconds(10)..<(.milliseconds(150)))
        return backAt > now ? backAt - now + latency : latency
    }

    // MARK: What it has to say of the box

    /// What the service counted that a box must not do.
    func check(from here: Standpoint) throws(Violation) {
        let tally = push.tally
        guard tally.beyondWindow == 0 else {
            throw here.broken(.windowIsKept, "a message was sent while \(tally.widestWindow) waited for their answer")
        }
        // Stream errors are not counted: the box may end a stream while the word that it is over is still under way.
        let faults = tally.strayAcknowledgements + tally.badAcknowledgements + tally.stanzaErrors
        guard faults == 0 else { throw here.broken(.acksAreOwed, "\(tally)") }
    }

    /// The newest wire has stood for so long, and nothing keeps the service from answering on it.
    func isSound(for span: Duration, at now: BootTime) -> Bool {
        guard backAt <= now, let wire = wires.last, wire.isOpen, now - wire.since > span,
            let connection = push.connections.first(where: { $0.id == wire.peer })
        else { return false }
        return connection.stage == .ready && connection.silence == .off && !connection.isDraining
    }
}
