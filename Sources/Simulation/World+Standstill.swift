import AlarmModel
import ApplianceCore

/// A part of the daemon stands still, and the service manager, which ends a daemon that sends no sign of life.
extension World {
    func standStill() {
        guard running != nil else { return }
        daemon.standsStill()
        agenda.add(.watchdogLook(run: run), at: checks.lastPing + World.watchdog)
    }

    var isStandingStill: Bool { daemon.isStill && running != nil }

    func standsStill(_ id: TimerID) -> Bool { id == .panel && isStandingStill }

    func watchdogLooks(at target: Int) {
        guard target == run, isStandingStill else { return }
        let end = checks.lastPing + World.watchdog
        guard end <= now else { return agenda.add(.watchdogLook(run: run), at: end) }
        daemon.movesOn()
        die(cutsPower: false)
    }

    /// The faults are over: what was due is done.
    func moveOn() {
        guard isStandingStill else { return }
        daemon.movesOn()
        beliefChecks.goesOn(at: now)
        if let due = pendingTimer(.panel) { agenda.add(.timer(run: run, .panel, due), at: max(due, now)) }
    }
}
