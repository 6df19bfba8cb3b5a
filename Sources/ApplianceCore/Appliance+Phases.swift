import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// What happens at the end of each step, in this order.
enum StepPhase: CaseIterable {
    /// The disk is looked at: it may owe an answer for too long.
    case noticeStall
    /// What people are to be reminded of now, and what the schedule arms.
    case remind
    /// Writes become a batch, messages go out, and what goes on because of either may write in its turn: until nothing
    /// does.
    case settle
    /// The disk is ordered to take what waits.
    case order
    /// A run that was told to stop ends when all is stored and told.
    case finish
    /// When the house was last in alarm is remembered, and the one restart that a disk is worth is made.
    case restart
    /// The services, and after them the panel, wait while the journal cannot follow.
    case holdBack
    /// When the channels and those who are told want to act next.
    case deadline
    /// The service manager hears a new line.
    case status
    /// The box looks at itself.
    case health
    /// Timers follow the machines' deadlines; last, because each phase may change one.
    case timers
}

extension Appliance {
    mutating func endStep(_ step: inout Step) {
        guard step.life != .fresh else { return }
        for phase in StepPhase.allCases { run(phase, &step) }
    }

    private mutating func run(_ phase: StepPhase, _ step: inout Step) {
        switch phase {
        case .noticeStall:
            guard let waiting = journal.noticeStall(&step) else { return }
            deliveries.outbox.storeFailed()
            control.sendUnstored(waiting, &step)
        case .remind: reminders(&step) { $0.look(&$1) }
        case .settle:
            repeat { settle(&step) } while step.writes != StepWrites()
        case .order: journal.order(&step)
        case .finish:
            let isOver = journal.isIdle || stopDeadline.map { $0 <= step.now.boot } ?? false
            guard step.life == .stopping, isOver else { return }
            step.life = .finished
            step.effects.append(.finish(status: 0))
        case .restart: health.restartIfDue(Health.StoreView(of: &self), &step)
        case .holdBack:
            links.holdServices(journal.queue.load, &step)
            panelConnection.adjustBackpressure(journal.queue.load, &step)
        case .deadline: timers.owePhones(Deadline.phones(of: &self, after: step), step)
        case .status: statusLine.announce(StatusLine.Facts(of: &self, step), &step)
        case .health:
            health.noteIdlePanel(isIdle: panelConnection.isIdle, step)
            health.observeSoftware(isAnyChannelReady: channels.isAnyReady, step)
        case .timers: timers.follow(Deadline.all(of: &self, step), &step)
        }
    }

    private mutating func settle(_ step: inout Step) {
        let pressedKeys = step.writes.events.compactMap(\.pressedKey)
        writeStep(&step)
        // While the store fails nothing waits for it, and what goes on may have something to write in turn.
        if !step.isStoreGood { goOn(upTo: journal.queue.upcomingID, stored: false, &step) }
        #if SABOTAGE
            if step.sabotage == .repliesBeforeCommit { goOn(upTo: journal.queue.upcomingID, stored: true, &step) }
        #endif
        if channels.showsHouse(step) {
            let (uplinks, problem) = (links.picture, journal.queue.problem)
            channels(&step) { $0.showHouse(uplinks, storage: problem, pressedKeys: pressedKeys, &$1) }
        }
        deliveries.takeAnswers(&step)
        pump(&step)
        let waiting = deliveries.waiting(step) { channels.isUnderWay($0) }
        links(&step) { $0.messagesWait(for: waiting, &$1) }
        deliveries.noteNotices(&step)
    }

    /// The step's writes become one batch.
    private mutating func writeStep(_ step: inout Step) {
        let id = journal.queue.upcomingID
        deliveries.flush(into: id, &step)
        let writes = step.takeWrites()
        // State alone is not worth a write: it goes with the next event, and the panel tells it again after a restart.
        guard !writes.isEmpty else {
            precondition(writes.continuations.isEmpty, "a step may wait only for what it writes itself")
            return
        }
        let snapshot = Snapshot(of: &self, step)
        if writes.writesPhoneBook {
            updateRoutes(&step)
            deliveries.noticeChannelless(&step)
        }
        let rows = deliveries.post(writes, as: id, healthy: channels.reach.healthy, &step)
        lastResort(&step) { $0.saw(writes, &$1) }
        if step.configuration.cameras != nil { cameras(&step) { $0.saw(writes, $2) } }
        if !step.isStoreGood { control.sendUnstored(writes.events, &step) }
        journal.append(
            writes, snapshot: snapshot,
            mayStore: health.mayStoreSnapshot(step, hasPINRecord: control.consoleLock.record != nil), outbox: rows,
            step)
        deliveries.outbox.forget(journal.takeDroppedMessages())
    }

    /// Messages that may be handed over to a channel in one step, beside what it has room for.
    private static let pumpLimit = 128

    /// Hands over what may go, as long as a channel has room.
    private mutating func pump(_ step: inout Step) {
        guard step.life == .running || step.life == .stopping, !step.channels.isEmpty else { return }
        let isUrgent = deliveries.outbox.hasUrgentWaiting
        for kind in step.channels { channels(&step) { $0.setUrgent(isUrgent, kind, &$1) } }
        links(&step) { $0.alarmIsWaiting(isUrgent, &$1) }
        deliveries.readOutbox(&step)
        for kind in step.channels {
            for _ in 0..<Self.pumpLimit {
                guard let room = channels.room(of: kind) else { break }
                var isHanded = false
                deliveries(&step) { isHanded = $0.handNext(by: kind, room: room, &$1) }
                guard isHanded else { break }
            }
        }
    }

    mutating func updateRoutes(_ step: inout Step) {
        deliveries.updateRoutes(&step)
        let outbox = deliveries.outbox
        channels.forgetRefused { outbox.channel(of: $0) == nil }
    }
}
