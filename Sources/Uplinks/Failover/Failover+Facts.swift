package import AlarmModel

extension Failover {
    /// Facts of one or more of the watched interfaces; those of others are passed over.
    package mutating func linksChanged(_ facts: [LinkFacts], at now: Moment, into actions: inout [Action]) {
        guard startedAt != nil else { return }
        for fact in facts {
            for index in links.indices where links[index].interface == fact.interface {
                count(fact, on: index, at: now)
                learn(fact, on: index, at: now.boot, into: &actions)
            }
        }
        reviewUsage(at: now.boot, into: &actions)
        settle(at: now, into: &actions)
    }

    /// A modem link got its interface, or lost it.
    package mutating func modemInterface(
        _ name: String, _ interface: String?, at now: Moment, into actions: inout [Action]
    ) {
        guard startedAt != nil, let index = links.firstIndex(where: { $0.settings.name == name }),
            links[index].interface != interface
        else { return }
        learn(nil, on: index, at: now.boot, into: &actions)
        links[index].interface = interface
        links[index].toldServers = []
        watchInterfaces(into: &actions)
        settle(at: now, into: &actions)
    }

    /// The configuration was read anew; links of the same name and interface keep their state.
    package mutating func reconfigure(_ settings: UplinkSettings, at now: Moment, into actions: inout [Action]) {
        guard startedAt != nil else {
            self.settings = settings
            return
        }
        let old = links
        let oldActive = active
        for index in links.indices { abandonPass(of: index, into: &actions) }
        self.settings = settings
        links = settings.links.map { wanted in
            let same = old.first { $0.settings.name == wanted.name }
            guard var kept = same, kept.settings.kind == wanted.kind, kept.settings.interface == wanted.interface else {
                return LinkTrack(wanted, usage: same?.usage, at: now.boot)
            }
            kept.pass = nil
            kept.settings = wanted
            kept.isDueAtOnce = true
            kept.score = min(kept.score, LinkTrack.scoreLimit(settings.timings))
            return kept
        }
        for gone in old where gone.isAwake && gone.settings.kind == .modem {
            let isKept = settings.links.contains { $0.name == gone.settings.name && $0.kind == .modem }
            if !isKept { actions.append(.modem(gone.settings.name, isWanted: false)) }
        }
        activeIndex = links.firstIndex { $0.settings.name == oldActive && $0.health == .up }
        if oldActive != nil && activeIndex == nil {
            actions.append(.switched(from: oldActive, to: nil, .removed))
        }
        if links.isEmpty { isLossTold = false }
        watchInterfaces(into: &actions)
        for index in links.indices { tellNameServers(of: index, into: &actions) }
        settle(at: now, into: &actions)
    }

    private mutating func watchInterfaces(into actions: inout [Action]) {
        guard watched != wantedInterfaces else { return }
        watched = wantedInterfaces
        actions.append(.watch(interfaces: watched))
        actions.append(.readLinks)
    }

    private mutating func learn(_ fact: LinkFacts?, on index: Int, at now: BootTime, into actions: inout [Action]) {
        let couldCarry = links[index].obstacle == nil
        links[index].facts = fact
        let canCarry = links[index].obstacle == nil
        if couldCarry && !canCarry {
            fall(index, at: now, into: &actions)
        } else if !couldCarry && canCarry {
            links[index].isDueAtOnce = true
        }
        if canCarry, let fact {
            // Also while it was down: what was opened before still stands where no other link took over.
            let old = links[index].carriedFrom
            links[index].carriedFrom = fact.addresses
            let gone = old.filter { !fact.addresses.contains($0) }
            if !gone.isEmpty { renumber(index, gone, at: now, into: &actions) }
        }
        tellNameServers(of: index, into: &actions)
    }

    /// No carrier or no address: nothing goes over it from this moment.
    private mutating func fall(_ index: Int, at now: BootTime, into actions: inout [Action]) {
        abandonPass(of: index, into: &actions)
        let wasUp = links[index].health == .up
        if wasUp { links[index].noteFall(timings, at: now) }
        links[index].forget()
        if wasUp && links[index].isAwake { tellLost(index, at: now, into: &actions) }
    }

    /// An address that came is no reason to move; what was opened from one that went is dead.
    private mutating func renumber(
        _ index: Int, _ gone: [IPAddress], at now: BootTime, into actions: inout [Action]
    ) {
        #if SABOTAGE
            if sabotage == .staleAfterRenumbering { return }
        #endif
        abandonPass(of: index, into: &actions)
        links[index].isDueAtOnce = true
        actions.append(.renumbered(links[index].settings.name, gone: gone))
        noteFlap(index, gone, at: now, into: &actions)
    }

    /// A link whose address goes a second time within a minute is left, if another one answers: whoever hands out
    /// addresses could keep it from carrying anything to its end. Addresses of IPv6 come and go beside IPv4.
    private mutating func noteFlap(
        _ index: Int, _ gone: [IPAddress], at now: BootTime, into actions: inout [Action]
    ) {
        guard gone.contains(where: { !$0.isIPv6 }) || links[index].carriedFrom.allSatisfy(\.isIPv6) else { return }
        defer { links[index].lastRenumbering = now }
        guard let last = links[index].lastRenumbering, now - last < Self.steadyAddress else { return }
        guard links.indices.contains(where: { $0 != index && links[$0].canBeProbed && links[$0].isAnswering }) else {
            if index == activeIndex { _ = takeAlarmWake(at: now) }
            return
        }
        let wasUp = links[index].health == .up
        if wasUp { links[index].noteFall(timings, at: now) }
        links[index].forget()
        if wasUp { tellLost(index, .unsteady, at: now, into: &actions) }
    }

    private static let steadyAddress = Duration.minutes(1)

    private mutating func tellNameServers(of index: Int, into actions: inout [Action]) {
        guard let link = links[index].link else { return }
        let servers = links[index].nameServers
        guard servers != links[index].toldServers else { return }
        links[index].toldServers = servers
        actions.append(.useNameServers(servers, link))
    }
}
