import AlarmModel
import PhoneLink
import Uplinks

/// Connections for the channels: dialing, TLS, and who owns what comes in on them.
extension Links {
    mutating func connect(_ owner: LineOwner, _ slot: DialSlot, to target: DialTarget, _ step: inout Step) {
        let index = line(owner, slot, to: target)
        if target.isLocalSocket {
            let connection = lines[index].nextLocalConnection()
            lines[index].openingLocal = connection
            return step.effects.append(.openLocal(connection, path: target.host))
        }
        let usual = link(of: lines[index])
        let isDoubted = lines[index].doubted == usual || step.now.boot < lines[index].detourUntil
        lines[index].doubted = nil
        lines[index].detouredFrom = nil
        lines[index].triedLinks = [usual]
        if isDoubted, let other = takeDetour(index, step.now) {
            lines[index].detouredFrom = usual
            return dial(index, by: other, &step)
        }
        lines[index].triedLinks = []
        dial(index, by: usual, &step)
    }

    private mutating func dial(_ index: Int, by link: Link, _ step: inout Step) {
        lines[index].triedLinks.append(link)
        if lines[index].dialedBy != link { lines[index].dialedAt = step.now.boot }
        lines[index].dialedBy = link
        lines[index].attempts = []
        lines[index].isByMemory = lines[index].doubtsNames
        let target = lines[index].target
        let (remembered, doubtsNames) = (step.addresses, lines[index].doubtsNames)
        drive(line: index, &step) { dialer, now, actions in
            dialer.dial(
                name: target.host, port: target.port, link: link, remembered: remembered, doubtsNames: doubtsNames,
                at: now, into: &actions)
        }
    }

    mutating func cancelConnect(_ owner: LineOwner, _ slot: DialSlot, _ step: inout Step) {
        guard let index = index(owner, slot) else { return }
        for connection in [lines[index].securing, lines[index].openingLocal].compactMap({ $0 }) {
            step.effects.append(.close(connection))
            if let standing = lines[index].standing.first(where: { $0.connection == connection }) {
                noteEnd(of: standing, index, step)
            }
            lines[index].standing.removeAll { $0.connection == connection }
        }
        lines[index].securing = nil
        lines[index].openingLocal = nil
        drive(line: index, &step) { $0.cancel(at: $1, into: &$2) }
    }

    private mutating func drive(
        line index: Int, _ step: inout Step, _ act: (inout Dialer, Moment, inout [Dialer.Action]) -> Void
    ) {
        var orders: [Dialer.Action] = []
        act(&lines[index].dialer, step.now, &orders)
        for order in orders { actions.append(.dialer(order, line: lines[index].number)) }
    }

    mutating func perform(_ action: Dialer.Action, ofLine number: UInt64, _ step: inout Step) {
        guard let index = index(ofLine: number) else { return }
        switch action {
        case .resolve(let id, let name, let link): step.effects.append(.resolve(id, name: name, link))
        case .open(let connection, let endpoint, let link):
            lines[index].attempts.append(.init(connection: connection, isIPv6: endpoint.address.isIPv6))
            step.effects.append(.open(connection, endpoint, link))
        case .close(let connection): step.effects.append(.close(connection))
        case .connected(let connection):
            var standing = DialLine.Standing(
                connection: connection, link: lines[index].triedLinks.last ?? .any, since: step.now.boot,
                address: lines[index].reached)
            let isIPv6 = lines[index].attempts.first { $0.connection == connection }?.isIPv6
            standing.sources = failover?.addresses(of: standing.link).filter { $0.isIPv6 == isIPv6 } ?? []
            lines[index].standing.append(standing)
            (lines[index].reached, lines[index].attempts) = (nil, [])
            stands(connection, index, &step)
        case .failed(let failure):
            if let tried = lines[index].triedLinks.last { missedPeer(tried, &step) }
            actions.append(.dialFailed(line: number, .dial(failure)))
        case .remember(let address): lines[index].reached = address
        }
    }

    mutating func dialFailed(_ number: UInt64, _ failure: ConnectFailure, _ step: inout Step) {
        // The link may have been left because of it, and the line be dialed by another already.
        guard let index = index(ofLine: number), !lines[index].dialer.isDialing else { return }
        if let next = nextLink(of: lines[index]) { return dial(index, by: next, &step) }
        actions.append(.tell(lines[index].owner, .failed(failure, lines[index].slot)))
    }

    private mutating func stands(_ connection: ConnectionID, _ index: Int, _ step: inout Step) {
        let line = lines[index]
        switch line.target.security {
        case .plain: actions.append(.tell(line.owner, .connected(connection, line.slot)))
        case .tls(let authorityFile):
            lines[index].securing = connection
            step.effects.append(
                .startTLS(
                    connection, serverName: line.target.certifiedName ?? line.target.host,
                    authorityFile: authorityFile, at: step.timeForServers))
        }
    }

    // MARK: What comes in

    mutating func resolved(_ id: ResolveID, _ resolution: Resolution, _ step: inout Step) {
        guard case .line(let line) = id.owner else {
            return driveLinks(&step) { $0.resolved(id, resolution, at: $1, into: &$2) }
        }
        guard let index = index(ofLine: line) else { return }
        drive(line: index, &step) { $0.resolved(id, resolution, at: $1, into: &$2) }
    }

    mutating func take(_ fact: ConnectionFact, on connection: ConnectionID, _ step: inout Step) {
        guard case .line(let line) = connection.owner else { return takeProbe(fact, on: connection, &step) }
        if case .sent(let upTo) = fact { return sent(on: connection, upTo: upTo, &step) }
        guard let index = index(ofLine: line) else { return }
        switch fact {
        case .opened: opened(connection, index, &step)
        case .secured: secured(connection, index)
        case .received(let bytes):
            answered(connection, index, &step)
            heardPeer(on: connection, of: lines[index], &step)
            actions.append(.tell(lines[index].owner, .received(connection, bytes)))
        case .closed(let end): closed(connection, end, index, &step)
        case .sent: break
        }
    }

    private mutating func takeProbe(_ fact: ConnectionFact, on connection: ConnectionID, _ step: inout Step) {
        switch fact {
        case .opened: driveLinks(&step) { $0.opened(connection, at: $1, into: &$2) }
        case .closed(let end): driveLinks(&step) { $0.openFailed(connection, end, at: $1, into: &$2) }
        case .secured, .received, .sent: break
        }
    }

    private mutating func opened(_ connection: ConnectionID, _ index: Int, _ step: inout Step) {
        if lines[index].openingLocal == connection {
            lines[index].openingLocal = nil
            return stands(connection, index, &step)
        }
        drive(line: index, &step) { $0.opened(connection, at: $1, into: &$2) }
    }

    private mutating func secured(_ connection: ConnectionID, _ index: Int) {
        if let place = lines[index].standing.firstIndex(where: { $0.connection == connection }) {
            lines[index].standing[place].isSecured = true
            lines[index].standing[place].hasBeenAnswered = false
        }
        guard lines[index].securing == connection else {
            return actions.append(.tell(lines[index].owner, .secured(connection)))
        }
        lines[index].securing = nil
        actions.append(.tell(lines[index].owner, .connected(connection, lines[index].slot)))
    }

    private mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, _ index: Int, _ step: inout Step
    ) {
        let line = lines[index]
        let standing = line.standing.first { $0.connection == connection }
        lines[index].standing.removeAll { $0.connection == connection }
        if line.securing == connection { lines[index].securing = nil }
        if line.openingLocal == connection { lines[index].openingLocal = nil }
        if end.isLinkDoubtful, let standing { missedPeer(standing.link, &step) }
        if let standing {
            if standing.wasLetDown(by: end) { doubt(index, standing.link, opened: standing.since, &step) }
            noteEnd(of: standing, index, step)
        }
        let end = step.isProved(line.target.host) ? end.asOfAnImpostor : end
        actions.append(
            .closed(
                Closed(
                    line: line.number, connection: connection, end: end, standing: standing,
                    wasOpening: line.securing == connection || line.openingLocal == connection)))
    }

    /// The links know of it.
    mutating func goOn(_ closed: Closed, _ step: inout Step) {
        guard let index = index(ofLine: closed.line) else { return }
        let (owner, slot) = (lines[index].owner, lines[index].slot)
        if closed.wasOpening {
            // The link may have been left because of it, and the line be dialed by another already.
            guard !lines[index].dialer.isDialing else { return }
            if closed.end.isLinkDoubtful, lines[index].doubtsNames, !lines[index].isByMemory,
                let link = closed.standing?.link
            {
                return dial(index, by: link, &step)
            }
            if closed.end.isLinkDoubtful, let other = takeDetour(index, step.now) {
                return dial(index, by: other, &step)
            }
            let failure: ConnectFailure =
                if case .tls(let failure) = closed.end { .tls(failure) } else { .dial(.unreachable(closed.end)) }
            return actions.append(.tell(owner, .failed(failure, slot)))
        }
        // Encrypted later than it was opened, as mail and chat are: whoever owns it makes the next attempt.
        if case .tls = closed.end, closed.end.isLinkDoubtful, let standing = closed.standing {
            lines[index].doubted = standing.link
        }
        forgetFlow(closed.connection)
        drive(line: index, &step) { $0.openFailed(closed.connection, closed.end, at: $1, into: &$2) }
        actions.append(.tell(owner, .closed(closed.connection, closed.end)))
    }

    var nextDialDeadline: BootTime? { lines.compactMap(\.dialer.nextDeadline).min() }

    mutating func dialersDue(_ index: Int, _ step: inout Step) {
        drive(line: index, &step) { $0.timerFired(at: $1, into: &$2) }
    }
}

extension Step {
    /// True if a server has proved under this name who it is.
    func isProved(_ name: String) -> Bool { addresses.contains { $0.name == name } }

    /// Keeps the newest good address of each name.
    mutating func remember(_ address: RememberedAddress) {
        addresses.removeAll { $0.name == address.name }
        addresses.append(address)
        if addresses.count > 16 { addresses.removeFirst() }
    }
}

extension ConnectionEnd {
    /// A certificate that proves nothing, where the right server has proved itself before, is somebody else's.
    fileprivate var asOfAnImpostor: ConnectionEnd {
        switch self {
        case .tls(.selfSigned), .tls(.unknownAuthority), .tls(.wrongHost): .tls(.impostor)
        case .refused, .reset, .timedOut, .unreachable, .finished, .local, .failed, .tls: self
        }
    }
}
