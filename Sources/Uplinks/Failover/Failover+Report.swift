import AlarmModel

extension Failover {
    /// The configured links, in order of preference.
    package var report: [LinkReport] {
        links.enumerated().map { index, track in
            LinkReport(
                name: track.settings.name, kind: track.settings.kind, interface: track.interface,
                state: track.state, isActive: index == activeIndex, isMetered: track.settings.isMetered,
                standby: policy(of: track), score: track.score, scoreLimit: LinkTrack.scoreLimit(timings),
                why: remark(on: index), latency: track.latency, since: track.shownSince,
                addresses: track.facts?.addresses ?? [], bytesThisMonth: track.usage.total,
                budget: track.settings.budget, standbyBytesPerMonth: standbyBytesPerMonth(of: track))
        }
    }

    private func remark(on index: Int) -> String? {
        let track = links[index]
        let isOverBudget = policy(of: track) != track.settings.standby
        guard track.isAwake else {
            return isOverBudget
                ? "this month's budget is used up: it is connected only when no other link is good"
                : "it is connected only when no other link is good"
        }
        if let problem = track.problem { return problem.description }
        if track.isSuspect { return "the phone connection over it fell silent" }
        if isOverBudget { return "this month's budget is used up; it still carries what must go out" }
        if track.silentNames >= 2 { return "its name servers do not answer; remembered addresses are used" }
        if !settings.probeName.isEmpty && track.nameServers.isEmpty { return "it has no name servers" }
        if track.silentTargets > 0 {
            return "\(track.silentTargets) of \(settings.targets.count) probe targets do not answer"
        }
        if let activeIndex, index < activeIndex { return "good again; it is used when its hold time is over" }
        return nil
    }

    /// Whole passes in 30 days times what one costs.
    private func standbyBytesPerMonth(of track: LinkTrack) -> UInt64 {
        guard policy(of: track) != .cold else { return 0 }
        let passes = Duration.hours(24 * 30).nanoseconds / max(1, regularInterval(of: track).nanoseconds)
        let (bytes, overflow) = UInt64(max(0, passes)).multipliedReportingOverflow(by: settings.bytesOfPass)
        return overflow ? .max : bytes
    }
}
