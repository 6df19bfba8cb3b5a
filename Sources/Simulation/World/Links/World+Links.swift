import AlarmModel
import ApplianceCore
import Uplinks

/// The links, where the house has some: which carry what, and which probes are answered.
extension World {
    mutating func drawLinkFaults(for span: Duration) {
        guard var uplinks else { return }
        for (time, fault) in LinkFault.draw(for: span, from: &uplinks.chance, links: uplinks.links.count) {
            agenda.add(.linkFault(fault), at: time)
        }
        self.uplinks = uplinks
    }

    // MARK: Orders of the core

    /// True when the order concerns links and nothing is left to do for it.
    mutating func carriedOutByLinks(_ effect: Effect) -> Bool {
        guard uplinks != nil else { return false }
        switch effect {
        case .watchLinks(let interfaces):
            if uplinks?.watchRun != run { uplinks?.probes = [] }
            uplinks?.watched = interfaces
            uplinks?.watchRun = run
            tellLinks()
        case .readLinks: tellLinks()
        case .resolve(let id, _, let link): return resolve(id, by: link)
        case .open(let connection, let endpoint, let link) where Self.isProbe(connection):
            probe(connection, endpoint, by: link)
        case .close(let connection) where Self.isProbe(connection): uplinks?.probes.removeAll { $0 == connection }
        case .open(let connection, _, let link) where isPush(connection): return isOpenedInVain(connection, by: link)
        case .close(let connection) where isPush(connection):
            leavePath(of: connection)
            return false
        case .send(let connection, let bytes) where isPush(connection):
            count(bytes.count, on: connection)
            return false
        case .useNameServers, .modem, .update, .stick: break
        case .open, .openLocal, .startTLS, .send, .pause, .resume, .close, .commit, .read, .readMessages, .setTimer,
            .reply, .vault, .compute, .derive, .locate, .notify, .log, .reboot, .healthy, .finish:
            return false
        }
        return true
    }

    static func isProbe(_ connection: ConnectionID) -> Bool {
        connection >= Appliance.firstProbe && connection < Appliance.firstClient
    }

    private mutating func tellLinks() {
        guard let uplinks, uplinks.watchRun == run else { return }
        let facts = uplinks.watched.compactMap { name in
            uplinks.links.first { $0.interface == name }?.facts(at: now)
        }
        self.uplinks?.told = facts
        later(.links(facts), in: .milliseconds(3))
    }

    /// A link that carries nothing gives no answer.
    private mutating func resolve(_ id: ResolveID, by link: Link) -> Bool {
        guard var uplinks else { return false }
        let isOfPanel = id.number < Self.firstPush
        if isOfPanel { return false }
        let index = uplinks.route(link, at: now)
        let isProbe = id.number >= Appliance.firstProbe.number
        if let index, uplinks.links[index].carries(at: now), uplinks.links[index].namesDeadUntil <= now {
            guard isProbe else { return false }
            uplinks.links[index].traffic += 250
            later(.resolved(id, .failed(.notFound)), in: uplinks.links[index].latency * 2)
        } else {
            later(.resolved(id, .failed(.timedOut)), in: .seconds(5))
        }
        self.uplinks = uplinks
        return true
    }

    private mutating func probe(_ connection: ConnectionID, _ endpoint: Endpoint, by link: Link) {
        guard var uplinks else { return }
        uplinks.probes.append(connection)
        guard let index = uplinks.route(link, at: now) else {
            self.uplinks = uplinks
            return later(.closed(connection, .unreachable), in: .milliseconds(1))
        }
        uplinks.links[index].traffic += 500
        let target = uplinks.targets.firstIndex { $0.host == endpoint.address }
        if uplinks.links[index].carries(at: now), let target, uplinks.targetsDeadUntil[target] <= now {
            later(
                .connected(connection),
                in: uplinks.links[index].latency * 2
                    + uplinks.chance.duration(in: .milliseconds(1)..<(.milliseconds(300))))
        }
        self.uplinks = uplinks
    }

    // MARK: Connections

    private func peer(of connection: ConnectionID, in run: Int) -> ConnectionID {
        ConnectionID(UInt64(run) << 32 | connection.number)
    }

    /// Chooses the path; true when there is none.
    private mutating func isOpenedInVain(_ connection: ConnectionID, by link: Link) -> Bool {
        guard let uplinks else { return false }
        guard let index = uplinks.route(link, at: now), let source = uplinks.links[index].address else {
            later(.closed(connection, .unreachable), in: .milliseconds(1))
            return true
        }
        var path = SimulatedUplinks.Path(peer: peer(of: connection, in: run), link: index, source: source)
        path.deadSince = uplinks.links[index].carries(at: now) ? nil : now
        self.uplinks?.paths.append(path)
        return false
    }

    private mutating func count(_ bytes: Int, on connection: ConnectionID) {
        guard let index = uplinks?.path(of: peer(of: connection, in: run)), let link = uplinks?.paths[index].link
        else { return }
        uplinks?.links[link].traffic += UInt64(bytes) + 40
    }

    /// The box closes it: what waits for it there is heard by nobody, the other side may still hear what was sent.
    private mutating func leavePath(of connection: ConnectionID) {
        guard let index = uplinks?.path(of: peer(of: connection, in: run)) else { return }
        uplinks?.paths[index].held.removeAll { if case .input = $0 { true } else { false } }
    }

    /// What is under way on a path that carries nothing waits until it does; where the address is gone it is lost.
    mutating func isHeldUp(_ happening: Happening) -> Bool {
        guard let uplinks, let peer = traveller(happening), let index = uplinks.path(of: peer) else { return false }
        let path = uplinks.paths[index]
        if path.isBroken {
            // The other side gives up some time.
            if case .pushLoses = happening { return false }
            return true
        }
        let isSwallowed = uplinks.links[path.link].swallows(at: now) && happening.bringsBytes
        guard path.deadSince != nil || isSwallowed || !path.held.isEmpty else { return false }
        self.uplinks?.paths[index].held.append(happening)
        return true
    }

    /// On which connection to the push service it travels.
    private func traveller(_ happening: Happening) -> ConnectionID? {
        switch happening {
        case .pushHears(let peer, _), .pushAccepts(let peer), .pushLoses(let peer): return peer
        case .input(let target, let input):
            switch input {
            case .connected(let connection), .secured(let connection), .received(let connection, _),
                .closed(let connection, .finished), .closed(let connection, .reset):
                guard isPush(connection), !Self.isProbe(connection) else { return nil }
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

    // MARK: What happens to links

    mutating func inject(_ fault: LinkFault) {
        guard var uplinks else { return }
        switch fault {
        case .cut(let link, let span, let renumbers, let keepsAddress):
            uplinks.links[link].cutUntil = max(uplinks.links[link].cutUntil, now + span)
            uplinks.links[link].keepsAddress = keepsAddress && !renumbers
            if renumbers { uplinks.links[link].host &+= 1 }
        case .blackHole(let link, let span):
            uplinks.links[link].holeUntil = max(uplinks.links[link].holeUntil, now + span)
        case .swallow(let link, let span):
            uplinks.links[link].swallowsUntil = max(uplinks.links[link].swallowsUntil, now + span)
        case .namesDie(let link, let span):
            uplinks.links[link].namesDeadUntil = max(uplinks.links[link].namesDeadUntil, now + span)
        case .renumber(let link): uplinks.links[link].host &+= 1
        case .vanish(let link, let span):
            uplinks.links[link].absentUntil = max(uplinks.links[link].absentUntil, now + span)
            uplinks.links[link].host &+= 1
            uplinks.links[link].traffic = 0
        case .allDown(let span, let isBlackHole):
            for index in uplinks.links.indices {
                if isBlackHole {
                    uplinks.links[index].holeUntil = max(uplinks.links[index].holeUntil, now + span)
                } else {
                    uplinks.links[index].cutUntil = max(uplinks.links[index].cutUntil, now + span)
                }
            }
        case .targetDies(let target, let span):
            uplinks.targetsDeadUntil[target] = max(uplinks.targetsDeadUntil[target], now + span)
        }
        self.uplinks = uplinks
        lookAtLinks()
    }

    /// Something of a link has changed, or a fault has ended.
    mutating func lookAtLinks() {
        guard var uplinks else { return }
        for index in uplinks.links.indices {
            let isGood = uplinks.isGood(index, at: now)
            uplinks.goodSince[index] = isGood ? uplinks.goodSince[index] ?? now : nil
        }
        let next = (uplinks.links.compactMap { $0.nextChange(after: now) } + uplinks.targetsDeadUntil)
            .filter { $0 > now }.min()
        if let look = uplinks.nextLook, look <= now { uplinks.nextLook = nil }
        if let next, uplinks.nextLook.map({ next < $0 }) ?? true {
            uplinks.nextLook = next
            agenda.add(.linksChange, at: next)
        }
        for index in uplinks.paths.indices {
            let path = uplinks.paths[index]
            let link = uplinks.links[path.link]
            // The next data connection of a modem has another address.
            if link.address != path.source || link.isDetached { uplinks.paths[index].isBroken = true }
            let isDead = uplinks.paths[index].isBroken || !link.carries(at: now)
            uplinks.paths[index].deadSince = isDead ? path.deadSince ?? now : nil
            if !isDead && !link.swallows(at: now) || uplinks.paths[index].isBroken {
                for happening in path.held { agenda.add(happening, at: now) }
                uplinks.paths[index].held = []
            }
        }
        self.uplinks = uplinks
        let facts = uplinks.watched.compactMap { name in uplinks.links.first { $0.interface == name }?.facts(at: now) }
        if facts.map(\.withoutTraffic) != uplinks.told.map(\.withoutTraffic) { tellLinks() }
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

extension LinkFacts {
    fileprivate var withoutTraffic: LinkFacts {
        var facts = self
        facts.traffic = 0
        return facts
    }
}
