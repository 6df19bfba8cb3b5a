import AlarmModel
import ApplianceCore
import PanelLink

/// The promises, checked after every step and at the end.
extension World {
    func checkState() throws(Violation) {
        if store.thread.waiting.count > 5000 {
            throw broken(.memoryIsBounded, "\(store.thread.waiting.count) batches wait for the disk")
        }
        guard !isStandingStill else {
            beliefChecks.looksAway()
            return try checks.checkStandstill(from: standpoint)
        }
        guard let belief = running?.panel, let awaitsReport = running?.awaitsPanelReport else {
            return beliefChecks.looksAway()
        }
        try beliefChecks.look(
            at: belief, awaitsReport: awaitsReport, hasWritten: running?.waitingEvents == 0,
            lastHeard: checks.lastHeard, panelHost, from: standpoint)
        if now - checks.lastPing > World.watchdog {
            throw broken(.lifeIsShown, "no ping for \(now - checks.lastPing)")
        }
    }

    /// After the faults have ended and time has passed: liveness.
    func checkSettled() throws(Violation) {
        guard let core = running else { throw broken(.everythingSettles, "the daemon does not run") }
        guard core.panel.link == .up else {
            throw broken(.everythingSettles, "the session with the panel is \(core.panel.link.rawValue)")
        }
        guard store.thread.isIdle else {
            throw broken(.everythingSettles, "\(store.thread.waiting.count) batches still wait for the disk")
        }
        guard boxOperator.seen == store.disk.last else {
            throw broken(
                .everythingSettles, "the follower saw up to \(boxOperator.seen.number) of \(store.disk.last.number)")
        }
        if let open = boxOperator.openRequests.first(where: { $0.outcome == nil && now - $0.since > .seconds(120) }) {
            throw broken(.everythingSettles, "\(open.request) of \(open.since) has no outcome")
        }
        if !checks.missingLines.isEmpty {
            throw broken(.reportedLinesAreKept, "never written: \(checks.missingLines.prefix(5))")
        }
    }
}
