package import AlarmModel
import PhoneLink

/// What the service, the phones and the people answer (docs/push.md A.6, A.9).
extension Outbox {
    /// The service has it. An alarm to a paired phone now waits for the phone's word, an alarm by chat for a word that
    /// it came back; for the rest this is the end.
    package mutating func accepted(_ message: MessageID, at now: Moment) {
        guard let index = index(of: message) else { return }
        let item = items[index]
        switch item.stage {
        case .awaiting, .mayBounce: return
        case .waiting, .handed, .underWay: break
        }
        if let line = lineIndex(item.address) {
            // The device takes messages again when a while has passed without a refusal.
            if let until = lines[line].heldUntil, until + policy.addressHold <= now.boot {
                lines[line].holdDelay = nil
                lines[line].heldUntil = nil
            }
            lines[line].lastError = nil
            if !item.isDuress { lines[line].lastAccepted = now.wall }
        }
        if item.isSeen {
            finish(index, .seen, at: now)
            return
        }
        guard item.wantsReceipt else {
            if item.priority == .alarm, item.channel.mayBounce {
                let until = now.boot + policy.bounceSpan
                change(index) { item in
                    item.acceptances += 1
                    item.stage = .mayBounce(until: until)
                }
                limitAwaited(at: now)
            } else {
                finish(index, .accepted, at: now)
            }
            spareFallbacks(for: item, at: now)
            return
        }
        let pause = policy.receiptPause(after: item.acceptances)
        change(index) { item in
            item.acceptances += 1
            item.failures = 0
            item.unknownFailures = 0
            item.stage = .awaiting(until: now.boot + pause)
        }
        limitAwaited(at: now)
    }

    /// A phone that is silent for long must not fill the memory.
    private mutating func limitAwaited(at now: Moment) {
        guard awaited > policy.awaitedLimit else { return }
        var victim: Int?
        for (index, item) in items.enumerated() {
            switch item.stage {
            case .waiting, .handed, .underWay: continue
            case .awaiting, .mayBounce: break
            }
            if let known = victim, item.acceptances <= items[known].acceptances { continue }
            victim = index
        }
        guard let victim else { return }
        let why = items[victim].wantsReceipt ? "no receipt; too many alarms wait for one" : nil
        finish(victim, .accepted, why, at: now)
    }

    /// The phone has it, says a receipt of the service or the phone itself.
    package mutating func received(_ message: MessageID, at now: Moment) {
        guard let index = index(of: message) else {
            // Forgotten here, perhaps open in the store.
            guard isPlausible(message), !changes.hasEnded(message) else { return }
            return changes.note(message, .received, by: policy, at: now)
        }
        let item = items[index]
        if let line = lineIndex(item.address), !item.isDuress { lines[line].lastReceived = now.wall }
        finish(index, .received, at: now)
        spareFallbacks(for: item, at: now)
    }

    /// The phone says that it has the log up to this number: nothing of it needs to be sent any more.
    /// - Parameter last: the newest number of the log; a phone that claims more has another log and is not believed
    package mutating func confirmed(
        _ phone: PhoneID, upTo seq: SequenceNumber, last: SequenceNumber, at now: Moment
    ) {
        guard seq <= last else { return }
        for line in lines.indices where lines[line].route.phone == phone {
            lines[line].confirmedUpTo = max(lines[line].confirmedUpTo, seq)
            if seq > .zero { lines[line].lastReceived = now.wall }
        }
        finish(.received, at: now) { item in
            item.seq.map { $0 <= seq } ?? false
        } to: {
            $0.phone == phone
        }
    }

    /// The phone says that it has this event.
    package mutating func confirmed(_ phone: PhoneID, _ seq: SequenceNumber, at now: Moment) {
        finish(.received, at: now) {
            $0.seq == seq
        } to: {
            $0.phone == phone
        }
    }

    /// The phone says that it has the event with this mark: one that left unstored, or duress.
    package mutating func confirmed(_ phone: PhoneID, _ mark: UnstoredMark, at now: Moment) {
        finish(.received, at: now) {
            $0.event.unstored == mark
        } to: {
            $0.phone == phone
        }
    }

    private mutating func finish(
        _ state: OutboxState, at now: Moment, _ isMeant: (OutboxItem) -> Bool, to isThere: (OutboxRoute) -> Bool
    ) {
        let addresses = lines.filter { isThere($0.route) }.map(\.route.address)
        for message in items.filter({ addresses.contains($0.address) && isMeant($0) }).map(\.message) {
            guard let index = index(of: message) else { continue }
            if state == .received, !items[index].isDuress, let line = lineIndex(items[index].address) {
                lines[line].lastReceived = now.wall
            }
            finish(index, state, at: now)
        }
    }

    // MARK: Refusals

    /// Not now, for a reason that passes (SERVICE_UNAVAILABLE, INTERNAL_SERVER_ERROR): again until it expires.
    /// - Parameters:
    ///   - first: the shortest pause that the channel wants; longer ones double up to the policy's cap
    ///   - after: what the service itself asked for, if it did
    package mutating func retry(
        _ message: MessageID, why: String, first: Duration = .zero, after: Duration? = nil, at now: Moment
    ) {
        guard let index = refused(message, why) else { return }
        let failures = items[index].failures
        let cap = items[index].priority <= .fault ? policy.urgentRetryCap : policy.retryCap
        let longest = policy.longestPause(items[index], asked: after)
        let least = max(policy.firstRetry, min(first, longest ?? first))
        let doubled = least * (1 << min(failures + 1, 20))
        let delay = jitter.duration(in: least..<max(least, min(doubled, cap)))
        let pause = items[index].hasBounced ? policy.bounceSpan : .zero
        change(index) { item in
            item.failures += 1
            item.wait(until: now.boot + max(delay, pause, longest ?? after ?? .zero), isAsked: after != nil)
        }
    }

    /// Refused for a reason that nobody knows, or that hardly passes: so many tries in all. An alarm goes on until it
    /// expires, to the house's own addresses ever more rarely: a failing program is not run a hundred thousand times.
    package mutating func unknownRefusal(
        _ message: MessageID, why: String, first: Duration = .zero, attempts: Int, after: Duration? = nil,
        at now: Moment
    ) {
        guard let index = refusable(message) else { return }
        change(index) { $0.unknownFailures += 1 }
        guard let index = self.index(of: message) else { return }
        let beyond = items[index].unknownFailures - attempts
        guard beyond >= 0 else { return retry(message, why: why, first: first, after: after, at: now) }
        guard items[index].priority == .alarm else { return died(message, why: why, at: now) }
        var pause = first
        if isHouse(items[index].address) {
            let doubled = max(first, policy.firstRetry) * (1 << min(beyond + 1, 20))
            pause = max(first, min(doubled, policy.exhaustedPause))
        }
        retry(message, why: why, first: pause, after: after, at: now)
    }

    /// Refused until a person has acted (an account, a right, an address): an alarm is tried again, a while apart,
    /// until it expires; for the rest this is the end.
    package mutating func blocked(_ message: MessageID, why: String, at now: Moment) {
        guard let index = index(of: message), items[index].priority == .alarm else {
            return died(message, why: why, at: now)
        }
        retry(message, why: why, first: policy.blockedPause, at: now)
    }

    private func isHouse(_ address: AddressID) -> Bool {
        guard let line = lineIndex(address), case .house = lines[line].route.receiver else { return false }
        return true
    }

    /// The connection is draining: the same message leaves at once on the next one.
    package mutating func again(_ message: MessageID) { returned([message]) }

    /// This device gets too much (DEVICE_MESSAGE_RATE_EXCEEDED): it is left alone for the span (`after`: as
    /// the service asks), then for longer. Alarms that were not refused themselves still try.
    package mutating func tooFast(
        _ message: MessageID, why: String, for span: Duration, after: Duration? = nil, at now: Moment
    ) {
        guard let index = refused(message, why) else { return }
        let address = items[index].address
        let longest = policy.longestPause(items[index], asked: after.map { max($0, span) })
        let pause = (longest ?? span) + (items[index].priority == .alarm ? turn(among: address, at: now) : .zero)
        change(index) { $0.wait(until: now.boot + pause, isAsked: after != nil) }
        guard let line = lineIndex(address) else { return }
        // Several refusals of one burst are one hold.
        if let until = lines[line].heldUntil, until > now.boot { return }
        let doubled = lines[line].holdDelay.map { $0 * 2 } ?? span
        let delay = max(span, min(doubled, policy.addressHoldCap))
        lines[line].holdDelay = delay
        lines[line].heldUntil = now.boot + delay
    }

    /// When an alarm that was refused with others tries again, after the pause: each has its turn, as far apart as the
    /// service takes messages, so that they do not come back in one burst that is refused like the first.
    private mutating func turn(among address: AddressID, at now: Moment) -> Duration {
        let before = items.count { item in
            item.address == address && item.priority == .alarm && item.stage == .waiting && item.notBefore > now.boot
        }
        let turns = max(1, Int(policy.addressHold.nanoseconds / policy.refusedAlarmInterval.nanoseconds))
        return policy.refusedAlarmInterval * (before % turns)
            + jitter.duration(in: .zero..<policy.refusedAlarmInterval)
    }

    /// It will never be taken; `why` is kept with it.
    package mutating func died(_ message: MessageID, why: String, at now: Moment) {
        guard let index = index(of: message) else { return }
        let item = items[index]
        if let line = lineIndex(item.address) { lines[line].lastError = why }
        if item.priority == .alarm, !item.isDuress { tell(.alarmDied(item.address, item.seq, why: why)) }
        finish(index, .dead, why, at: now)
        releaseFallbacks(for: item, at: now)
    }

    /// Nobody is at this address any more: its open messages are given up, here and in the store.
    /// - Returns: how many were in memory, without duress
    @discardableResult
    package mutating func dropped(_ address: AddressID, why: String, at now: Moment) -> Int {
        guard let line = lineIndex(address) else { return 0 }
        let open = items.filter { $0.address == address }
        for item in open {
            guard let index = index(of: item.message) else { continue }
            finish(index, .dead, why, at: now)
        }
        let unheld = lines.remove(at: line).unheld
        kill(address, why: why, after: unheld?.lastBatch)
        return open.filter { !$0.isDuress }.count
    }

    mutating func kill(_ address: AddressID, why: String, after: BatchID? = nil) {
        guard !dying.contains(where: { $0.address == address }) else { return }
        dying.append(Dying(address: address, why: why, after: after))
    }

    private mutating func refused(_ message: MessageID, _ why: String) -> Int? {
        guard let index = refusable(message) else { return nil }
        if let line = lineIndex(items[index].address) { lines[line].lastError = why }
        return index
    }

    /// What came back was not taken.
    private mutating func refusable(_ message: MessageID) -> Int? {
        guard let index = takeBack(message) else { return nil }
        // The word that the message came back may overtake the one that it was taken.
        if items[index].channel.mayBounce { change(index) { $0.hasBounced = true } }
        return self.index(of: message)
    }

    /// The place of a message that is under way, or that a service took which may send it back; nil for others.
    mutating func takeBack(_ message: MessageID) -> Int? {
        guard let index = index(of: message) else { return nil }
        switch items[index].stage {
        case .underWay: return index
        case .mayBounce:
            change(index) { ($0.acceptances, $0.stage) = ($0.acceptances - 1, .underWay) }
            return self.index(of: message)
        case .waiting, .handed, .awaiting: return nil
        }
    }

    // MARK: Seen

    /// Stops the repeats of these alarms. Who has not got one at all still gets it once.
    package mutating func seen(_ what: OutboxSeen, at now: Moment) {
        switch what {
        case .alarms(let upTo, nil): seenUpTo = max(seenUpTo, upTo)
        case .alarms(let upTo, let person?):
            for index in lines.indices where lines[index].route.person == person {
                lines[index].seenUpTo = max(lines[index].seenUpTo, upTo)
            }
        case .event, .mark: break
        }
        for item in items where item.priority == .alarm && isMeant(item, what) {
            guard let index = index(of: item.message) else { continue }
            if item.acceptances > 0 {
                finish(index, .seen, at: now)
            } else {
                change(index) { $0.isSeen = true }
            }
        }
    }

    private func isMeant(_ item: OutboxItem, _ what: OutboxSeen) -> Bool {
        switch what {
        case .event(let seq): item.seq == seq && !item.isDuress
        case .mark(let mark): item.event.unstored == mark
        case .alarms(let upTo, let person):
            !item.isDuress && item.seq.map { $0 <= upTo } ?? false
                && (person == nil || lineIndex(item.address).map { lines[$0].route.person } == person)
        }
    }

    /// Ids of ours have this form.
    private func isPlausible(_ message: MessageID) -> Bool {
        let parts = message.text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].utf8.count == bootMark.utf8.count && UInt64(parts[1]) != nil
    }
}
