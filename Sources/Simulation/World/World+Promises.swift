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
        let stored = checks.outcomesStored(on: disk)
        guard stored >= checks.outcomesShown + shown else {
            throw broken(
                .outcomesAreStoredFirst,
                "\(checks.outcomesShown + shown) outcomes were shown as stored, and the disk holds \(stored)")
        }
    }

    mutating func checkState() throws(Violation) {
        if diskThread.waiting.count > 5000 {
            throw broken(.memoryIsBounded, "\(diskThread.waiting.count) batches wait for the disk")
        }
        // What does not act notices nothing.
        guard !isStandingStill else {
            checks.reportAwaitedSince = nil
            return try checkStandstill()
        }
        guard let belief = appliance?.panel, let awaitsReport = appliance?.awaitsPanelReport else {
            checks.reportAwaitedSince = nil
            return
        }
        try checkReportComes(belief, isAwaited: awaitsReport)
        if let owed = checks.panelLoss.look(belief, run: run, at: now), appliance?.waitingEvents == 0 {
            throw broken(.lostPanelsAreAlarms, "no session while the house is armed, and no alarm of it for \(owed)")
        }
        if belief.link == .down { try checkNothingIsKnown(belief) }
        if belief.link == .up {
            let isPaused = wires.contains { $0.isPaused }
            // What stood still asks before it says that the module is silent.
            if !isPaused, now - max(checks.lastHeard, checks.wentOnAt) > .seconds(30) {
                throw broken(
                    .silenceIsNoticed, "nothing heard for \(now - checks.lastHeard), and the link counts as up")
            }
            // A rejected line may have been a change; the report that will tell is at most a minute away.
            if !awaitsReport { try checkBelief(belief) }
        }
        if now - checks.lastPing > World.watchdog {
            throw broken(.lifeIsShown, "no ping for \(now - checks.lastPing)")
        }
    }

    /// What counts as known is not compared while a report is awaited: waiting for ever would hide everything. A report
    /// is asked for a minute after the last at most, is over within some seconds, and is asked for once more a minute
    /// later when the module did not give it.
    private mutating func checkReportComes(_ belief: PanelState, isAwaited: Bool) throws(Violation) {
        guard isAwaited, belief.link == .up, networkBackAt <= now, panel.faults == PanelFaults(),
            !wires.contains(where: \.isPaused)
        else {
            checks.reportAwaitedSince = nil
            return
        }
        let since = checks.reportAwaitedSince ?? now
        checks.reportAwaitedSince = since
        guard now - since > .seconds(200) else { return }
        throw broken(.stateIsTrue, "a report of the panel has been awaited for \(now - since), and nothing prevents it")
    }

    private func checkNothingIsKnown(_ belief: PanelState) throws(Violation) {
        for partition in belief.partitions {
            if let status = partition.status.current {
                throw broken(.staleIsShown, "partition \(partition.number) counts as \(status) without a session")
            }
        }
        for zone in belief.zones {
            if let open = zone.open.current {
                throw broken(
                    .staleIsShown, "zone \(zone.number) counts as \(open ? "open" : "closed") without a session")
            }
        }
    }

    /// Compares with the truth when all is quiet: nothing under way, nothing changed for some seconds.
    private func checkBelief(_ belief: PanelState) throws(Violation) {
        let quiet = Duration.seconds(8)
        guard now - checks.lastSaid > quiet, now > checks.lastArrival + quiet, networkBackAt <= now,
            !wires.contains(where: \.isPaused), panel.faults == PanelFaults()
        else { return }
        let truth = panel.truth
        guard truth.hasSession, truth.isKeybusAlive, !truth.isBlanked else { return }
        for zone in belief.zones {
            guard let open = zone.open.current, let real = truth.zones.first(where: { $0.number == zone.number }),
                open != real.isOpenAtModule
            else { continue }
            throw broken(
                .stateIsTrue, "zone \(zone.number) counts as \(open ? "open" : "closed") and is not")
        }
        for partition in belief.partitions where Self.partitionNumbers.contains(partition.number) {
            guard let status = partition.status.current,
                let real = truth.partitions.first(where: { $0.number == partition.number }), !real.isSilentAlarm
            else { continue }
            let agrees =
                if case .alarm = status {
                    // Whether it was armed before may be unknown; that it is in alarm must be true.
                    real.status.isAlarm
                } else {
                    status.isArmed == real.status.isArmed && status.isDisarmed == real.status.isDisarmed
                }
            if !agrees {
                throw broken(.stateIsTrue, "partition \(partition.number) counts as \(status) and is \(real.status)")
            }
        }
    }

    private static let partitionNumbers = 1...World.partitions

    /// After the faults have ended and time has passed: liveness.
    func checkSettled() throws(Violation) {
        guard let core = appliance else { throw broken(.everythingSettles, "the daemon does not run") }
        guard core.panel.link == .up else {
            throw broken(.everythingSettles, "the session with the panel is \(core.panel.link.rawValue)")
        }
        guard diskThread.isIdle else {
            throw broken(.everythingSettles, "\(diskThread.waiting.count) batches still wait for the disk")
        }
        guard boxOperator.seen == disk.last else {
            throw broken(
                .everythingSettles, "the follower saw up to \(boxOperator.seen.number) of \(disk.last.number)")
        }
        if let open = boxOperator.openRequests.first(where: { $0.outcome == nil && now - $0.since > .seconds(120) }) {
            throw broken(.everythingSettles, "\(open.request) of \(open.since) has no outcome")
        }
        if !checks.missingLines.isEmpty {
            throw broken(.reportedLinesAreKept, "never written: \(checks.missingLines.prefix(5))")
        }
    }
}

extension PartitionStatus {
    fileprivate var isAlarm: Bool {
        switch self {
        case .alarm: true
        case .disarmed, .ready, .readyForce, .notReady, .exitDelay, .armed, .entryDelay, .notEnabled: false
        }
    }
}
