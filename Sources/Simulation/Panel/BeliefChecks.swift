import AlarmModel
import ApplianceCore
import PanelLink
import Simulators

/// What the world remembers to hold what the core believes of the panel against what is so.
///
/// Guarantees: what is not known is not shown, what is shown is true once all is quiet, and neither silence, nor a lost
/// panel, nor a report that never comes is passed over.
struct BeliefChecks: Sendable {
    /// Since when the core has waited for a report of the panel without a break and without a fault that explains it.
    private var reportAwaitedSince: BootTime?
    /// When a part that stood still went on.
    private var wentOnAt = BootTime.zero
    private var loss = PanelLossChecks()
    /// The last time in which the module did not hear the panel.
    private var deadKeybus: ClosedRange<BootTime>?
    private var lastLook = BootTime.zero

    /// Nobody is there to believe anything, or what does not act notices nothing.
    mutating func looksAway() { reportAwaitedSince = nil }
    mutating func goesOn(at now: BootTime) { wentOnAt = now }

    /// A batch leaves the core for the first time.
    mutating func ordered(_ batch: Batch) { loss.ordered(batch) }

    /// - Parameters:
    ///   - awaitsReport: the core knows that its belief may be wrong, and has asked
    ///   - hasWritten: the core has nothing that it has not ordered to be stored
    ///   - lastHeard: when the box last heard from the panel
    mutating func look(
        at belief: PanelState, awaitsReport: Bool, hasWritten: Bool, lastHeard: BootTime, _ host: PanelHost,
        from here: Standpoint
    ) throws(Violation) {
        noteKeybus(isAlive: host.panel.isKeybusAlive, at: here.now)
        try checkReportComes(belief, isAwaited: awaitsReport, host, from: here)
        if let owed = loss.look(belief, run: here.run, at: here.now), hasWritten {
            throw here.broken(
                .lostPanelsAreAlarms, "no session while the house is armed, and no alarm of it for \(owed)")
        }
        if belief.link == .down { try checkNothingIsKnown(belief, from: here) }
        guard belief.link == .up else { return }
        // What stood still asks before it says that the module is silent.
        if !host.isPaused, here.now - max(lastHeard, wentOnAt) > .seconds(30) {
            throw here.broken(
                .silenceIsNoticed, "nothing heard for \(here.now - lastHeard), and the link counts as up")
        }
        // A rejected line may have been a change; the report that will tell is at most a minute away.
        if !awaitsReport { try compare(belief, host, from: here) }
    }

    private mutating func noteKeybus(isAlive: Bool, at now: BootTime) {
        defer { lastLook = now }
        guard !isAlive else { return }
        let isContinued = deadKeybus?.upperBound == lastLook
        deadKeybus = (isContinued ? deadKeybus?.lowerBound ?? lastLook : lastLook)...now
    }

    /// A module that told a silent alarm by its zone alone tells nothing of a further one that sounded and fell silent while
    /// the keybus was dead.
    private func isSirenStopUntold(_ partition: Int, _ panel: PanelSimulator) -> Bool {
        guard let stopped = panel.ledger.openIncident(partition)?.sirenStopped else { return false }
        return deadKeybus?.contains(stopped) ?? false
    }

    /// What counts as known is not compared while a report is awaited: waiting for ever would hide everything. A report
    /// is asked for a minute after the last at most, is over within some seconds, and is asked for once more a minute
    /// later when the module did not give it.
    private mutating func checkReportComes(
        _ belief: PanelState, isAwaited: Bool, _ host: PanelHost, from here: Standpoint
    ) throws(Violation) {
        guard isAwaited, belief.link == .up, host.isSound(at: here.now), host.panel.isKeybusAlive else {
            reportAwaitedSince = nil
            return
        }
        let since = reportAwaitedSince ?? here.now
        reportAwaitedSince = since
        guard here.now - since > .seconds(200) else { return }
        throw here.broken(
            .stateIsTrue, "a report of the panel has been awaited for \(here.now - since), and nothing prevents it")
    }

    private func checkNothingIsKnown(_ belief: PanelState, from here: Standpoint) throws(Violation) {
        for partition in belief.partitions {
            if let status = partition.status.current {
                throw here.broken(
                    .staleIsShown, "partition \(partition.number) counts as \(status) without a session")
            }
        }
        for zone in belief.zones {
            if let open = zone.open.current {
                throw here.broken(
                    .staleIsShown, "zone \(zone.number) counts as \(open ? "open" : "closed") without a session")
            }
        }
    }

    /// Compares with the truth when all is quiet: nothing under way, nothing changed for some seconds.
    private func compare(_ belief: PanelState, _ host: PanelHost, from here: Standpoint) throws(Violation) {
        guard host.isQuiet(for: .seconds(8), at: here.now) else { return }
        let panel = host.panel
        guard panel.isTelling else { return }
        for zone in belief.zones where (1...64).contains(zone.number) {
            guard let open = zone.open.current, open != panel.isOpenAtModule(zone.number) else { continue }
            throw here.broken(.stateIsTrue, "zone \(zone.number) counts as \(open ? "open" : "closed") and is not")
        }
        for partition in belief.partitions where (1...World.partitions).contains(partition.number) {
            guard let status = partition.status.current, !panel.isSilentAlarm(partition.number) else { continue }
            let real = panel.status(of: partition.number)
            let agrees =
                if case .alarm = status {
                    // Whether it was armed before may be unknown; that it is in alarm must be true.
                    real.isAlarm || real.isArmed && isSirenStopUntold(partition.number, panel)
                        || panel.ledger.isEndUntold(partition.number, deadKeybus: deadKeybus.map { [$0] } ?? [])
                } else {
                    status.isArmed == real.isArmed && status.isDisarmed == real.isDisarmed
                }
            guard !agrees else { continue }
            throw here.broken(
                .stateIsTrue, "partition \(partition.number) counts as \(status) and is \(real)")
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
