package import AlarmModel

/// What the store holds and memory does not.
extension Outbox {
    /// What is to be read now; nil if nothing. To be answered with `arrived` or `readFailed` before the next is given.
    package mutating func takeQuery(at now: Moment) -> OutboxQuery? {
        guard askedAt == nil, readAgainAt.map({ $0 <= now.boot }) ?? true, changes.hasRoomForPage(policy) else {
            return nil
        }
        guard let query = openQuery() ?? dyingQuery() else { return nil }
        askedAt = now.boot
        readAgainAt = nil
        return query
    }

    /// Addresses share the memory; none may starve the others.
    private var share: Int { max(10, policy.readAhead / max(1, lines.count)) }

    private mutating func openQuery() -> OutboxQuery? {
        guard lines.contains(where: { $0.horizon != nil }) else { return nil }
        var ready = Array(repeating: 0, count: lines.count)
        var held = ready
        for index in items.indices {
            guard let line = lineIndex(items[index].address) else { continue }
            held[line] += 1
            guard items[index].stage == .waiting else { continue }
            let place = items[index].place
            if lines[line].horizon.map({ place < $0 }) ?? true { ready[line] += 1 }
        }
        let share = share
        guard lines.indices.contains(where: { lines[$0].horizon != nil && ready[$0] <= share / 2 }) else { return nil }
        var addresses: [AddressID] = []
        var limit = changes.settling.count
        for line in lines.indices where lines[line].horizon != nil && ready[line] <= share / 2 {
            lines[line].isAsked = true
            lines[line].sinceAsked = nil
            addresses.append(lines[line].route.address)
            // What is in memory comes back as well.
            limit += held[line] + share
        }
        return .open(addresses: addresses, limit: limit)
    }

    private mutating func dyingQuery() -> OutboxQuery? {
        guard dying.contains(where: { $0.after == nil }) else { return nil }
        for index in dying.indices where dying[index].after == nil { dying[index].isAsked = true }
        let limit = policy.readAhead + changes.settling.count
        return .open(addresses: dying.filter(\.isAsked).map(\.address), limit: limit)
    }

    /// The answer.
    /// - Parameters:
    ///   - messages: in the store's order
    ///   - orphans: open messages whose events the store does not have any more
    ///   - hasMore: whether the limit cut it off
    package mutating func arrived(
        _ messages: [StoredMessage], orphans: [MessageID], hasMore: Bool, at now: Moment
    ) {
        guard askedAt != nil else { return }
        askedAt = nil
        if !canRead { tell(.storeReadable) }
        failedReads = 0
        // What memory holds it can still tell.
        let lost = orphans.filter { !changes.isSettling($0) && index(of: $0) == nil }
        let why = "its event can no longer be read in the journal"
        for orphan in lost { changes.note(orphan, .dead, why, by: policy, at: now) }
        if !lost.isEmpty { tell(.eventsLost(lost.count)) }
        var progress = !lost.isEmpty
        if lines.contains(where: \.isAsked) {
            progress = takeOpen(messages, hasMore: hasMore, at: now) || progress
        } else {
            progress = takeDying(messages, hasMore: hasMore, at: now) || progress
        }
        // A store that answers the same for ever must not keep the box busy.
        if hasMore, !progress { readAgainAt = now.boot + .seconds(1) }
    }

    /// The read failed: it is ordered again after a second.
    package mutating func readFailed(at now: Moment) {
        guard askedAt != nil else { return }
        askedAt = nil
        failedReads += 1
        if failedReads == policy.readTries { tell(.storeUnreadable) }
        readAgainAt = now.boot + .seconds(1)
        for index in lines.indices { lines[index].isAsked = false }
        for index in dying.indices { dying[index].isAsked = false }
    }

    /// False while reads fail for long: then new messages do not wait for older ones that only the store holds.
    var canRead: Bool { failedReads < policy.readTries }

    private mutating func takeOpen(_ messages: [StoredMessage], hasMore: Bool, at now: Moment) -> Bool {
        var progress = false
        var heldCount = 0
        var isFull = false
        var seen = Array(repeating: 0, count: lines.count)
        var cut: [OutboxItem.Place?] = Array(repeating: nil, count: lines.count)
        let share = share
        for message in messages {
            guard let line = lineIndex(message.address) else { continue }
            if let index = index(of: message.message) {
                // What waits for its receipt takes nothing of the share.
                if items[index].stage == .waiting { seen[line] += 1 }
                continue
            }
            if changes.isSettling(message.message) { continue }
            if cut[line] != nil { continue }
            let item = item(for: message, lines[line], at: now)
            guard seen[line] < share + 1 else {
                cut[line] = item.place
                continue
            }
            progress = true
            if let end = endAtOnce(item, lines[line], at: now) {
                changes.note(item.message, end, of: item.event, by: policy, at: now)
                continue
            }
            nextSerial += 1
            seen[line] += 1
            if hold(item) {
                heldCount += 1
            } else {
                cut[line] = item.place
                isFull = true
            }
        }
        // Memory is full of what is more important. What this read has brought makes room when it has left; one that has
        // brought little would be repeated for each message that leaves, and what is to be stored waits behind it.
        if isFull, heldCount < max(1, policy.readAhead / 10) { readAgainAt = now.boot + .seconds(1) }
        let last = messages.last.map(OutboxItem.Place.init)
        for index in lines.indices where lines[index].isAsked {
            let before = lines[index].horizon
            var horizon = hasMore ? last ?? before : nil
            for other in [cut[index], lines[index].sinceAsked] {
                if let other { horizon = min(horizon ?? other, other) }
            }
            lines[index].horizon = horizon
            lines[index].isAsked = false
            lines[index].sinceAsked = nil
            if horizon != before { progress = true }
        }
        return progress
    }

    private mutating func takeDying(_ messages: [StoredMessage], hasMore: Bool, at now: Moment) -> Bool {
        var progress = false
        for message in messages where !changes.isSettling(message.message) {
            guard let end = dying.first(where: { $0.address == message.address }) else { continue }
            changes.note(message.message, .dead, end.why, of: message.event, by: policy, at: now)
            progress = true
        }
        if !hasMore { dying.removeAll(where: \.isAsked) }
        for index in dying.indices { dying[index].isAsked = false }
        return progress
    }

    /// A message that needs no sending any more.
    private func endAtOnce(_ item: OutboxItem, _ line: OutboxLine, at now: Moment) -> OutboxState? {
        if let seq = item.seq, seq <= line.confirmedUpTo { return .received }
        if item.isSeen, item.isOverdue { return .seen }
        return item.isExpired(at: now) ? .expired : nil
    }

    private func item(for message: StoredMessage, _ line: OutboxLine, at now: Moment) -> OutboxItem {
        let isAlarm = message.event.priority == .alarm
        // Written by a wrong clock: nobody knows how old it is.
        let untimed = message.event.isTimeTrusted ? nil : now.boot + policy.lifetime(message.event)
        var item = OutboxItem(
            message: message.message, address: message.address, channel: line.route.channel,
            event: SharedEvent(message.event, message.picture), serial: nextSerial,
            wantsReceipt: isAlarm && line.route.phone != nil,
            origin: nil, seq: message.seq,
            expiresAt: message.expiresAt, expiresAtBoot: untimed)
        item.isOverdue = message.state == .overdue
        item.isOverdueTold = item.isOverdue
        item.acceptances = item.isOverdue ? 1 : 0
        item.isSeen = isAlarm && !item.isDuress && message.seq.map { $0 <= max(seenUpTo, line.seenUpTo) } ?? false
        return item
    }
}
