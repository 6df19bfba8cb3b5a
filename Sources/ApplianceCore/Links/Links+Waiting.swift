import AlarmModel
import PhoneLink
import Uplinks

/// Messages that wait: what is known of a link at the message, and not at the bytes.
///
/// A connection that ends while a message waits, by whatever end, is a doubt about its link, unless it has carried a
/// message since something was sent on it. While an alarm waits, a line that has tried for `DialLine.alarmPatience`
/// takes the next link, wherever it stands in its dialogue.
extension Links {
    /// Owner of a message that no service has accepted.
    struct Waiting: Codable, Equatable, Sendable {
        var owner: LineOwner
        /// Time since which the message waits, or since the last one was answered; kept when connections come and go.
        var since: BootTime
        /// Time at which the failover is next told of the silence.
        var silenceDue: BootTime
    }

    /// A connection that ended in this step.
    struct Ended: Equatable, Sendable {
        var line: UInt64
        var standing: DialLine.Standing
    }

    func hasWaiting(_ owner: LineOwner) -> Bool { waiting.contains { $0.owner == owner } }

    /// Judges a link by what becomes of a message that took it.
    ///
    /// - Returns: what is to be done with it: what another link may have more luck with was not refused yet
    mutating func told(_ action: TransportAction, by kind: ChannelKind, _ step: inout Step) -> TransportAction {
        let owner = LineOwner.channel(kind)
        switch action {
        case .accepted: accepted(by: owner, &step)
        case .refused(let message, let refusal):
            answered(by: owner)
            guard refusal.reaction.sendsAgain else { break }
            if !refusal.needsPerson {
                if leavesRefusing(owner, &step) { return .returned([message]) }
                if wakesAnother(for: owner, &step) {
                    returned(by: owner)
                    let soon = Refusal(.resend(after: Self.wakingPause), why: refusal.why, kind: refusal.kind)
                    return .refused(message, soon)
                }
            }
            returned(by: owner)
        case .returned: returned(by: owner)
        case .connect, .cancelConnect, .upgrade, .send, .close, .compute, .locate, .ready, .notReady, .received,
            .inbound, .problem, .log, .serverTime, .presence:
            break
        }
        return action
    }

    /// A message came back without being accepted.
    private mutating func returned(by owner: LineOwner) {
        if !returned.contains(owner) { returned.append(owner) }
    }

    /// Takes over, at the end of a step, for whom messages wait.
    mutating func messagesWait(for owners: [LineOwner], _ step: inout Step) {
        defer { (ended, returned, readConnection) = ([], [], nil) }
        judgeEnds(owners, &step)
        var owners = owners
        for line in lines where line.owner.channel == nil && line.isUnanswered { owners.append(line.owner) }
        waiting.removeAll { !owners.contains($0.owner) }
        let now = step.now.boot
        for owner in owners where !hasWaiting(owner) {
            waiting.append(Waiting(owner: owner, since: now, silenceDue: now + DialLine.answerPatience))
        }
        leaveStalled(&step)
    }

    private mutating func judgeEnds(_ owners: [LineOwner], _ step: inout Step) {
        for end in ended where !end.standing.hasCarried {
            guard let index = index(ofLine: end.line) else { continue }
            let owner = lines[index].owner
            guard owners.contains(owner) || returned.contains(owner) else { continue }
            // A link is told as unreliable only where a certificate has proved the server.
            let opened = end.standing.isSecured ? end.standing.since : nil
            doubt(index, end.standing.link, opened: opened, &step)
        }
    }

    // MARK: Time

    /// Time at which a silence is told to the failover, or a line is left; nil while no alarm waits.
    func waitingDeadline(_ step: Step) -> BootTime? {
        guard isAlarmWaiting else { return nil }
        let silences = failover == nil ? nil : waiting.map(\.silenceDue).min()
        let stalls = lines.compactMap { stallDue($0, step) }.filter { $0 > step.now.boot }.min()
        return [silences, stalls].compactMap { $0 }.min()
    }

    mutating func lookAtConnections(_ step: inout Step) {
        tellSilences(&step)
        moveStrays(step)
    }

    private mutating func tellSilences(_ step: inout Step) {
        guard isAlarmWaiting, failover != nil else { return }
        for index in waiting.indices where waiting[index].silenceDue <= step.now.boot {
            waiting[index].silenceDue = step.now.boot + DialLine.answerPatience
            for line in lines where line.owner == waiting[index].owner && !line.isInHouse {
                if let link = line.standing.last?.link ?? line.triedLinks.last { missedPeer(link, &step) }
            }
        }
    }

    /// When a line that tries by the usual link has tried long enough; nil where nothing waits for it, and where there
    /// is neither another link nor another address.
    private func stallDue(_ line: DialLine, _ step: Step) -> BootTime? {
        guard line.owner.channel != nil, !line.isInHouse,
            let waiting = waiting.first(where: { $0.owner == line.owner }),
            isTrying(line, by: link(of: line)), failover != nil || isMisled(line, step)
        else { return nil }
        return max(waiting.since, line.dialedAt) + DialLine.alarmPatience
    }

    private func isTrying(_ line: DialLine, by link: Link) -> Bool {
        if line.dialer.isDialing || line.securing != nil { return line.triedLinks.last == link }
        return line.standing.contains { $0.link == link }
    }

    /// Whatever such a line waits for takes too long for an alarm, and the next link answers, or another address may.
    private mutating func leaveStalled(_ step: inout Step) {
        guard isAlarmWaiting else { return }
        #if SABOTAGE
            if step.sabotage == .silenceIsNoDoubt || step.sabotage == .keepsDeadLink { return }
        #endif
        for index in lines.indices {
            guard let due = stallDue(lines[index], step), due <= step.now.boot else { continue }
            let isMisled = isMisled(lines[index], step)
            guard isMisled || canDetour(index, step.now) else {
                _ = wakesAnother(for: lines[index].owner, &step)
                continue
            }
            lines[index].doubtsNames = lines[index].doubtsNames || isMisled
            doubt(index, link(of: lines[index]), opened: step.now.boot, &step)
            actions.append(.leave(Leaving(stalled: lines[index].owner)))
        }
    }

    /// True if a standing connection goes to an unproved address while a proved one is known.
    private func isMisled(_ line: DialLine, _ step: Step) -> Bool {
        line.standing.contains { mayBeMisled($0, line, step) }
    }

    func mayBeMisled(_ standing: DialLine.Standing, _ line: DialLine, _ step: Step) -> Bool {
        guard let unproved = standing.address else { return false }
        return step.isProved(line.target.host) && !step.addresses.contains(unproved)
    }

    // MARK: Links that sleep

    /// An alarm is tried again after it while a sleeping link is woken. A refusal then finds that link.
    private static let wakingPause = Duration.seconds(5)

    /// True if a link that sleeps may soon take what this owner's service does not take by the usual one.
    private mutating func wakesAnother(for owner: LineOwner, _ step: inout Step) -> Bool {
        guard isAlarmWaiting, lines.contains(where: { $0.owner == owner && !$0.isInHouse }) else { return false }
        var mayAnswer = false
        driveLinks(&step) { mayAnswer = $0.wakeForAlarm(at: $1, into: &$2) }
        return mayAnswer
    }

    // MARK: Refusals

    /// The service refuses, while an alarm waits, what it may take another time: perhaps for the sake of the address that
    /// it came from, whose quota others have used up. The next link has another address.
    ///
    /// - Returns: whether all that this owner has by the usual link is left, so that the message may leave at once
    private mutating func leavesRefusing(_ owner: LineOwner, _ step: inout Step) -> Bool {
        guard isAlarmWaiting, let connection = readConnection, case .line(let number) = connection.owner,
            let index = index(ofLine: number), lines[index].owner == owner, canDetour(index, step.now)
        else { return false }
        let standing =
            lines[index].standing.first { $0.connection == connection }
            ?? ended.first { $0.standing.connection == connection }?.standing
        guard let standing, standing.link == link(of: lines[index]) else { return false }
        for index in lines.indices where lines[index].owner == owner {
            doubt(index, standing.link, opened: nil, &step)
        }
        ended.removeAll { $0.standing.connection == connection }
        actions.append(.leave(Leaving(stalled: owner)))
        return true
    }
}

extension DialLine {
    fileprivate var isUnanswered: Bool { !isInHouse && standing.contains { $0.unansweredSince != nil } }
}
