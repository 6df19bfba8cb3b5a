import AlarmModel
import PanelLink
import Uplinks

/// What is made of the state of several machines, for the store and for the service manager. It is made at each step, and
/// changes nothing: the box is `inout` because anything else is given a copy of all of it.
extension Snapshot {
    /// The state that a restart begins with.
    init(of box: inout Appliance, _ step: Step) {
        let stored = box.journal.storedSnapshot
        var software = box.health.software ?? stored?.software
        software?.offer = box.updates.kept
        let seen = box.deliveries.outbox.seenUpTo
        self.init(
            panel: step.panel, isMaintenance: step.isMaintenance, nextCommand: box.commands.open.next,
            addresses: step.addresses, seenUpTo: seen > .zero ? seen : nil,
            linkUsage: box.links.failover?.usage ?? stored?.linkUsage,
            refusedPIN: box.links.modem.map { Links.refusedPIN($0) } ?? stored?.refusedPIN,
            console: box.control.consoleLock.record, software: software,
            heardCommands: box.commands.heardCommands.isEmpty ? nil : box.commands.heardCommands,
            codeLocks: box.commands.codeLocks.records(at: step.now.boot),
            acceptedTime: box.health.clock.acceptedTime, ups: box.power.record,
            reminders: Self.reminders(of: &box, step), receiver: step.receiver,
            watch: step.watch.stored(isLast: step.life == .stopping))
    }
}

extension Snapshot {
    /// State of the reminders, with the time at which the test alarm of the month is due.
    private static func reminders(of box: inout Appliance, _ step: Step) -> RemindersRecord? {
        let record = box.reminders.record(step)
        guard let test = box.deliveries.testAlarms.record(in: step.configuration.panel.timeZone) else { return record }
        var whole = record ?? RemindersRecord()
        whole.due.append(test)
        return whole
    }
}

extension StatusLine.Facts {
    init(of box: inout Appliance, _ step: Step) {
        self.init(
            panel: step.panel.link, storeProblem: box.journal.queue.problem,
            unstored: step.isStoreGood ? 0 : box.journal.queue.waitingEvents,
            hasLinks: !(box.links.failover?.report ?? []).isEmpty, activeLink: box.links.failover?.active,
            areChannelsReady: step.channels.isEmpty ? nil : box.channels.isAnyReady,
            unsent: step.channels.isEmpty ? 0 : box.deliveries.outbox.backlog)
    }
}
