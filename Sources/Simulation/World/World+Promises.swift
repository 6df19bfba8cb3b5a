import AlarmModel
import ApplianceCore
import PanelLink

/// The promises, checked after every step and at the end.
extension World {
    /// An outcome that is said to be stored has its row on the disk when it leaves.
    func checkReplies(_ effects: [Effect]) throws(Violation) {
        let shown = effects.count { effect in
            if case .reply(_, .outcome(_, stored: true)) = effect { true } else { false }
        }
        guard shown > 0 else { return }
        let stored = checks.outcomesStored(on: store.disk)
        guard stored >= checks.outcomesShown + shown else {
            throw broken(
                .outcomesAreStoredFirst,
                "\(checks.outcomesShown + shown) outcomes were shown as stored, and the disk holds \(stored)")
        }
    }

    mutating func checkState() throws(Violation) {
        if store.thread.waiting.count > 5000 {
            throw broken(.memoryIsBounded, "\(store.thread.waiting.count) batches wait for the disk")
        }
        guard !isStandingStill else {
            beliefChecks.looksAway()
            return try checkStandstill()
        }
        guard let belief = appliance?.panel, let awaitsReport = appliance?.awaitsPanelReport else {
            return beliefChecks.looksAway()
        }
        try beliefChecks.look(
            at: belief, awaitsReport: awaitsReport, hasWritten: appliance?.waitingEvents == 0,
            lastHeard: checks.lastHeard, panelHost, from: standpoint)
        if now - checks.lastPing > World.watchdog {
            throw broken(.lifeIsShown, "no ping for \(now - checks.lastPing)")
        }
    }

    /// After the faults have ended and time has passed: liveness.
    func checkSettled() throws(Violation) {
        guard let core = appliance else { throw broken(.everythingSettles, "the daemon does not run") }
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
