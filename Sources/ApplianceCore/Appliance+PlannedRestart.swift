import AlarmModel
import PanelLink

/// The one restart that a silent disk is worth (DESIGN 2): a wedged driver or file system may come back with it.
///
/// Not while there is an alarm or an entry delay, nor soon after one (`Pace.stallRestart`), and once per boot: the shell says
/// whether it was done already.
extension Appliance {
    /// The exit status that tells a supervisor to start us again; EX_TEMPFAIL.
    package static let restartStatus: Int32 = 75

    mutating func notePartitions(at now: Moment) {
        let isHot = session.state.partitions.contains { partition in
            switch partition.status.last {
            case .alarm, .entryDelay: true
            case .disarmed, .ready, .readyForce, .notReady, .exitDelay, .armed, .notEnabled, nil: false
            }
        }
        if isHot { lastHotAt = now.boot }
    }

    var plannedRestartAt: BootTime? {
        guard mayRestart, life == .running, let since = journal.stalledSince else { return nil }
        return max(since, lastHotAt ?? since) + configuration.pace.stallRestart
    }

    mutating func restartIfDue(at now: Moment, into effects: inout [Effect]) {
        guard let due = plannedRestartAt, now.boot >= due else { return }
        life = .finished
        effects.append(
            .log(
                LogEntry(.error, "the disk has not answered for long: restarting once in the hope that it does")
            ))
        effects.append(.notify(.stopping))
        effects.append(.finish(status: Self.restartStatus))
    }
}
