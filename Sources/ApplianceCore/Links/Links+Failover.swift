import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// The links: which link carries the channels to people, and what is told of links.
///
/// The panel is in the house, as are brokers and queues: what is there is reached as the operating system's routes say.
extension Links {
    /// Begins to watch the configured links; without any the operating system chooses the link.
    mutating func startLinks(usage: [LinkUsage], _ step: inout Step) {
        guard let settings = step.configuration.uplinks else { return }
        failover = Failover(
            settings, firstConnection: Appliance.firstProbe, firstQuestion: ResolveID(Appliance.firstProbe.number))
        #if SABOTAGE
            failover?.sabotage = step.sabotage
        #endif
        driveLinks(&step) { $0.start(usage: usage, at: $1, into: &$2) }
    }

    mutating func driveLinks(
        _ step: inout Step, _ act: (inout Failover, Moment, inout [FailoverAction]) -> Void
    ) {
        guard failover != nil else { return }
        var orders: [FailoverAction] = []
        failover.mutate {
            $0.modemCallsUntil = step.modemCallsUntil
            act(&$0, step.now, &orders)
        }
        for order in orders { actions.append(.failover(order)) }
    }

    mutating func perform(_ action: FailoverAction, _ step: inout Step) {
        switch action {
        case .resolve(let id, let name, let link): step.effects.append(.resolve(id, name: name, link))
        case .open(let connection, let endpoint, let link): step.effects.append(.open(connection, endpoint, link))
        case .close(let connection): step.effects.append(.close(connection))
        case .useNameServers(let servers, let link): step.effects.append(.useNameServers(servers, link))
        case .watch(let interfaces): step.effects.append(.watchLinks(interfaces))
        case .readLinks: step.effects.append(.readLinks)
        case .modem(_, let isWanted): driveModem(&step) { $0.setWanted(isWanted, at: $1, into: &$2) }
        case .modemCarries(let isCarrying): driveModem(&step) { $0.carries(isCarrying, at: $1, into: &$2) }
        case .usageChanged: step.writes.writesState = true
        case .switched(let from, let to, let why):
            if let to { step.note(.info, .linkSwitched, Self.words(ofSwitch: from, to, "\(why)")) }
            actions.append(.leave(Leaving()))
        case .renumbered(let name, let gone):
            step.effects.append(.log(LogEntry(.notice, "\(name) has another address; connections are opened anew")))
            actions.append(.leave(Leaving(renumbered: failover?.link(named: name), isRenumbered: true, gone: gone)))
        case .pathLost(let name, let why): noteLoss("The link \(name) is lost: \(why).", .linkLost, of: name, &step)
        case .pathRestored(let name):
            step.note(.recovery, .linkRestored, "The link \(name) works again.", about: .link(name))
        case .allLost:
            noteLoss(
                "No link works: nobody outside the house can be reached. Look at \(Hint.links.atBox).", .linksLost,
                &step)
        case .someRestored: step.note(.recovery, .linkRestored, "The house is connected again.")
        case .budgetExceeded(let name, let used, let budget):
            step.note(
                .fault, .linkBudget,
                "The link \(name) has used \(DataAmount(used)) this month, more than its budget of "
                    + "\(DataAmount(budget)). Alarms still go out by it; nothing else keeps it busy.",
                about: .link(name))
        }
    }

    private static func words(ofSwitch from: String?, _ to: String, _ why: String) -> String {
        from == nil ? "The way out is now \(to)." : "The way out is now \(to): \(why)."
    }

    /// While the house is armed, a cut line may be the first thing that a burglar does.
    mutating func noteLoss(_ words: String, _ code: EventCode, of link: String? = nil, _ step: inout Step) {
        let isGuarded = step.panel.partitions.contains { $0.status.last?.isGuarded ?? false }
        let isAlarm = isGuarded && step.configuration.uplinks?.isLossAlarmWhileArmed == true
        step.note(isAlarm ? .alarm : .fault, code, words, about: link.map { .link($0) })
    }

    /// Another set of links starts anew; what they have carried is kept.
    mutating func reconfigureLinks(usage: [LinkUsage], _ step: inout Step) {
        guard let settings = step.configuration.uplinks else {
            driveLinks(&step) { $0.reconfigure(UplinkSettings(), at: $1, into: &$2) }
            return actions.append(.linksRemoved)
        }
        guard failover != nil else {
            startLinks(usage: usage, &step)
            return actions.append(.leave(Leaving()))
        }
        driveLinks(&step) { $0.reconfigure(settings, at: $1, into: &$2) }
    }

    // MARK: The channels follow

    /// The link that a dial line goes out by at this moment.
    func link(of line: DialLine) -> Link {
        guard let failover, !line.isInHouse else { return .any }
        return failover.link
    }

    /// The next link for a connection that did not come about by those that were tried.
    func nextLink(of line: DialLine) -> Link? {
        guard let failover, !line.isInHouse else { return nil }
        return failover.order.first { !line.triedLinks.contains($0) }
    }

    /// The next link, where connections open by this one and cannot be encrypted: something that answers stands before
    /// the server, or swallows what is large. Only one that is known to answer, and not often.
    mutating func takeDetour(_ index: Int, _ now: Moment) -> Link? {
        guard let next = detour(for: lines[index], now) else { return nil }
        lines[index].beginDetour(at: now.boot)
        return next
    }

    private func detour(for line: DialLine, _ now: Moment) -> Link? {
        guard let failover, let next = nextLink(of: line), failover.isAnswering(next),
            line.detourDue(isAlarmWaiting: failover.isAlarmWaiting).map({ $0 <= now.boot }) ?? true
        else { return nil }
        return next
    }

    /// True if a dial that began now would take another link than the usual one, should that be doubted.
    func canDetour(_ index: Int, _ now: Moment) -> Bool {
        var line = lines[index]
        line.triedLinks = [link(of: line)]
        return detour(for: line, now) != nil
    }

    /// When connections that came about by another link, because the active one did not bring them about, move there
    /// after all.
    func strayDeadline(_ step: Step) -> BootTime? {
        lines.compactMap { strayDeadline(of: $0, step) }.min()
    }

    private func strayDeadline(of line: DialLine, _ step: Step) -> BootTime? {
        guard let failover, failover.active != nil, !line.isInHouse,
            let timings = step.configuration.uplinks?.timings
        else { return nil }
        let strays = line.standing.filter { $0.link != failover.link }
        guard let since = strays.map(\.since).min() else { return nil }
        if strays.contains(where: { failover.isDown($0.link, since: $0.since) }) { return since }
        // An alarm that is under way is not held up by a move.
        let hold = failover.isAlarmWaiting ? timings.holdLimit : max(timings.hold, line.detourHold ?? timings.hold)
        return since + hold
    }

    func nextDeadline(_ step: Step) -> BootTime? {
        [failover?.nextDeadline, strayDeadline(step), waitingDeadline(step)].compactMap { $0 }.min()
    }

    /// Connections that came about by another link move to the one that carries, when their time is over.
    mutating func moveStrays(_ step: Step) {
        if let due = strayDeadline(step), step.now.boot >= due { actions.append(.leave(Leaving(areStrays: true))) }
    }

    /// Ends the next connection that goes by a link that is left, or has another address; whoever owns it opens another
    /// by the link that carries now.
    mutating func leave(_ leaving: Leaving, _ step: inout Step) {
        var leaving = leaving
        while leaving.index < lines.count {
            let line = lines[leaving.index]
            if let stalled = leaving.stalled, line.owner != stalled {
                leaving.index += 1
                continue
            }
            if leaving.areStrays, !leaving.isLineBegun {
                guard let due = strayDeadline(of: line, step), step.now.boot >= due else {
                    leaving.index += 1
                    continue
                }
            }
            if !leaving.isLineBegun {
                leaving.isLineBegun = true
                leaving.stale = line.standing.filter {
                    isLeft($0.link, by: line, leaving) && $0.mayComeFrom(leaving.gone)
                }.map(\.connection)
                leaving.stale.removeAll { $0 == line.securing }
                let isDialing = line.dialer.isDialing || line.securing != nil
                if isDialing, isLeft(line.triedLinks.last ?? .any, by: line, leaving),
                    line.isDialDead(without: leaving.gone)
                {
                    leaving.hasLeft = true
                    cancelConnect(line.owner, line.slot, &step)
                    actions.append(.redial(line.number))
                    return actions.append(.leave(leaving))
                }
            }
            if !leaving.stale.isEmpty {
                let connection = leaving.stale.removeFirst()
                leaving.hasLeft = true
                step.effects.append(.close(connection))
                forget(connection)
                actions.append(.tell(line.owner, .closed(connection, .unreachable)))
                return actions.append(.leave(leaving))
            }
            leaving.index += 1
            leaving.isLineBegun = false
        }
        guard leaving.stalled == nil else { return }
        guard leaving.isRenumbered else { return actions.append(.networkChanged) }
        // An address of IPv6 that nothing came from changes nothing for anybody.
        let isFelt = leaving.hasLeft || leaving.gone.contains { !$0.isIPv6 }
        if isFelt, failover?.link == leaving.renumbered { actions.append(.networkChanged) }
    }

    private func isLeft(_ link: Link, by line: DialLine, _ leaving: Leaving) -> Bool {
        if leaving.stalled != nil { return link == self.link(of: line) }
        return leaving.isRenumbered
            ? !line.isInHouse && (link == leaving.renumbered || link == .any) : link != self.link(of: line)
    }

    /// What the phones' own traffic says about a link.
    mutating func heardPeer(
        on connection: ConnectionID, of line: DialLine, _ step: inout Step
    ) {
        guard failover != nil, !line.isInHouse,
            let standing = line.standing.first(where: { $0.connection == connection })
        else { return }
        driveLinks(&step) { $0.peerHeard(standing.link, at: $1, into: &$2) }
    }

    /// Whether something urgent waits to go out: a cold link is then woken sooner.
    mutating func alarmIsWaiting(_ isWaiting: Bool, _ step: inout Step) {
        isAlarmWaiting = isWaiting
        guard let failover, failover.isAlarmWaiting != isWaiting else { return }
        driveLinks(&step) { $0.needsNow(isWaiting, at: $1, into: &$2) }
    }

    mutating func missedPeer(_ link: Link, _ step: inout Step) {
        driveLinks(&step) { $0.peerSilent(link, at: $1, into: &$2) }
    }
}

extension ConnectionEnd {
    /// The link that the connection went by may be the reason: nobody answered, or somebody else did.
    var isLinkDoubtful: Bool {
        switch self {
        case .timedOut, .unreachable: true
        case .tls(let failure):
            switch failure {
            case .stalled, .cutOff, .protocolError, .certificateExpired, .certificateNotYetValid, .wrongHost,
                .selfSigned, .unknownAuthority, .impostor, .tooWeak, .certificateRejected:
                true
            case .clockDoubtful, .noAuthorities: false
            }
        case .refused, .reset, .finished, .local, .failed: false
        }
    }
}
