package import AlarmModel
package import PhoneLink

/// What leaves next.
extension Outbox {
    /// The next message to seal and send, by class, then number, then age; nil when nothing may leave now. It counts
    /// against the channel's room until `sent` or `notSent`.
    package mutating func next(at now: Moment, by channel: ChannelKind, room: TransportRoom) -> OutboxEntry? {
        let alarmRoom = room.alarm - handed[channel.rank]
        let otherRoom = room.other - handed[channel.rank]
        guard alarmRoom > 0 || otherRoom > 0 else { return nil }
        var index = 0
        while index < items.count {
            if otherRoom <= 0, !items[index].isFreshAlarm { return nil }
            guard items[index].channel == channel, items[index].stage == .waiting, items[index].notBefore <= now.boot
            else {
                index += 1
                continue
            }
            let item = items[index]
            guard isReleased(item), let line = lineIndex(item.address),
                lines[line].ready(item.priority, isRepeat: item.acceptances > 0, policy) <= now.boot,
                !waitsForRead(item, lines[line], at: now.boot), !item.isFreshAlarm || alarmRoom > 0
            else {
                index += 1
                continue
            }
            if item.isExpired(at: now) {
                finish(index, .expired, at: now)
                continue
            }
            lines[line].take(item, policy, at: now.boot)
            change(index) { $0.stage = .handed }
            return entry(item, at: now)
        }
        return nil
    }

    /// It is with the link now.
    package mutating func sent(_ message: MessageID) {
        guard let index = index(of: message), items[index].stage == .handed else { return }
        change(index) { $0.stage = .underWay }
    }

    /// The link did not take it after all: it waits as before.
    /// - Parameter pause: until when at least
    package mutating func notSent(_ message: MessageID, until pause: BootTime = .zero) {
        guard let index = index(of: message), items[index].stage == .handed else { return }
        putBack(index, until: pause)
    }

    /// Messages that were not answered, or that another link may have more luck with, leave again, not before `pause`.
    package mutating func returned(_ messages: [MessageID], until pause: BootTime = .zero) {
        for message in messages { takeBack(message).map { putBack($0, until: pause) } }
    }

    private mutating func putBack(_ index: Int, until pause: BootTime = .zero) {
        let item = items[index]
        if let line = lineIndex(item.address) { lines[line].giveBack(item, policy) }
        change(index) { item in
            item.stage = .waiting
            item.notBefore = max(item.notBefore, pause)
        }
    }

    /// Something of class alarm or fault waits for a connection, in memory or in the store.
    package var hasUrgentWaiting: Bool {
        for index in items.indices {
            if items[index].priority > .fault { break }
            switch items[index].stage {
            case .waiting: if isReleased(items[index]) { return true }
            case .handed, .underWay: return true
            case .awaiting, .mayBounce: break
            }
        }
        return lines.contains { line in line.horizon.map { $0.priority <= .fault } ?? false }
    }

    /// Durable, or an alarm that the store does not take.
    func isReleased(_ item: OutboxItem) -> Bool {
        #if SABOTAGE
            if sabotage == .sendsBeforeCommit { return true }
        #endif
        return item.isCommitted || (item.priority == .alarm && !isStoreGood)
    }

    /// The store holds something that comes before it. An alarm waits only as long as the read goes well.
    func waitsForRead(_ item: OutboxItem, _ line: OutboxLine, at now: BootTime) -> Bool {
        guard isStoreGood, canRead, let horizon = line.horizon, horizon <= item.place, item.acceptances == 0 else {
            return false
        }
        guard item.priority == .alarm else { return true }
        guard line.isAsked, !item.isDuress, !item.isRowless, let askedAt else { return false }
        return now - askedAt < policy.readPatience
    }

    private func entry(_ item: OutboxItem, at now: Moment) -> OutboxEntry {
        var life = OutboxPolicy.timeToLive(item.event, item.picture)
        if let expiry = item.expiry(at: now) {
            life = min(life, Int(max(0, (expiry - now.boot).milliseconds / 1000)))
        }
        return OutboxEntry(
            message: item.message, address: item.address, event: item.event, seq: item.seq, timeToLive: life,
            wantsReceipt: item.wantsReceipt, isRepeat: item.acceptances > 0, picture: item.picture)
    }
}
