package import AlarmModel

// When a link is probed. A metered standby keeps to its regular turn but for a limited number of extra passes, so that
// what it costs in a month is bounded whatever the other links do.
extension Failover {
    /// When the next pass of this link starts; nil while none can, or while one is undecided.
    func passDue(of index: Int) -> BootTime? {
        let track = links[index]
        guard track.canBeProbed, !track.isUndecided else { return nil }
        guard let last = track.lastStart else { return .zero }
        if track.isDueAtOnce && mayProbeOutOfTurn(index) { return last }
        return lastProof(of: track, after: last) + interval(of: index)
    }

    private func lastProof(of track: LinkTrack, after start: BootTime) -> BootTime {
        max(start, track.lastHeard ?? start)
    }

    func interval(of index: Int) -> Duration {
        // Whatever is configured, the loop is left time to breathe.
        max(wantedInterval(of: index), .milliseconds(10))
    }

    private func wantedInterval(of index: Int) -> Duration {
        let track = links[index]
        let isMetered = track.settings.isMetered
        guard let activeIndex else { return isMetered ? timings.meteredWhileLost : timings.active }
        if index == activeIndex {
            if track.isSuspect { return timings.suspect }
            return isMetered && links.count == 1 ? timings.onlyMetered : timings.active
        }
        let regular = regularInterval(of: track)
        // The active one may answer probes and swallow the alarm: whether this one works again is worth what it costs.
        if isAlarmWaiting, !track.isAnswering { return min(regular, timings.meteredWhileLost) }
        guard mayProbeOutOfTurn(index) else { return regular }
        if track.isSuspect || links[activeIndex].isSuspect { return min(regular, timings.suspect) }
        // Before it is told as lost it is asked again.
        if lossDue(of: index) != nil { return min(regular, timings.unmeteredStandby) }
        // What is coming up, or is about to be preferred, is soon known.
        if track.isAnswering && (track.health != .up || index < activeIndex) {
            return min(regular, timings.unmeteredStandby)
        }
        return regular
    }

    func regularInterval(of track: LinkTrack) -> Duration {
        switch policy(of: track) {
        case .hot, .cold: track.settings.isMetered ? timings.meteredStandby : timings.unmeteredStandby
        case .warm: timings.warmStandby
        }
    }

    private func isRationed(_ index: Int) -> Bool {
        links[index].settings.isMetered && activeIndex != nil && index != activeIndex
    }

    private func mayProbeOutOfTurn(_ index: Int) -> Bool {
        !isRationed(index) || links[index].extraPasses > 0
    }

    mutating func payForPass(of index: Int, at now: BootTime) {
        guard isRationed(index), let last = links[index].lastStart,
            now < lastProof(of: links[index], after: last) + regularInterval(of: links[index])
        else { return }
        links[index].extraPasses = max(0, links[index].extraPasses - 1)
    }

    /// When `timerFired` is due; nil before the start and when no link is configured.
    package var nextDeadline: BootTime? {
        guard let startedAt, !links.isEmpty else { return nil }
        var due = lastRead + timings.readLinks
        for index in links.indices {
            for moment in [
                links[index].pass?.deadline, passDue(of: index), sleepDue(of: index), returnDue(of: index),
                restoreDue(of: index), lossDue(of: index),
            ] {
                if let moment { due = min(due, moment) }
            }
        }
        if let moment = allLossDue { due = min(due, moment) }
        if !wasEverActive && activeIndex == nil {
            // What is left undecided until a first link is chosen.
            if links.contains(where: \.isAnswering) { due = min(due, startedAt + timings.probeDeadline) }
            if links.contains(where: { !$0.isAwake }) && !isAlarmWaiting {
                due = min(due, startedAt + timings.coldPatience)
            }
        }
        return due
    }
}
