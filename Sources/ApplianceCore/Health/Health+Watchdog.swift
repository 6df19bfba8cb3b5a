import AlarmModel
import PanelLink
import Uplinks

/// The watchdog's ping is earned: it leaves when every machine of the core has done what was due (docs/ARCHITECTURE.md
/// 2). It runs as a timer of the same loop, so that a loop that hangs sends none.
///
/// Peers and the disk have no part in it: a machine that waits for one has a deadline and acts when that has passed.
extension Health {
    mutating func watchdogDue(_ deadlines: [Deadline], _ step: inout Step) {
        #if SABOTAGE
            let found = step.sabotage == .pingNotEarned ? [] : ailments(deadlines, at: step.now.boot)
        #else
            let found = ailments(deadlines, at: step.now.boot)
        #endif
        switch vitals.look(found, at: step.now.boot) {
        case .alive: step.effects.append(.notify(.alive))
        case .recovered:
            step.effects.append(.notify(.alive))
            step.effects.append(.log(LogEntry(.notice, "every part acts again")))
        case .late: break
        case .stuck:
            let words = found.map { LogEntry.Field("stuck", $0.text(at: step.now.boot)) }
            step.effects.append(
                .log(LogEntry(.error, "a part of the program is stuck: no sign of life is sent", words)))
        }
    }

    /// The machines that do not act.
    func ailments(_ deadlines: [Deadline], at now: BootTime) -> [Ailment] {
        var found: [Ailment] = []
        for deadline in deadlines where deadline.id != .watchdog {
            if let at = deadline.at, now - at > Vitals.patience { found.append(.overdue(deadline.id, since: at)) }
        }
        if let since = vitals.panelIdleSince, now - since > Vitals.idlePatience {
            found.append(.panelWaitsForNothing(since: since))
        }
        return found
    }

    /// Called at the end of each step.
    mutating func noteIdlePanel(isIdle: Bool, _ step: Step) {
        guard step.life == .running, !step.isOffline, isIdle else {
            vitals.panelIdleSince = nil
            return
        }
        if vitals.panelIdleSince == nil { vitals.panelIdleSince = step.now.boot }
    }

    func watchdogReport(_ deadlines: [Deadline], at now: Moment) -> WatchdogReport? {
        vitals.interval.map { interval in
            WatchdogReport(
                interval: interval, sincePing: vitals.lastPing.map { now.boot - $0 },
                stuck: ailments(deadlines, at: now.boot).map { $0.text(at: now.boot) })
        }
    }
}
