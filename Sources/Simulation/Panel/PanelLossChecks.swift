import AlarmModel

/// What the world remembers of a panel that is lost, to hold the promise against that it becomes an alarm.
struct PanelLossChecks: Sendable {
    private struct Loss: Sendable {
        var since: BootTime
        /// The house was armed, and nothing was told of it since.
        var isOwed: Bool
    }

    private var run = 0
    private var guarded: [Int] = []
    /// The daemon of this run had a session.
    private var hadSession = false
    private var loss: Loss?
    /// Since a partition was armed last.
    private var isTold = false

    mutating func ordered(_ batch: Batch) {
        let isAlarm = batch.events.contains { $0.type == .alarm && $0.code == EventCode.panelOffline.rawValue }
        if isAlarm { isTold = true }
    }

    /// - Returns: how long an alarm has been owed; nil: none is
    mutating func look(_ panel: PanelState, run: Int, at now: BootTime) -> Duration? {
        let armed = panel.partitions.filter { $0.status.last?.isGuarded ?? false }.map(\.number)
        if run != self.run {
            self = PanelLossChecks()
            self.run = run
            isTold = panel.system.toldLosses?.contains(.module) ?? false
        } else if armed.isEmpty || armed.contains(where: { !guarded.contains($0) }) {
            isTold = false
            // The report after the return tells it, before the session counts as up.
            loss?.isOwed = false
        }
        guarded = armed
        guard panel.link != .up else {
            (hadSession, loss) = (true, nil)
            return nil
        }
        guard hadSession else { return nil }
        let loss = self.loss ?? Loss(since: now, isOwed: !armed.isEmpty && !isTold)
        self.loss = loss
        guard loss.isOwed, !isTold, now - loss.since > .seconds(61) else { return nil }
        return now - loss.since - .seconds(60)
    }
}
