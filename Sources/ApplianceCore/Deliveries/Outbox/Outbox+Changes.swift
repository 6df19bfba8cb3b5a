package import AlarmModel

/// What became of messages, on its way to the store.
extension Outbox {
    /// Ends a message.
    mutating func finish(_ index: Int, _ state: OutboxState, _ detail: String? = nil, at now: Moment) {
        precondition(state.isFinal, "a message can only be finished with a final state")
        let item = remove(at: index)
        changes.remember(item.message)
        if !item.isRowless { changes.note(item.message, state, detail, of: item.event, by: policy, at: now) }
    }

    /// The changes for `Batch.outboxChanges` of this batch; empty when none are due. They are written at most once a
    /// second to spare the card, dead letters of alarms at once, none while the store fails. To be called at the end
    /// of each step.
    package mutating func flush(into batch: BatchID, at now: Moment) -> [OutboxChanges.Noted] {
        isStoreGood ? changes.flush(into: batch, by: policy, at: now) : []
    }

    // MARK: Time

    /// Marks what is overdue, orders repeats and ends what has expired.
    package mutating func timerFired(at now: Moment) {
        for message in items.filter({ isDue($0, at: now) }).map(\.message) {
            guard let index = index(of: message) else { continue }
            if items[index].isExpired(at: now) {
                finish(index, .expired, at: now)
                continue
            }
            let item = items[index]
            if case .mayBounce = item.stage {
                finish(index, .accepted, at: now)
                continue
            }
            if item.event.isTest {
                // A test that is not confirmed has told what it was to tell.
                finish(index, .accepted, "no receipt", at: now)
                continue
            }
            if !item.isOverdue, !item.isRowless { changes.note(item.message, .overdue, by: policy, at: now) }
            if !item.isOverdue, let line = lineIndex(item.address) { lines[line].hasUntoldOverdue = true }
            change(index) { item in
                item.isOverdue = true
                item.stage = .waiting
                item.notBefore = now.boot
            }
        }
        for index in lines.indices where lines[index].hasUntoldOverdue { tellOverdue(index, at: now) }
        for line in lines {
            guard let end = line.route.retiresAt, now.isWallTrusted, end <= now.wall else { continue }
            dropped(line.route.address, why: "the phone's address was replaced", at: now)
        }
    }

    /// One notice for each interval. It names what is overdue at its end and was not told before.
    private mutating func tellOverdue(_ index: Int, at now: Moment) {
        if let due = lines[index].overdueDue(policy), now.boot < due { return }
        lines[index].hasUntoldOverdue = false
        let address = lines[index].route.address
        let untold = items.filter { $0.address == address && $0.isUntoldOverdue }
        guard let newest = untold.max(by: { $0.serial < $1.serial }) else { return }
        for item in untold {
            if let index = self.index(of: item.message) { change(index) { $0.isOverdueTold = true } }
        }
        lines[index].overdueToldAt = now.boot
        tell(.alarmOverdue(address, newest.seq, others: untold.count - 1))
    }

    private func isDue(_ item: OutboxItem, at now: Moment) -> Bool {
        switch item.stage {
        case .waiting: item.isExpired(at: now)
        case .awaiting(let until), .mayBounce(let until): until <= now.boot || item.isExpired(at: now)
        case .handed, .underWay: false
        }
    }

    /// When `timerFired`, `next`, `flush` and `takeQuery` are to be called again if nothing else happens. What waits
    /// for room or for a commit has no deadline. Always later than `now`.
    package func nextDeadline(after now: Moment) -> BootTime? {
        var earliest: BootTime?
        func consider(_ time: BootTime?) {
            guard let time, now.boot < time else { return }
            earliest = min(earliest ?? time, time)
        }
        // Each step asks: members are read in place, for a copy of each item would cost most of a burst.
        for index in items.indices {
            let end = OutboxItem.expiry(items[index].expiresAt, boot: items[index].expiresAtBoot, at: now)
            switch items[index].stage {
            case .waiting:
                consider(end)
                guard let line = lineIndex(items[index].address) else { continue }
                let isRepeat = items[index].acceptances > 0
                let ready = lines[line].ready(items[index].priority, isRepeat: isRepeat, policy)
                consider(max(items[index].notBefore, ready))
            case .awaiting(let until), .mayBounce(let until):
                consider(until)
                consider(end)
            case .handed, .underWay: break
            }
        }
        for index in lines.indices where lines[index].hasUntoldOverdue { consider(lines[index].overdueDue(policy)) }
        if isStoreGood, let due = changes.nextFlush(policy) { consider(max(due, now.boot + .milliseconds(1))) }
        if let askedAt { consider(askedAt + policy.readPatience) }
        consider(readAgainAt)
        return earliest
    }
}
