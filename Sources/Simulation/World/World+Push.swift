import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// The wire between box and push service.
extension World {
    static let firstPush: UInt64 = 1 << 24

    func isPush(_ connection: ConnectionID) -> Bool {
        connection.number >= Self.firstPush && connection < Appliance.firstClient
    }

    /// Lets the push service act and carries out what it does.
    mutating func pushTurn(_ act: (inout PushSimulator, BootTime, inout [PushSimulator.Action]) -> Void) {
        var actions: [PushSimulator.Action] = []
        act(&push, now, &actions)
        for action in actions {
            switch action {
            case .send(let peer, let bytes):
                phoneChecks.serviceSays(bytes)
                guard let index = pushWires.firstIndex(where: { $0.peer == peer }) else { continue }
                let arrival = max(now + pushDelay(), pushWires[index].lastToBox)
                pushWires[index].lastToBox = arrival
                agenda.add(.input(run: run, .received(pushWires[index].connection, bytes)), at: arrival)
            case .close(let peer): pushHangsUp(peer, .finished)
            case .reset(let peer): pushHangsUp(peer, .reset)
            case .stopReading, .resumeReading, .certificate, .wire, .heard: break
            case .listen(let listening): isPushListening = listening == .accept
            case .deliver(let token, let delivery): deliver(delivery.data, to: token)
            case .deletedMessages(let token): tell(token, .object(["deleted": .bool(true)]))
            case .sendFailed(let token, let id, let code):
                tell(
                    token,
                    .object(["error": .object(["id": .string(id), "code": .integer(Int64(code))])]))
            case .channelUp(let token): tell(token, .object(["ready": .bool(true)]))
            case .tokenChanged(let old, let new):
                guard let index = phones.firstIndex(where: { $0.token == old }) else { continue }
                phones[index].token = new
                if let fcm = host(.fcm) {
                    channelTurn(fcm, FCMSimulator.self) { server, _, _ in server.settings.unregistered.append(old) }
                }
                tell(new, .object(["token": .string(new)]))
            }
        }
        if let next = push.nextDeadline, pushTimerAt.map({ next < $0 }) ?? true {
            pushTimerAt = max(next, now)
            agenda.add(.pushTimer(max(next, now)), at: max(next, now))
        }
    }

    private mutating func pushHangsUp(_ peer: ConnectionID, _ end: ConnectionEnd) {
        guard let index = pushWires.firstIndex(where: { $0.peer == peer }) else { return }
        let wire = pushWires[index]
        let arrival = max(now + pushDelay(), wire.lastToBox)
        pushWires[index].isOpen = false
        agenda.add(.input(run: run, .closed(wire.connection, end)), at: arrival)
    }

    mutating func openPush(_ connection: ConnectionID) {
        guard pushBackAt <= now else { return later(.closed(connection, .timedOut), in: .seconds(20)) }
        guard isPushListening else { return later(.closed(connection, .refused), in: pushDelay()) }
        pushWires.append(
            SimulatedWire(connection: connection, run: run, peer: ConnectionID(UInt64(run) << 32 | connection.number)))
        later(.connected(connection), in: pushDelay())
    }

    mutating func securePush(_ connection: ConnectionID) {
        guard let index = pushWires.firstIndex(where: { $0.connection == connection }) else { return }
        if phoneChance.next() % 20 == 0 {
            pushWires.remove(at: index)
            return later(.closed(connection, .tls(.cutOff)), in: pushDelay())
        }
        pushWires[index].isOpen = true
        pushWires[index].since = now
        let arrival = now + pushDelay()
        pushWires[index].lastToBox = arrival
        pushWires[index].lastToPeer = arrival
        agenda.add(.pushAccepts(pushWires[index].peer), at: arrival)
        agenda.add(.input(run: run, .secured(connection)), at: arrival)
    }

    mutating func sendPush(_ bytes: [UInt8], on connection: ConnectionID) throws(Violation) {
        guard let index = pushWires.firstIndex(where: { $0.connection == connection }) else { return }
        try checkSending(bytes, on: connection)
        let arrival = max(now + pushDelay(), pushWires[index].lastToPeer)
        pushWires[index].lastToPeer = arrival
        agenda.add(.pushHears(pushWires[index].peer, bytes), at: arrival)
    }

    mutating func closePush(_ connection: ConnectionID) {
        guard let index = pushWires.firstIndex(where: { $0.connection == connection }) else { return }
        let wire = pushWires.remove(at: index)
        agenda.add(.pushLoses(wire.peer), at: max(now + pushDelay(), wire.lastToPeer))
    }

    /// The process is gone: what it had sent still arrives, unless the power went.
    mutating func dropPushWires(silently: Bool) {
        for wire in pushWires {
            let arrival = max(now + pushDelay(), wire.lastToPeer)
            agenda.add(.pushLoses(wire.peer), at: silently ? arrival + .seconds(120) : arrival)
        }
        pushWires = []
    }

    private mutating func pushDelay() -> Duration {
        let latency = phoneChance.duration(in: .milliseconds(10)..<(.milliseconds(150)))
        return pushBackAt > now ? pushBackAt - now + latency : latency
    }
}
