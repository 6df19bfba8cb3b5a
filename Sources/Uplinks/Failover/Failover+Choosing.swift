import AlarmModel

extension Failover {
    /// Which link is in use from now on.
    mutating func choose(at now: BootTime, into actions: inout [Action]) {
        if let activeIndex {
            guard isLost(activeIndex) else {
                if let better = links.indices.first(where: { isBackToUse($0, at: now) }) {
                    take(better, .preferredIsGood, at: now, into: &actions)
                }
                return
            }
            let reason = SwitchReason.lost(links[activeIndex].problem ?? .notYetProven)
            if let next = candidate {
                take(next, reason, at: now, into: &actions)
            } else {
                actions.append(.switched(from: active, to: nil, reason))
                self.activeIndex = nil
                lostAt = now
                // One that was down when it was last asked may answer now.
                for index in links.indices { links[index].isDueAtOnce = true }
            }
        } else if let next = candidate, !isFirstChoiceOpen(before: next, at: now) {
            take(next, .found, at: now, into: &actions)
        }
    }

    private func isLost(_ index: Int) -> Bool {
        let track = links[index]
        #if SABOTAGE
            if sabotage == .keepsDeadLink { return !track.canBeProbed }
        #endif
        return !track.canBeProbed || track.health != .up
    }

    /// The one to use when there is none: what is up, else what answered its last pass, else what is only suspect.
    private var candidate: Int? {
        links.indices.first { links[$0].canBeProbed && links[$0].health == .up && !links[$0].isSuspect }
            ?? links.indices.first { links[$0].canBeProbed && links[$0].isAnswering }
            ?? links.indices.first { links[$0].canBeProbed && links[$0].health == .up }
    }

    /// At the start the faster answer of a lesser link does not win over a preferred one that is still being asked.
    private func isFirstChoiceOpen(before index: Int, at now: BootTime) -> Bool {
        guard !wasEverActive, let startedAt, now < startedAt + timings.probeDeadline else { return false }
        return links[..<index].contains { $0.isAwake && ($0.facts == nil || $0.isUndecided && $0.lastCounted == nil) }
    }

    private mutating func take(_ index: Int, _ reason: SwitchReason, at now: BootTime, into actions: inout [Action]) {
        let old = active
        activeIndex = index
        wasEverActive = true
        links[index].rise(timings, at: now)
        restored(index, into: &actions)
        actions.append(.switched(from: old, to: active, reason))
        if isLossTold {
            isLossTold = false
            actions.append(.someRestored)
        }
    }

    private func isBackToUse(_ index: Int, at now: BootTime) -> Bool {
        guard let due = returnDue(of: index) else { return false }
        return now >= due
    }

    /// When a preferred link is used again, if it stays as good as it is; nil for others.
    func returnDue(of index: Int) -> BootTime? {
        guard let activeIndex, index < activeIndex else { return nil }
        #if SABOTAGE
            if sabotage == .neverFailsBack { return nil }
        #endif
        return steadyFrom(index)
    }

    /// When the link has been good for its hold time; nil while it is not.
    private func steadyFrom(_ index: Int) -> BootTime? {
        let track = links[index]
        guard track.canBeProbed, track.health == .up, !track.isSuspect, let since = track.goodSince,
            track.passesInRow >= timings.passesToComeUp
        else { return nil }
        return since + track.hold(timings)
    }

    // MARK: what is told

    mutating func tell(at now: BootTime, into actions: inout [Action]) {
        for index in links.indices {
            if links[index].health == .up && links[index].told == .nothing { links[index].told = .good }
            if let due = restoreDue(of: index), now >= due { restored(index, into: &actions) }
            if let due = lossDue(of: index), now >= due { tellLost(index, at: now, into: &actions) }
        }
        if let due = allLossDue, now >= due {
            isLossTold = true
            actions.append(.allLost)
        }
        tellModem(at: now, into: &actions)
    }

    /// Reports each change of the verdict on the data connection that the box's modem makes.
    private mutating func tellModem(at now: BootTime, into actions: inout [Action]) {
        for index in links.indices where links[index].settings.kind == .modem && links[index].settings.interface == nil
        {
            let verdict = links[index].isCarrying
            guard links[index].toldCarrying != verdict else { continue }
            // During a call most modems carry no data.
            if verdict == false, now < callsEnd(on: links[index]) { continue }
            links[index].toldCarrying = verdict
            if let verdict { actions.append(.modemCarries(verdict)) }
        }
    }

    /// When the link is told as restored: as steady as for being used again, so that flaps are not told one by one.
    func restoreDue(of index: Int) -> BootTime? { links[index].told == .lost ? steadyFrom(index) : nil }

    private mutating func restored(_ index: Int, into actions: inout [Action]) {
        if links[index].told == .lost { actions.append(.pathRestored(links[index].settings.name)) }
        links[index].told = .good
    }

    /// When a link that does not come up is told as lost; nil for one that is up, coming up, asleep or told already.
    func lossDue(of index: Int) -> BootTime? {
        let track = links[index]
        guard track.isAwake, track.health != .up, !track.isAnswering, track.told != .lost else { return nil }
        return max(track.wokenAt + timings.patience, callsEnd(on: track))
    }

    /// Until then its loss may come of a call.
    private func callsEnd(on track: LinkTrack) -> BootTime {
        track.settings.kind == .modem ? modemCallsUntil : .zero
    }

    mutating func tellLost(
        _ index: Int, _ problem: PathProblem? = nil, at now: BootTime, into actions: inout [Action]
    ) {
        guard links[index].told != .lost, now >= callsEnd(on: links[index]) else { return }
        links[index].told = .lost
        actions.append(.pathLost(links[index].settings.name, problem ?? links[index].problem ?? .notYetProven))
    }

    /// When the loss of all is told: after a last pass over each link, and later if one was only just configured or
    /// woken.
    var allLossDue: BootTime? {
        guard activeIndex == nil, !isLossTold, let startedAt else { return nil }
        var due = max(startedAt, lostAt) + timings.probeDeadline
        for track in links where track.isAwake && (track.told != .lost || policy(of: track) == .cold) {
            due = max(due, track.wokenAt + timings.patience)
        }
        for track in links { due = max(due, callsEnd(on: track)) }
        return due
    }
}
