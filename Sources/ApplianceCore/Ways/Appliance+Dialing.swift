import AlarmModel
import PhoneLink
import Uplinks

/// Connections for the ways: dialing, TLS, and who owns what comes in on them.
extension Appliance {
    mutating func connect(
        _ owner: LineOwner, _ slot: DialSlot, to target: DialTarget, _ step: inout Step
    ) {
        let index: Int
        if let known = hall.dialLines.firstIndex(where: { $0.owner == owner && $0.slot == slot }) {
            index = known
            hall.dialLines[index].target = target
        } else {
            index = hall.dialLines.count
            hall.dialLines.append(DialLine(owner, slot, range: hall.nextDialRange, target: target))
            hall.nextDialRange += 1
        }
        if target.isLocalSocket {
            let connection = hall.dialLines[index].nextLocalConnection()
            hall.dialLines[index].openingLocal = connection
            return step.effects.append(.openLocal(connection, path: target.host))
        }
        let usual = link(of: hall.dialLines[index])
        let isDoubted = hall.dialLines[index].unsecured == usual
        hall.dialLines[index].unsecured = nil
        hall.dialLines[index].triedLinks = [usual]
        if isDoubted, let other = takeDetour(index, &step) { return dial(index, by: other, &step) }
        hall.dialLines[index].triedLinks = []
        dial(index, by: usual, &step)
    }

    private mutating func dial(_ index: Int, by link: Link, _ step: inout Step) {
        hall.dialLines[index].triedLinks.append(link)
        let target = hall.dialLines[index].target
        let remembered = addresses
        drive(dialLine: index, &step) { dialer, now, actions in
            dialer.dial(
                name: target.host, port: target.port, link: link, remembered: remembered, at: now, into: &actions)
        }
    }

    mutating func cancelConnect(_ owner: LineOwner, _ slot: DialSlot, _ step: inout Step) {
        guard let index = hall.dialLines.firstIndex(where: { $0.owner == owner && $0.slot == slot }) else { return }
        for connection in [hall.dialLines[index].securing, hall.dialLines[index].openingLocal].compactMap({ $0 }) {
            step.effects.append(.close(connection))
            hall.dialLines[index].standing.removeAll { $0.connection == connection }
        }
        hall.dialLines[index].securing = nil
        hall.dialLines[index].openingLocal = nil
        drive(dialLine: index, &step) { dialer, now, actions in
            dialer.cancel(at: now, into: &actions)
        }
    }

    /// Lets whoever owns a connection act.
    mutating func drive(
        _ owner: LineOwner, _ step: inout Step,
        _ act: (inout any Transport, Moment, inout [TransportAction]) -> Void
    ) {
        switch owner {
        case .way(let kind): drive(kind, &step, act)
        case .beacon: driveBeacon(&step, act)
        }
    }

    /// Whoever is asked about a number of these owns it, or nobody does any more.
    private func dialLine(of number: UInt64) -> Int? {
        let range = DialLine.range(of: number)
        return hall.dialLines.firstIndex { $0.range == range }
    }

    private mutating func drive(
        dialLine index: Int, _ step: inout Step,
        _ act: (inout Dialer, Moment, inout [Dialer.Action]) -> Void
    ) {
        var actions: [Dialer.Action] = []
        act(&hall.dialLines[index].dialer, step.now, &actions)
        let line = hall.dialLines[index]
        for action in actions {
            switch action {
            case .resolve(let id, let name, let link): step.effects.append(.resolve(id, name: name, link))
            case .open(let connection, let endpoint, let link): step.effects.append(.open(connection, endpoint, link))
            case .close(let connection): step.effects.append(.close(connection))
            case .connected(let connection):
                hall.dialLines[index].standing.append(
                    .init(connection: connection, link: line.triedLinks.last ?? .any, since: step.now.boot))
                stands(connection, of: hall.dialLines[index], &step)
            case .failed(let failure):
                if let tried = line.triedLinks.last { missedPeer(tried, &step) }
                // The link may have been left because of it, and the line be dialed by another already.
                guard !hall.dialLines[index].dialer.isDialing else { continue }
                if let next = nextLink(of: hall.dialLines[index]) {
                    dial(index, by: next, &step)
                    continue
                }
                drive(line.owner, &step) {
                    $0.connectFailed(.dial(failure), slot: line.slot, at: $1, into: &$2)
                }
            case .remember(let address): remember(address)
            }
        }
    }

    private mutating func stands(
        _ connection: ConnectionID, of line: DialLine, _ step: inout Step
    ) {
        switch line.target.security {
        case .plain:
            drive(line.owner, &step) { $0.connected(connection, slot: line.slot, at: $1, into: &$2) }
        case .tls(let authorityFile):
            if let index = hall.dialLines.firstIndex(where: { $0.range == line.range }) {
                hall.dialLines[index].securing = connection
            }
            step.effects.append(
                .startTLS(
                    connection, serverName: line.target.certifiedName ?? line.target.host,
                    authorityFile: authorityFile))
        }
    }

    mutating func phoneResolved(
        _ id: ResolveID, _ resolution: Resolution, _ step: inout Step
    ) {
        guard let index = dialLine(of: id.number) else { return }
        drive(dialLine: index, &step) { dialer, now, actions in
            dialer.resolved(id, resolution, at: now, into: &actions)
        }
    }

    mutating func phoneOpened(_ connection: ConnectionID, _ step: inout Step) {
        guard let index = dialLine(of: connection.number) else { return }
        if hall.dialLines[index].openingLocal == connection {
            hall.dialLines[index].openingLocal = nil
            return stands(connection, of: hall.dialLines[index], &step)
        }
        drive(dialLine: index, &step) { dialer, now, actions in
            dialer.opened(connection, at: now, into: &actions)
        }
    }

    mutating func secured(_ connection: ConnectionID, _ step: inout Step) {
        guard let index = dialLine(of: connection.number) else { return }
        let line = hall.dialLines[index]
        hall.dialLines[index].detourAt = .zero
        hall.dialLines[index].detourPause = DialLine.firstDetourPause
        guard line.securing == connection else {
            return drive(line.owner, &step) { $0.secured(connection, at: $1, into: &$2) }
        }
        hall.dialLines[index].securing = nil
        drive(line.owner, &step) { $0.connected(connection, slot: line.slot, at: $1, into: &$2) }
    }

    mutating func phoneReceived(
        _ connection: ConnectionID, _ bytes: [UInt8], _ step: inout Step
    ) {
        guard let index = dialLine(of: connection.number) else { return }
        heardPeer(on: connection, of: hall.dialLines[index], &step)
        drive(hall.dialLines[index].owner, &step) {
            $0.received(connection, bytes, at: $1, into: &$2)
        }
    }

    mutating func phoneClosed(
        _ connection: ConnectionID, _ end: ConnectionEnd, _ step: inout Step
    ) {
        guard let index = dialLine(of: connection.number) else { return }
        let end = clock.explaining(end, at: step.now)
        let line = hall.dialLines[index]
        let standing = line.standing.first { $0.connection == connection }
        hall.dialLines[index].standing.removeAll { $0.connection == connection }
        if line.securing == connection { hall.dialLines[index].securing = nil }
        if line.openingLocal == connection { hall.dialLines[index].openingLocal = nil }
        if end.isLinkDoubtful, let standing { missedPeer(standing.link, &step) }
        if line.securing == connection || line.openingLocal == connection {
            // The link may have been left because of it, and the line be dialed by another already.
            guard !hall.dialLines[index].dialer.isDialing else { return }
            if end.isLinkDoubtful, let other = takeDetour(index, &step) {
                return dial(index, by: other, &step)
            }
            let failure: ConnectFailure =
                if case .tls(let failure) = end { .tls(failure) } else { .dial(.unreachable(end)) }
            return drive(line.owner, &step) {
                $0.connectFailed(failure, slot: line.slot, at: $1, into: &$2)
            }
        }
        // Encrypted later than it was opened, as mail and chat are: whoever owns it makes the next attempt.
        if case .tls = end, end.isLinkDoubtful, let standing { hall.dialLines[index].unsecured = standing.link }
        hall.flows.removeAll { $0.connection == connection }
        drive(dialLine: index, &step) { dialer, now, actions in
            dialer.openFailed(connection, end, at: now, into: &actions)
        }
        drive(line.owner, &step) { $0.closed(connection, end, at: $1, into: &$2) }
    }

    mutating func phoneDialerDue(_ step: inout Step) {
        for index in hall.dialLines.indices {
            drive(dialLine: index, &step) { dialer, now, actions in
                dialer.timerFired(at: now, into: &actions)
            }
        }
    }

    // MARK: Backpressure

    mutating func phoneSent(_ connection: ConnectionID, upTo: UInt64, _ step: inout Step) {
        flow(on: connection, &step) { $0.left = max($0.left, upTo) }
    }

    mutating func flow(
        on connection: ConnectionID, _ step: inout Step, _ change: (inout PhoneHall.Flow) -> Void
    ) {
        let index: Int
        if let known = hall.flows.firstIndex(where: { $0.connection == connection }) {
            index = known
        } else {
            index = hall.flows.count
            hall.flows.append(PhoneHall.Flow(connection: connection))
        }
        change(&hall.flows[index])
        let waiting = hall.flows[index].ordered - min(hall.flows[index].left, hall.flows[index].ordered)
        if !hall.flows[index].isPaused, waiting >= PhoneHall.Flow.pauseAt {
            hall.flows[index].isPaused = true
            step.effects.append(.pause(connection))
        } else if hall.flows[index].isPaused, waiting <= PhoneHall.Flow.resumeAt {
            hall.flows[index].isPaused = false
            step.effects.append(.resume(connection))
        }
    }
}
