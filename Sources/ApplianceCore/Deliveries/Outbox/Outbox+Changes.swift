package import AlarmModel

/// What became of messages, on its way to the store.
extension Outbox {
    /// Ends a message.
    mutating func finish(_ index: Int, _ state: OutboxState, _ detail: String? = nil, at now: Moment) {
        precondition(state.isFinal, "a message can only be finished with a final state")
        let item = remove(at: index)
        remember(item.message)
        guard !item.isRowless else { return }
        if item.isDuress, state == .dead || state == .expired { hiddenEnds.append(item.message) }
        note(item.message, state, detail, at: now)
        if state == .dead, item.priority == .alarm { hasUrgentChange = true }
    }

    /// Whether this is the end of a message about duress, which counts nowhere.
    mutating func takeHiddenEnd(_ message: MessageID) -> Bool {
        guard let index = hiddenEnds.firstIndex(of: message) else { return false }
        hiddenEnds.remove(at: index)
        return true
    }

    private mutating func remember(_ message: MessageID) {
        if ended.count == 64 { ended.removeFirst() }
        ended.append(message)
    }

    mutating func note(_ message: MessageID, _ state: OutboxState, _ detail: String?, at now: Moment) {
        changes.append(OutboxChange(message: message, state: state, detail: detail, time: now.wall))
        guard state.isFinal else { return }
        let slot = settling.slot { $0.message < message }
        if slot < settling.count, settling[slot].message == message {
            settling[slot].batch = nil
        } else {
            settling.insert(Settling(message: message, batch: nil), at: slot)
        }
    }

    /// The changes for `Batch.outboxChanges` of this batch; empty when none are due. They are written at most once a
    /// second to spare the card, dead letters of alarms at once, none while the store fails. To be called at the end
    /// of each step.
    package mutating func flush(into batch: BatchID, at now: Moment) -> [OutboxChange] {
        guard isStoreGood, let due = flushDue, due <= now.boot else { return [] }
        let taken = Array(changes.prefix(policy.flushLimit))
        changes.removeFirst(taken.count)
        if changes.isEmpty { hasUrgentChange = false }
        flushedAt = now.boot
        for change in taken where change.state.isFinal {
            let slot = settling.slot { $0.message < change.message }
            if slot < settling.count, settling[slot].message == change.message { settling[slot].batch = batch }
        }
        return taken
    }

    /// When the changes that wait are to be written; in the past if at once.
    private var flushDue: BootTime? {
        guard !changes.isEmpty else { return nil }
        guard !hasUrgentChange, changes.count < policy.flushLimit, let flushedAt else { return .zero }
        return flushedAt + policy.flushInterval
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
            if !item.isOverdue, !item.isRowless { note(item.message, .overdue, nil, at: now) }
            if !item.isOverdue, !item.isDuress { tellOverdue(item, at: now) }
            change(index) { item in
                item.isOverdue = true
                item.stage = .waiting
                item.notBefore = now.boot
            }
        }
        for line in lines {
            guard let end = line.route.retiresAt, now.isWallTrusted, end <= now.wall else { continue }
            dropped(line.route.address, why: "the phone's address was replaced", at: now)
        }
    }

    /// A phone that is silent in a flood of alarms is one piece of news, which is pushed itself.
    private mutating func tellOverdue(_ item: OutboxItem, at now: Moment) {
        guard let line = lineIndex(item.address) else { return }
        if let told = lines[line].overdueToldAt, now.boot - told < policy.overdueInterval { return }
        lines[line].overdueToldAt = now.boot
        tell(.alarmOverdue(item.address, item.seq))
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
        for index in items.indices {
            switch items[index].stage {
            case .waiting:
                consider(items[index].expiry(at: now))
                guard let line = lineIndex(items[index].address) else { continue }
                consider(max(items[index].notBefore, lines[line].ready(items[index], policy)))
            case .awaiting(let until), .mayBounce(let until):
                consider(until)
                consider(items[index].expiry(at: now))
            case .handed, .underWay: break
            }
        }
        if isStoreGood, let due = flushDue { consider(max(due, now.boot + .milliseconds(1))) }
        if let askedAt { consider(askedAt + policy.readPatience) }
        consider(readAgainAt)
        return earliest
    }
}
