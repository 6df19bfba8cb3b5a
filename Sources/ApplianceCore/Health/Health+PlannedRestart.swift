import AlarmModel
import PanelLink

/// The one restart that the disk is worth (docs/ARCHITECTURE.md 2): a silent one, because a wedged driver or file
/// system may come back with it; and one that came too late for the start, because only a start reads what the store
/// holds.
///
/// Not while there is an alarm or an entry delay, nor soon after one (`Pace.stallRestart`), and once: the shell says
/// whether it was done already.
extension Health {
    /// What the journal knows of the disk.
    struct StoreView {
        /// Since when the disk has not answered; nil while it answers.
        var stalledSince: BootTime?
        /// Something waits to be stored.
        var isWaiting: Bool
    }

    /// By then the panel has told whether there is an alarm.
    private static let lookRound: Duration = .seconds(30)

    private mutating func notePartitions(_ step: Step) {
        let isHot = step.panel.partitions.contains { partition in
            switch partition.shownStatus.last {
            case .alarm, .entryDelay: true
            case .disarmed, .ready, .readyForce, .notReady, .exitDelay, .armed, .notEnabled, nil: false
            }
        }
        if isHot { lastHotAt = step.now.boot }
    }

    /// False where what is stored is better than what is known here: for a change while the daemon is stopped, which touches
    /// nothing of it and knows no names; and while a restart is to bring it back, but for a PIN that was reset.
    func mayStoreSnapshot(_ step: Step, hasPINRecord: Bool) -> Bool {
        !step.isOffline && (!isBlind || !mayRestart || hasPINRecord)
    }

    func plannedRestart(_ store: StoreView, _ step: Step) -> BootTime? {
        guard mayRestart, step.life == .running else { return nil }
        let pause = step.configuration.pace.stallRestart
        if let since = store.stalledSince { return max(since, lastHotAt ?? since) + pause }
        // What waits is stored first.
        guard let sightAt, step.isStoreGood, !store.isWaiting else { return nil }
        let due = sightAt + Self.lookRound
        return lastHotAt.map { max(due, $0 + pause) } ?? due
    }

    mutating func restartIfDue(_ store: StoreView, _ step: inout Step) {
        notePartitions(step)
        guard let due = plannedRestart(store, step), step.now.boot >= due else { return }
        step.life = .finished
        step.effects.append(
            .log(
                step.isStoreGood
                    ? LogEntry(.warning, "the store came too late for the start: restarting once to know what it holds")
                    : LogEntry(
                        .error, "the disk has not answered for long: restarting once in the hope that it does")
            ))
        step.effects.append(.notify(.stopping))
        step.effects.append(.finish(status: Effect.restartStatus))
    }
}
