import AlarmModel

extension Failover {
    /// As it is in force: beyond its budget a metered link is no longer kept ready.
    func policy(of track: LinkTrack) -> StandbyPolicy {
        if track.settings.isMetered, let budget = track.settings.budget, track.usage.total > budget { return .cold }
        return track.settings.standby
    }

    /// Cold links are wanted when no link is good, and already when an alarm waits while the one in use is suspect or has
    /// carried it to nobody.
    private func areColdLinksWanted(at now: BootTime) -> Bool {
        if let activeIndex { return isAlarmWaiting && (links[activeIndex].isSuspect || isAwakeForAlarm(at: now)) }
        guard let startedAt, !wasEverActive else { return true }
        return isAlarmWaiting || now >= startedAt + timings.coldPatience
    }

    mutating func wakeAndSleep(at now: BootTime, into actions: inout [Action]) {
        let areColdWanted = areColdLinksWanted(at: now)
        for index in links.indices {
            let isCold = policy(of: links[index]) == .cold
            let isNeeded = isCold && (areColdWanted || index == activeIndex)
            if links[index].isNeeded && !isNeeded { links[index].lastNeeded = now }
            links[index].isNeeded = isNeeded
            if !isCold || isNeeded {
                wake(index, at: now, into: &actions)
            } else if let due = sleepDue(of: index), now >= due {
                sleep(index, into: &actions)
            }
        }
    }

    /// When a cold link that is no longer needed is left; nil for all others.
    func sleepDue(of index: Int) -> BootTime? {
        let track = links[index]
        guard track.isAwake, !track.isNeeded, index != activeIndex, activeIndex != nil, policy(of: track) == .cold
        else { return nil }
        return track.lastNeeded + timings.hold
    }

    mutating func wake(_ index: Int, at now: BootTime, into actions: inout [Action]) {
        guard !links[index].isAwake else { return }
        links[index].isAwake = true
        links[index].wokenAt = now
        links[index].isDueAtOnce = true
        if links[index].settings.kind == .modem {
            actions.append(.modem(links[index].settings.name, isWanted: true))
        }
    }

    private mutating func sleep(_ index: Int, into actions: inout [Action]) {
        abandonPass(of: index, into: &actions)
        links[index].forget()
        links[index].isAwake = false
        if links[index].settings.kind == .modem {
            actions.append(.modem(links[index].settings.name, isWanted: false))
        }
    }
}
