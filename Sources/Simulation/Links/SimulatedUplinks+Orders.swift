import AlarmModel
import ApplianceCore
import Uplinks

/// What the core orders of its links: probes and names, and what it is told of them.
extension SimulatedUplinks {
    /// True when the order concerns links and nothing is left to do for it.
    mutating func carriesOut(_ effect: Effect, at here: Standpoint, _ agenda: inout Agenda) -> Bool {
        switch effect {
        case .watchLinks(let interfaces):
            if watchRun != here.run { probes = [] }
            watched = interfaces
            watchRun = here.run
            tell(at: here, &agenda)
        case .readLinks: tell(at: here, &agenda)
        case .resolve(let id, _, let link): return resolve(id, by: link, at: here, &agenda)
        case .open(let connection, let endpoint, let link) where Self.isProbe(connection):
            probe(connection, endpoint, by: link, at: here, &agenda)
        case .close(let connection) where Self.isProbe(connection): probes.removeAll { $0 == connection }
        case .open(let connection, _, let link) where World.isPush(connection):
            return opensInVain(connection, by: link, at: here, &agenda)
        case .close(let connection) where World.isPush(connection):
            leavePath(of: connection, run: here.run)
            return false
        case .send(let connection, let bytes) where World.isPush(connection):
            count(bytes.count, on: connection, run: here.run)
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

    /// The daemon hears of its links as they are now.
    private mutating func tell(at here: Standpoint, _ agenda: inout Agenda) {
        guard watchRun == here.run else { return }
        told = facts(at: here.now)
        agenda.add(.input(run: here.run, .links(told)), at: here.now + .milliseconds(3))
    }

    private func facts(at now: BootTime) -> [LinkFacts] {
        watched.compactMap { name in links.first { $0.interface == name }?.facts(at: now) }
    }

    /// A link that carries nothing gives no answer.
    private mutating func resolve(
        _ id: ResolveID, by link: Link, at here: Standpoint, _ agenda: inout Agenda
    ) -> Bool {
        let isOfPanel = id.number < World.firstPush
        if isOfPanel { return false }
        let isProbe = id.number >= Appliance.firstProbe.number
        guard let index = route(link, at: here.now), links[index].carries(at: here.now),
            links[index].namesDeadUntil <= here.now
        else {
            agenda.add(.input(run: here.run, .resolved(id, .failed(.timedOut))), at: here.now + .seconds(5))
            return true
        }
        guard isProbe else { return false }
        links[index].traffic += 250
        agenda.add(
            .input(run: here.run, .resolved(id, .failed(.notFound))), at: here.now + links[index].latency * 2)
        return true
    }

    private mutating func probe(
        _ connection: ConnectionID, _ endpoint: Endpoint, by link: Link, at here: Standpoint,
        _ agenda: inout Agenda
    ) {
        probes.append(connection)
        guard let index = route(link, at: here.now) else {
            return agenda.add(
                .input(run: here.run, .closed(connection, .unreachable)), at: here.now + .milliseconds(1))
        }
        links[index].traffic += 500
        let target = targets.firstIndex { $0.host == endpoint.address }
        guard links[index].carries(at: here.now), let target, targetsDeadUntil[target] <= here.now else { return }
        let span = links[index].latency * 2 + chance.duration(in: .milliseconds(1)..<(.milliseconds(300)))
        agenda.add(.input(run: here.run, .connected(connection)), at: here.now + span)
    }

    // MARK: What befalls

    mutating func inject(_ fault: LinkFault, at now: BootTime) {
        switch fault {
        case .cut(let link, let span, let renumbers, let keepsAddress):
            links[link].cutUntil = max(links[link].cutUntil, now + span)
            links[link].keepsAddress = keepsAddress && !renumbers
            if renumbers { links[link].host &+= 1 }
        case .blackHole(let link, let span):
            links[link].holeUntil = max(links[link].holeUntil, now + span)
        case .swallow(let link, let span):
            links[link].swallowsUntil = max(links[link].swallowsUntil, now + span)
        case .namesDie(let link, let span):
            links[link].namesDeadUntil = max(links[link].namesDeadUntil, now + span)
        case .renumber(let link):
            links[link].host &+= 1
            links[link].renumberedAt = now
        case .vanish(let link, let span):
            links[link].absentUntil = max(links[link].absentUntil, now + span)
            links[link].host &+= 1
            links[link].traffic = 0
        case .allDown(let span, let isBlackHole):
            for index in links.indices {
                if isBlackHole {
                    links[index].holeUntil = max(links[index].holeUntil, now + span)
                } else {
                    links[index].cutUntil = max(links[index].cutUntil, now + span)
                }
            }
        case .targetDies(let target, let span):
            targetsDeadUntil[target] = max(targetsDeadUntil[target], now + span)
        }
    }

    /// Something of a link has changed, or a fault has ended.
    mutating func look(at here: Standpoint, _ agenda: inout Agenda) {
        for index in links.indices {
            goodSince[index] = isGood(index, at: here.now) ? goodSince[index] ?? here.now : nil
        }
        let next = (links.compactMap { $0.nextChange(after: here.now) } + targetsDeadUntil)
            .filter { $0 > here.now }.min()
        if let look = nextLook, look <= here.now { nextLook = nil }
        if let next, nextLook.map({ next < $0 }) ?? true {
            nextLook = next
            agenda.add(.linksChange, at: next)
        }
        lookAtPaths(at: here.now, &agenda)
        if facts(at: here.now).map(\.withoutTraffic) != told.map(\.withoutTraffic) { tell(at: here, &agenda) }
    }
}

extension LinkFacts {
    fileprivate var withoutTraffic: LinkFacts {
        var facts = self
        facts.traffic = 0
        return facts
    }
}
