import AlarmModel
import PanelLink

/// The one restart that the disk is worth (docs/ARCHITECTURE.md 2): a silent one, because a wedged driver or file
/// system may come back with it; and one that came too late for the start, because only a start reads what the store
/// holds.
///
/// Not while there is an alarm or an entry delay, nor soon after one (`Pace.stallRestart`), and once: the shell says
/// whether it was done already.
extension Appliance {
    /// The exit status that tells a supervisor to start us again; EX_TEMPFAIL.
    package static let restartStatus: Int32 = 75

    /// By then the panel has told whether there is an alarm.
    private static let lookRound: Duration = .seconds(30)

    mutating func notePartitions(_ step: inout Step) {
        let isHot = session.state.partitions.contains { partition in
            switch partition.status.last {
            case .alarm, .entryDelay: true
            case .disarmed, .ready, .readyForce, .notReady, .exitDelay, .armed, .notEnabled, nil: false
            }
        }
        if isHot { lastHotAt = step.now.boot }
    }

    /// False where what is stored is better than what is known here: for a change while the daemon is stopped, which touches
    /// nothing of it and knows no names; and while a restart is to bring it back, but for a PIN that was reset.
    var mayStoreSnapshot: Bool { !isOffline && (!isBlind || !mayRestart || consoleLock.record != nil) }

    var plannedRestartAt: BootTime? {
        guard mayRestart, life == .running else { return nil }
        let pause = configuration.pace.stallRestart
        if let since = journal.stalledSince { return max(since, lastHotAt ?? since) + pause }
        // What waits is stored first.
        guard let sightAt, journal.isGood, journal.waiting.isEmpty else { return nil }
        let due = sightAt + Self.lookRound
        return lastHotAt.map { max(due, $0 + pause) } ?? due
    }

    mutating func restartIfDue(_ step: inout Step) {
        guard let due = plannedRestartAt, step.now.boot >= due else { return }
        life = .finished
        step.effects.append(
            .log(
                journal.isGood
                    ? LogEntry(.warning, "the store came too late for the start: restarting once to know what it holds")
                    : LogEntry(
                        .error, "the disk has not answered for long: restarting once in the hope that it does")
            ))
        step.effects.append(.notify(.stopping))
        step.effects.append(.finish(status: Self.restartStatus))
    }
}
