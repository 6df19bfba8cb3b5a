package import AlarmModel

/// What becomes of messages that were not taken, or came back.
extension Outbox {
    /// Not now, for a reason that passes (SERVICE_UNAVAILABLE, INTERNAL_SERVER_ERROR): again until it expires.
    /// - Parameters:
    ///   - first: the shortest pause that the way wants; longer ones double up to the policy's cap
    ///   - after: what the service itself asked for, if it did
    package mutating func retry(
        _ message: MessageID, why: String, first: Duration = .zero, after: Duration? = nil, at now: Moment
    ) {
        guard let index = refused(message, why) else { return }
        let failures = items[index].failures
        let cap = items[index].priority <= .fault ? policy.urgentRetryCap : policy.retryCap
        let least = max(policy.firstRetry, first)
        let doubled = least * (1 << min(failures + 1, 20))
        let delay = jitter.duration(in: least..<max(least, min(doubled, cap)))
        let pause = items[index].hasBounced ? policy.bounceSpan : .zero
        change(index) { item in
            item.failures += 1
            item.stage = .waiting
            item.notBefore = now.boot + max(delay, pause, after ?? .zero)
        }
    }

    /// Refused for a reason that nobody knows, or that hardly passes: so many tries in all. An alarm goes on until it
    /// expires, to the house's own addresses ever more rarely: a program that fails is not run a hundred thousand times.
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

    /// Refused until a person has acted (an account, a right, an address): an alarm is tried again, a while apart, until
    /// it expires; for the rest this is the end.
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

    /// This device gets too much (DEVICE_MESSAGE_RATE_EXCEEDED): it is left alone for the span, then for longer. Alarms
    /// that were not refused themselves still try.
    package mutating func tooFast(_ message: MessageID, why: String, for span: Duration, at now: Moment) {
        guard let index = refused(message, why) else { return }
        let address = items[index].address
        let pause = span + (items[index].priority == .alarm ? turn(among: address, at: now) : .zero)
        change(index) { item in
            item.stage = .waiting
            item.notBefore = now.boot + pause
        }
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
        releaseStandIns(for: item, at: now)
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
        guard let index = index(of: message) else { return nil }
        switch items[index].stage {
        case .underWay: return index
        case .mayBounce:
            change(index) { item in
                item.acceptances -= 1
                item.hasBounced = true
                item.stage = .underWay
            }
            return self.index(of: message)
        case .waiting, .handed, .awaiting: return nil
        }
    }
}
