import AlarmModel
import PhoneLink
import Uplinks

/// Messages that wait: what is known of a link at the message, and not at the bytes.
///
/// A connection that ends while a message waits, by whatever end, is a doubt about its link, unless it has carried a
/// message since something was sent on it. While an alarm waits, a line that has tried for `DialLine.alarmPatience`
/// takes the next link, wherever it stands in its dialogue.
extension Links {
    /// Whoever has a message that no service has accepted.
    struct Waiting: Codable, Equatable, Sendable {
        var owner: LineOwner
        /// When the message began to wait, or the last one before it was answered; kept when connections come and go.
        var since: BootTime
        /// When the failover is next told of the silence.
        var silenceDue: BootTime
    }

    /// A connection that ended in this step.
    struct Ended: Equatable, Sendable {
        var line: UInt64
        var standing: DialLine.Standing
    }

    func hasWaiting(_ owner: LineOwner) -> Bool { waiting.contains { $0.owner == owner } }

    /// A message came back without being accepted.
    mutating func returned(by owner: LineOwner) {
        if !returned.contains(owner) { returned.append(owner) }
    }

    /// At the end of a step: for whom messages wait now.
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
            // What no certificate proves is told by whoever looks at certificates.
            let opened = end.standing.isSecured ? end.standing.since : nil
            doubt(index, end.standing.link, opened: opened, &step)
        }
    }

    // MARK: Time

    /// When a silence is told to the failover, or a line is left; nil while no alarm waits.
    func waitingDeadline(after now: BootTime) -> BootTime? {
        guard let failover, failover.isAlarmWaiting else { return nil }
        let silences = waiting.map(\.silenceDue).min()
        let stalls = lines.compactMap { stallDue($0) }.filter { $0 > now }.min()
        return [silences, stalls].compactMap { $0 }.min()
    }

    mutating func lookAtConnections(_ step: inout Step) {
        tellSilences(&step)
        moveStrays(step)
    }

    private mutating func tellSilences(_ step: inout Step) {
        guard let failover, failover.isAlarmWaiting else { return }
        for index in waiting.indices where waiting[index].silenceDue <= step.now.boot {
            waiting[index].silenceDue = step.now.boot + DialLine.answerPatience
            for line in lines where line.owner == waiting[index].owner && !line.isInHouse {
                if let link = line.standing.last?.link ?? line.triedLinks.last { missedPeer(link, &step) }
            }
        }
    }

    /// When a line that tries by the usual link has tried long enough; nil where nothing waits for it.
    private func stallDue(_ line: DialLine) -> BootTime? {
        guard line.owner.channel != nil, !line.isInHouse,
            let waiting = waiting.first(where: { $0.owner == line.owner }),
            isTrying(line, by: link(of: line))
        else { return nil }
        return max(waiting.since, line.dialedAt) + DialLine.alarmPatience
    }

    private func isTrying(_ line: DialLine, by link: Link) -> Bool {
        if line.dialer.isDialing || line.securing != nil { return line.triedLinks.last == link }
        return line.standing.contains { $0.link == link }
    }

    /// Whatever such a line waits for takes too long for an alarm, and the next link answers.
    private mutating func leaveStalled(_ step: inout Step) {
        guard let failover, failover.isAlarmWaiting else { return }
        for index in lines.indices {
            guard let due = stallDue(lines[index]), due <= step.now.boot, canDetour(index, step.now) else { continue }
            doubt(index, link(of: lines[index]), opened: step.now.boot, &step)
            actions.append(.leave(Leaving(stalled: lines[index].number)))
        }
    }
}

extension DialLine {
    fileprivate var isUnanswered: Bool { !isInHouse && standing.contains { $0.unansweredSince != nil } }
}
