import AlarmModel
import PhoneLink
import Uplinks

/// Links that half work: connections open by them, are secured even, and what is sent is never answered. A handshake
/// proves nothing there. A doubt about a link begins with a silence, or with a connection that ends while a message
/// waits; it ends with a message that is accepted, and where there are no messages with an answer.
extension Links {
    /// A link of which connections were let down, although its probes are answered.
    struct UnreliableLink: Codable, Equatable, Sendable {
        var link: Link
        var doubts = 1
        var lastDoubt: BootTime
        var isTold = false

        /// Doubts that are further apart have nothing to do with each other; without one for so long it is over. Longer
        /// than any hold, after which the link is tried again.
        static let memory = Duration.minutes(30)
        /// A server that was started anew lets a single connection down.
        static let doubtsToTell = 2
        /// The answer by another link proves something of the link that was left just before.
        static let proofWithin = Duration.seconds(30)
    }

    /// Something was sent that wants an answer.
    mutating func waitsForAnswer(_ connection: ConnectionID, _ now: BootTime) {
        guard let (index, place) = place(of: connection) else { return }
        let line = lines[index]
        lines[index].standing[place].unansweredSince = line.standing[place].unansweredSince ?? now
        lines[index].standing[place].hasCarried = false
    }

    /// Something came on a connection.
    mutating func answered(_ connection: ConnectionID, _ index: Int, _ step: inout Step) {
        guard let place = lines[index].standing.firstIndex(where: { $0.connection == connection }) else { return }
        readConnection = connection
        lines[index].standing[place].unansweredSince = nil
        lines[index].standing[place].hasBeenAnswered = true
        let standing = lines[index].standing[place]
        // Before it has proved who it is, anybody may have said it.
        guard standing.isSecured || !lines[index].isSecuredLater else { return }
        if let address = standing.address {
            step.remember(address)
            lines[index].standing[place].address = nil
            lines[index].doubtsNames = false
        }
        guard lines[index].owner.channel != nil else { return proved(standing, index, &step) }
        // A login mends nothing: while no message waits, nothing else can be looked at.
        if !hasWaiting(lines[index].owner) { provedServer(by: standing, index, &step) }
    }

    /// A service has accepted a message: the one proof of a link for whoever sends messages.
    mutating func accepted(by owner: LineOwner, _ step: inout Step) {
        answered(by: owner)
        guard let connection = readConnection, case .line(let number) = connection.owner,
            let index = index(ofLine: number), lines[index].owner == owner
        else { return }
        if let place = lines[index].standing.firstIndex(where: { $0.connection == connection }) {
            lines[index].standing[place].hasCarried = true
            proved(lines[index].standing[place], index, &step)
        } else if let place = ended.firstIndex(where: { $0.standing.connection == connection }) {
            ended[place].standing.hasCarried = true
            proved(ended[place].standing, index, &step)
        }
    }

    /// A service has said what becomes of a message: the next one waits anew.
    mutating func answered(by owner: LineOwner) { waiting.removeAll { $0.owner == owner } }

    private mutating func proved(_ standing: DialLine.Standing, _ index: Int, _ step: inout Step) {
        provedServer(by: standing, index, &step)
        guard lines[index].detouredFrom == nil, standing.link == failover?.link,
            isNewer(standing, than: standing.link)
        else { return }
        lines[index].detourHold = nil
        tellReliable(standing.link, &step)
    }

    /// The server is well, so that it was the link that was left before.
    private mutating func provedServer(by standing: DialLine.Standing, _ index: Int, _ step: inout Step) {
        lines[index].lastDetour = nil
        if let left = lines[index].detouredFrom, standing.link != left { tellUnreliable(left, &step) }
    }

    /// What stood before a link was doubted proves nothing of what is opened by it now.
    private func isNewer(_ standing: DialLine.Standing, than link: Link) -> Bool {
        unreliable.first { $0.link == link }.map { standing.since > $0.lastDoubt } ?? true
    }

    /// The owner of a connection closes it.
    mutating func close(_ connection: ConnectionID, _ step: inout Step) {
        step.effects.append(.close(connection))
        if let (index, place) = place(of: connection) {
            let standing = lines[index].standing[place]
            if let since = standing.unansweredSince, step.now.boot - since >= DialLine.answerPatience {
                doubt(index, standing.link, opened: standing.since, &step)
            }
            noteEnd(of: standing, index, step)
        }
        forget(connection)
    }

    /// Keeps the end of a connection: what it says about the link is known at the end of the step.
    mutating func noteEnd(of standing: DialLine.Standing, _ index: Int, _ step: Step) {
        // A remembered address has failed as well: the name servers may know a newer address.
        if standing.address != nil { lines[index].doubtsNames = mayBeMisled(standing, lines[index], step) }
        guard failover != nil, !lines[index].isInHouse else { return }
        ended.append(Ended(line: lines[index].number, standing: standing))
    }

    /// A connection was let down by its link, as it seems: the next begins with another.
    ///
    /// - Parameter opened: when it opened; nil: it says too little about the link to be told
    mutating func doubt(_ index: Int, _ link: Link, opened: BootTime?, _ step: inout Step) {
        guard failover != nil, !lines[index].isInHouse, let timings = step.configuration.uplinks?.timings else {
            return
        }
        #if SABOTAGE
            if step.sabotage == .silenceIsNoDoubt || step.sabotage == .keepsDeadLink { return }
        #endif
        lines[index].doubted = link
        let isFirst = lines[index].doubtedAt != step.now.boot
        lines[index].doubtedAt = step.now.boot
        if link == failover?.link, isFirst {
            let hold = min(lines[index].detourHold.map { $0 * 2 } ?? timings.hold, timings.holdLimit)
            lines[index].detourHold = hold
            lines[index].detourUntil = step.now.boot + hold
            if let opened { noteDoubt(of: link, opened: opened, step.now.boot) }
        }
        missedPeer(link, &step)
    }

    private func place(of connection: ConnectionID) -> (line: Int, standing: Int)? {
        guard case .line(let number) = connection.owner, let index = index(ofLine: number),
            let place = lines[index].standing.firstIndex(where: { $0.connection == connection })
        else { return nil }
        return (index, place)
    }

    // MARK: What is told

    private mutating func noteDoubt(of link: Link, opened: BootTime, _ now: BootTime) {
        guard let index = unreliable.firstIndex(where: { $0.link == link }) else {
            return unreliable.append(UnreliableLink(link: link, lastDoubt: now))
        }
        // A server that is restarted ends all connections that stood, and that is one doubt.
        guard opened >= unreliable[index].lastDoubt else { return }
        let isNew = !unreliable[index].isTold && now - unreliable[index].lastDoubt > UnreliableLink.memory
        unreliable[index].doubts = isNew ? 1 : unreliable[index].doubts + 1
        unreliable[index].lastDoubt = now
    }

    private mutating func tellUnreliable(_ link: Link, _ step: inout Step) {
        guard let index = unreliable.firstIndex(where: { $0.link == link }), !unreliable[index].isTold,
            unreliable[index].doubts >= UnreliableLink.doubtsToTell,
            step.now.boot - unreliable[index].lastDoubt <= UnreliableLink.proofWithin
        else { return }
        unreliable[index].isTold = true
        noteLoss(
            "The link \(name(of: link)) cannot be relied on: connections by it open, and what is sent is not answered. "
                + "Another link carries what it does not. Look at the router, and whether somebody meddles with it.",
            .linkLost, of: name(of: link), &step)
    }

    private mutating func tellReliable(_ link: Link, _ step: inout Step) {
        guard let index = unreliable.firstIndex(where: { $0.link == link }),
            step.now.boot - unreliable[index].lastDoubt > UnreliableLink.memory
        else { return }
        if unreliable[index].isTold {
            step.note(
                .recovery, .linkRestored, "The link \(name(of: link)) answers again.", about: .link(name(of: link)))
        }
        unreliable.remove(at: index)
    }

    private func name(of link: Link) -> String {
        failover?.report.first { $0.interface.map { .interface($0) } == link }?.name ?? "\(link)"
    }
}

extension DialLine {
    /// Mail and chat may be encrypted only after they began.
    fileprivate var isSecuredLater: Bool {
        switch owner {
        case .channel(.mail), .channel(.xmpp): true
        case .channel(.ntfy), .channel(.fcm), .channel(.ccs), .channel(.mqtt), .channel(.url), .channel(.program),
            .channel(.beanstalk), .channel(.webPush), .channel(.receiver), .deadManPing, .updates, .cameras, .history,
            .ups, .calls:
            false
        }
    }
}

extension DialLine.Standing {
    /// The other side, or somebody in its place, ended it before it had answered anything.
    func wasLetDown(by end: ConnectionEnd) -> Bool {
        guard unansweredSince != nil else { return false }
        switch end {
        case .timedOut, .unreachable: return true
        case .refused, .reset, .finished, .failed: return !hasBeenAnswered
        case .local, .tls: return false
        }
    }
}
