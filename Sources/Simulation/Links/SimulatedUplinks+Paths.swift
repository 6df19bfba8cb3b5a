import AlarmModel
import ApplianceCore
import Uplinks

/// The paths of the connections to the push service.
extension SimulatedUplinks {
    private static func peer(of connection: ConnectionID, in run: Int) -> ConnectionID {
        ConnectionID(UInt64(run) << 32 | connection.number)
    }

    /// Chooses the path; true when there is none.
    mutating func opensInVain(
        _ connection: ConnectionID, by link: Link, at here: Standpoint, _ agenda: inout Agenda
    ) -> Bool {
        guard let index = route(link, at: here.now), let source = links[index].address else {
            agenda.add(.input(run: here.run, .closed(connection, .unreachable)), at: here.now + .milliseconds(1))
            return true
        }
        var path = Path(peer: Self.peer(of: connection, in: here.run), link: index, source: source)
        path.deadSince = links[index].carries(at: here.now) ? nil : here.now
        paths.append(path)
        return false
    }

    mutating func count(_ bytes: Int, on connection: ConnectionID, run: Int) {
        guard let index = path(of: Self.peer(of: connection, in: run)) else { return }
        links[paths[index].link].traffic += UInt64(bytes) + 40
    }

    /// The box closes it: what waits for it there is heard by nobody, the other side may still hear what was sent.
    mutating func leavePath(of connection: ConnectionID, run: Int) {
        guard let index = path(of: Self.peer(of: connection, in: run)) else { return }
        paths[index].held.removeAll { if case .input = $0 { true } else { false } }
    }

    /// What is under way on a path that carries nothing waits until it does; where the address is gone it is lost.
    mutating func holdsUp(_ happening: Happening, at now: BootTime) -> Bool {
        guard let peer = Self.traveller(happening), let index = path(of: peer) else { return false }
        let path = paths[index]
        if path.isBroken {
            // The other side gives up some time.
            if case .pushLoses = happening { return false }
            return true
        }
        let isSwallowed = links[path.link].swallows(at: now) && happening.bringsBytes
        guard path.deadSince != nil || isSwallowed || !path.held.isEmpty else { return false }
        paths[index].held.append(happening)
        return true
    }

    /// On which connection to the push service it travels.
    private static func traveller(_ happening: Happening) -> ConnectionID? {
        switch happening {
        case .pushHears(let peer, _), .pushAccepts(let peer), .pushLoses(let peer): return peer
        case .input(let target, let input):
            switch input {
            case .connected(let connection), .secured(let connection), .received(let connection, _),
                .closed(let connection, .finished), .closed(let connection, .reset):
                guard World.isPush(connection), !isProbe(connection) else { return nil }
                return peer(of: connection, in: target)
            case .started, .resolved, .sent, .closed, .accepted, .request, .badRequest, .timer, .committed,
                .commitFailed, .rows, .vault, .computed, .derived, .located, .links, .modem, .found, .reload, .signal:
                return nil
            }
        case .panelHears, .panelAccepts, .panelLoses, .panelTimer, .timer, .synced, .fault, .boot, .diskHeals,
            .pushTimer, .pushTakes, .phoneHears, .phoneTimer, .phoneFault, .pairingCheck, .channel, .channelTimer,
            .channelFault, .codeUse, .linkFault, .linksChange, .modemFault, .modemWork, .modemChanges, .watchdogLook,
            .followerReturns, .consoleTry:
            return nil
        }
    }

    /// What waited on a path goes on where the path carries again.
    mutating func lookAtPaths(at now: BootTime, _ agenda: inout Agenda) {
        for index in paths.indices {
            let path = paths[index]
            let link = links[path.link]
            // The next data connection of a modem has another address.
            if link.address != path.source || link.isDetached { paths[index].isBroken = true }
            let isDead = paths[index].isBroken || !link.carries(at: now)
            paths[index].deadSince = isDead ? path.deadSince ?? now : nil
            if !isDead && !link.swallows(at: now) || paths[index].isBroken {
                for happening in path.held { agenda.add(happening, at: now) }
                paths[index].held = []
            }
        }
    }
}

extension Happening {
    /// Bytes of a connection that stands arrive, and not only its opening.
    fileprivate var bringsBytes: Bool {
        switch self {
        case .pushHears, .input(_, .received): true
        case _: false
        }
    }
}
