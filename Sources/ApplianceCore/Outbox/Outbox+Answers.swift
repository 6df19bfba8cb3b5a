package import AlarmModel
import PhoneLink

/// What the service, the phones and the people answer (reference fcm-xmpp A.6, A.9).
extension Outbox {
    /// The service has it. An alarm to a paired phone now waits for the phone's word, an alarm by chat for a word that it
    /// came back; for the rest this is the end.
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
            if item.priority == .alarm, item.way.mayBounce {
                let until = now.boot + policy.bounceSpan
                change(index) { item in
                    item.acceptances += 1
                    item.stage = .mayBounce(until: until)
                }
                limitAwaited(at: now)
            } else {
                finish(index, .accepted, at: now)
            }
            spareStandIns(for: item, at: now)
            return
        }
        let pause = pauseAfterAcceptance(item.acceptances)
        change(index) { item in
            item.acceptances += 1
            item.failures = 0
            item.unknownFailures = 0
            item.stage = .awaiting(until: now.boot + pause)
        }
        limitAwaited(at: now)
    }

    private func pauseAfterAcceptance(_ before: Int) -> Duration {
        guard before > 0, let last = policy.repeatDelays.last else { return policy.receiptDelay }
        return before <= policy.repeatDelays.count ? policy.repeatDelays[before - 1] : last
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
            guard isPlausible(message), !isSettling(message), !ended.contains(message),
                changes.count < policy.unstoredLimit
            else { return }
            note(message, .received, nil, at: now)
            return
        }
        let item = items[index]
        if let line = lineIndex(item.address), !item.isDuress { lines[line].lastReceived = now.wall }
        finish(index, .received, at: now)
        spareStandIns(for: item, at: now)
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

    // MARK: Seen

    /// What a person has seen.
    package enum Seen: Codable, Hashable, Sendable {
        case event(SequenceNumber)
        case mark(UnstoredMark)
        /// Every alarm up to this number; duress only by its mark, so that nobody in the house can silence it.
        case alarms(upTo: SequenceNumber)
    }

    /// Stops the repeats of these alarms to everybody. Who has not got one at all still gets it once.
    package mutating func seen(_ what: Seen, at now: Moment) {
        if case .alarms(let upTo) = what { seenUpTo = max(seenUpTo, upTo) }
        for item in items where item.priority == .alarm && isMeant(item, what) {
            guard let index = index(of: item.message) else { continue }
            if item.acceptances > 0 {
                finish(index, .seen, at: now)
            } else {
                change(index) { $0.isSeen = true }
            }
        }
    }

    private func isMeant(_ item: OutboxItem, _ what: Seen) -> Bool {
        switch what {
        case .event(let seq): item.seq == seq && !item.isDuress
        case .mark(let mark): item.event.unstored == mark
        case .alarms(let upTo): !item.isDuress && item.seq.map { $0 <= upTo } ?? false
        }
    }

    /// Ids of ours have this form.
    private func isPlausible(_ message: MessageID) -> Bool {
        let parts = message.text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].utf8.count == bootMark.utf8.count && UInt64(parts[1]) != nil
    }
}
