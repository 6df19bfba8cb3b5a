import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// When each machine of the box wants to act next if nothing else happens. The box is only read here; it is `inout` because
/// anything else is given a copy of all of it.
extension Deadline {
    /// One for each timer.
    static func all(of box: inout Appliance, _ step: Step) -> [Deadline] {
        let isRunning = step.life == .running
        return TimerID.allCases.map { id in
            let at: BootTime? =
                switch id {
                case .panel: isRunning ? box.panelConnection.nextDeadline(step) : nil
                case .dialer: box.panelConnection.dialer.nextDeadline
                case .journal: journal(&box, step)
                case .retention: isRunning ? box.journal.nextRetention : nil
                case .clock: isRunning ? box.health.clockDeadline : nil
                case .phoneDialer: box.links.nextDialDeadline
                case .phones: box.timers.phones
                case .links: isRunning ? box.links.nextDeadline(step) : nil
                case .modem: isRunning ? box.links.modem?.nextDeadline : nil
                case .texts: isRunning ? box.lastResort.nextDeadline : nil
                case .watchdog: isRunning || step.life == .stopping ? box.health.vitals.nextLook : nil
                case .console: isRunning ? box.control.consoleLock.nextDeadline : nil
                case .trial: isRunning ? box.health.trialDeadline(step) : nil
                case .updates: isRunning ? box.updates.nextDeadline(step) : nil
                case .cameras: isRunning ? box.cameras.nextDeadline : nil
                case .reminders: isRunning ? box.reminders.nextDeadline(step) : nil
                case .power: isRunning ? box.power.nextDeadline : nil
                }
            return Deadline(id: id, at: at)
        }
    }

    private static func journal(_ box: inout Appliance, _ step: Step) -> BootTime? {
        [
            box.journal.nextDeadline(step), box.health.plannedRestart(Health.StoreView(of: &box), step),
            step.life == .stopping ? box.stopDeadline : nil,
        ].compactMap { $0 }.min()
    }

    /// When the channels to people, those who are told by them, and the dead-man ping want to act next.
    static func phones(of box: inout Appliance, after step: Step) -> BootTime? {
        [people(&box, after: step), box.channels.ping?.deadManPing.nextDeadline].compactMap { $0 }.min()
    }

    private static func people(_ box: inout Appliance, after step: Step) -> BootTime? {
        guard step.life == .running || step.life == .stopping else { return nil }
        guard !step.channels.isEmpty else { return box.pairing.enrolment?.until }
        return [
            box.deliveries.nextDeadline(step), box.pairing.nextDeadline, step.book.nextRetirement(after: step.now),
            box.channels.nextDeadline, box.directory.probes.map(\.nextAt).min(),
        ].compactMap { $0 }.min()
    }
}

#if DEBUG
    enum Orders {
        /// No machine has something left to do or to tell.
        static func areCarriedOut(by box: inout Appliance) -> Bool {
            let taken = [
                box.panelConnection.actions.isEmpty, box.commands.actions.isEmpty, box.directory.actions.isEmpty,
                box.pairing.actions.isEmpty, box.deliveries.actions.isEmpty, box.channels.actions.isEmpty,
                box.links.actions.isEmpty, box.updates.actions.isEmpty, box.cameras.actions.isEmpty,
                box.power.actions.isEmpty, box.reminders.actions.isEmpty, box.lastResort.actions.isEmpty,
            ]
            return !taken.contains(false)
        }
    }
#endif

extension Health.StoreView {
    init(of box: inout Appliance) {
        self.init(
            stalledSince: box.journal.queue.stalledSince, isWaiting: !box.journal.queue.waiting.isEmpty)
    }
}
