package import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// The ways out: which link carries the ways to people, and what is told of links.
///
/// The panel is in the house, as are brokers and queues: what is there is reached as the operating system's routes say.
extension Appliance {
    /// Probes are numbered between the connections of the ways to people and the control clients.
    package static let firstProbe = ConnectionID(1 << 61)

    static func isProbe(_ connection: ConnectionID) -> Bool { connection >= firstProbe && connection < firstClient }
    static func isProbe(_ question: ResolveID) -> Bool { question.number >= firstProbe.number }

    /// Begins to watch the configured links; without any the operating system chooses the way out.
    mutating func startLinks(usage: [LinkUsage], _ step: inout Step) {
        guard let settings = configuration.uplinks else { return }
        failover = Failover(
            settings, firstConnection: Self.firstProbe, firstQuestion: ResolveID(Self.firstProbe.number))
        #if SABOTAGE
            failover?.sabotage = sabotage
        #endif
        driveLinks(&step) { $0.start(usage: usage, at: $1, into: &$2) }
    }

    mutating func driveLinks(
        _ step: inout Step, _ act: (inout Failover, Moment, inout [FailoverAction]) -> Void
    ) {
        guard var failover else { return }
        var actions: [FailoverAction] = []
        act(&failover, step.now, &actions)
        self.failover = failover
        for action in actions { perform(action, &step) }
    }

    private mutating func perform(_ action: FailoverAction, _ step: inout Step) {
        switch action {
        case .resolve(let id, let name, let link): step.effects.append(.resolve(id, name: name, link))
        case .open(let connection, let endpoint, let link): step.effects.append(.open(connection, endpoint, link))
        case .close(let connection): step.effects.append(.close(connection))
        case .useNameServers(let servers, let link): step.effects.append(.useNameServers(servers, link))
        case .watch(let interfaces): step.effects.append(.watchLinks(interfaces))
        case .readLinks: step.effects.append(.readLinks)
        case .modem(_, let isWanted): driveModem(&step) { $0.setWanted(isWanted, at: $1, into: &$2) }
        case .usageChanged: step.writes.writesState = true
        case .switched(let from, let to, let why):
            if let to { note(.info, .linkSwitched, Self.words(ofSwitch: from, to, "\(why)"), &step) }
            moveWays(&step)
        case .renumbered(let name):
            step.effects.append(.log(LogEntry(.notice, "\(name) has another address; connections are opened anew")))
            reopenWays(by: failover?.link(named: name), &step)
        case .pathLost(let name, let why): noteLoss("The link \(name) is lost: \(why).", .linkLost, &step)
        case .pathRestored(let name): note(.recovery, .linkRestored, "The link \(name) works again.", &step)
        case .allLost:
            noteLoss(
                "No link works: nobody outside the house can be reached. Look at 'howalarming links'.", .linksLost,
                &step)
        case .someRestored: note(.recovery, .linkRestored, "The house is connected again.", &step)
        case .budgetExceeded(let name, let used, let budget):
            note(
                .fault, .linkBudget,
                "The link \(name) has used \(DataAmount(used)) this month, more than its budget of "
                    + "\(DataAmount(budget)). Alarms still go out by it; nothing else keeps it busy.", &step)
        }
    }

    private static func words(ofSwitch from: String?, _ to: String, _ why: String) -> String {
        from == nil ? "The way out is now \(to)." : "The way out is now \(to): \(why)."
    }

    /// While the house is armed, a cut line may be the first thing that a burglar does.
    private mutating func noteLoss(_ words: String, _ code: EventCode, _ step: inout Step) {
        let isArmed = session.state.partitions.contains { partition in
            switch partition.status.last {
            case .armed, .entryDelay, .exitDelay, .alarm: true
            case .disarmed, .ready, .readyForce, .notReady, .notEnabled, nil: false
            }
        }
        let isAlarm = isArmed && configuration.uplinks?.isLossAlarmWhileArmed == true
        note(isAlarm ? .alarm : .fault, code, words, &step)
    }

    /// Another set of links starts anew; what they have carried is kept.
    mutating func reconfigureLinks(_ step: inout Step) {
        guard let settings = configuration.uplinks else {
            driveLinks(&step) { $0.reconfigure(UplinkSettings(), at: $1, into: &$2) }
            failover = nil
            return moveWays(&step)
        }
        guard failover != nil else {
            startLinks(usage: storedSnapshot?.linkUsage ?? [], &step)
            return moveWays(&step)
        }
        driveLinks(&step) { $0.reconfigure(settings, at: $1, into: &$2) }
    }

    // MARK: The ways follow

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
    mutating func takeDetour(_ index: Int, _ step: inout Step) -> Link? {
        let line = hall.dialLines[index]
        guard step.now.boot >= line.detourAt, let next = nextLink(of: line), failover?.isAnswering(next) == true else {
            return nil
        }
        hall.dialLines[index].detourAt = step.now.boot + line.detourPause
        hall.dialLines[index].detourPause = min(line.detourPause * 2, DialLine.longestDetourPause)
        return next
    }

    /// Connections by links that are left are ended, and opened anew by the one that carries now.
    mutating func moveWays(_ step: inout Step) {
        leaveLinks(&step) { core, line, link in link != core.link(of: line) }
        tellNetworkChanged(&step)
    }

    /// When connections that came about by another link, because the active one did not bring them about, move there
    /// after all.
    var strayDeadline: BootTime? {
        guard let failover, failover.active != nil, let hold = configuration.uplinks?.timings.hold else { return nil }
        let strays = hall.dialLines.flatMap { line in
            line.isInHouse ? [] : line.standing.filter { $0.link != failover.link }
        }
        return strays.map { $0.since + hold }.min()
    }

    /// A link has another address: what stands on the old one is dead. What goes by others is left alone.
    private mutating func reopenWays(by renumbered: Link?, _ step: inout Step) {
        leaveLinks(&step) { _, line, link in
            !line.isInHouse && (link == renumbered || link == .any)
        }
        if failover?.link == renumbered { tellNetworkChanged(&step) }
    }

    private mutating func leaveLinks(
        _ step: inout Step, _ isLeft: (Appliance, DialLine, Link) -> Bool
    ) {
        for index in hall.dialLines.indices {
            let line = hall.dialLines[index]
            let stale = line.standing.filter { isLeft(self, line, $0.link) }
            let isRedialed =
                (line.dialer.isDialing || line.securing != nil) && isLeft(self, line, line.triedLinks.last ?? .any)
            guard !stale.isEmpty || isRedialed else { continue }
            if isRedialed {
                cancelConnect(line.owner, line.slot, &step)
                connect(line.owner, line.slot, to: line.target, &step)
            }
            for standing in stale where standing.connection != line.securing {
                step.effects.append(.close(standing.connection))
                forget(standing.connection)
                drive(line.owner, &step) {
                    $0.closed(standing.connection, .unreachable, at: $1, into: &$2)
                }
            }
        }
    }

    private mutating func tellNetworkChanged(_ step: inout Step) {
        for way in hall.ways.map(\.kind) {
            drive(way, &step) { $0.networkChanged(at: $1, into: &$2) }
        }
        driveBeacon(&step) { $0.networkChanged(at: $1, into: &$2) }
    }

    /// A connection of a way is no more.
    mutating func forget(_ connection: ConnectionID) {
        hall.flows.removeAll { $0.connection == connection }
        guard let index = hall.dialLines.firstIndex(where: { $0.range == DialLine.range(of: connection.number) }) else {
            return
        }
        hall.dialLines[index].standing.removeAll { $0.connection == connection }
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
    mutating func alarmWaits(_ isWaiting: Bool, _ step: inout Step) {
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
                .selfSigned, .unknownAuthority, .tooWeak, .certificateRejected:
                true
            case .clockDoubtful, .noAuthorities: false
            }
        case .refused, .reset, .finished, .local, .failed: false
        }
    }
}
