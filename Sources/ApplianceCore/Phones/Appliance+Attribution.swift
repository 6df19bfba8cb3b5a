import AlarmModel
import PanelLink
import PhoneProtocol

/// Which person an event is about, which number it got, and when a partition was armed or disarmed last.
extension Appliance {
    /// The panel names the user whose code was sent, "user 40"; the box knows for whom it sent that code.
    mutating func nameActor(of event: inout Event) {
        let isUserLine = event.code == "700" || event.code == "750"
        guard isUserLine || event.type == .armed || event.type == .disarmed, let partition = event.partition else {
            return
        }
        let actor: CommandDesk.Actor
        if let command = event.command, let open = desk.entry(command) {
            guard let person = open.person else { return }
            actor = person
        } else if isUserLine, let open = desk.underWay(event.code, partition) {
            // Or before it has.
            guard let person = open.person else { return }
            actor = person
            event.command = open.id
            desk.named(open.id)
        } else if isUserLine,
            let index = hall.recentActors.firstIndex(where: { $0.partition == partition && $0.code == event.code })
        {
            // The panel often tells who it was after it has told that it was.
            let recent = hall.recentActors.remove(at: index)
            actor = recent.actor
            event.command = recent.command
        } else {
            return
        }
        event.userName = actor.name
        guard isUserLine else {
            // This line is pushed to the others; the panel's own about its user, which comes later or never, is not.
            event.message += ", by \(actor.words)"
            return
        }
        let place = event.partitionName.map { "partition \(partition) (\($0))" } ?? "partition \(partition)"
        event.message = "\(event.code == "750" ? "Disarmed" : "Armed") by \(actor.words), \(place)"
        session.nameLastChange(of: partition, actor.name)
    }

    /// Remembers for a moment who a confirmed command was for.
    mutating func rememberActor(of entry: CommandDesk.Open, _ outcome: Outcome, _ step: inout Step) {
        guard let actor = entry.person, let partition = entry.partition, outcome == .done,
            let code = entry.userLine, !entry.isNamed
        else { return }
        hall.recentActors.removeAll { $0.partition == partition }
        hall.recentActors.append(
            PhoneHall.RecentActor(
                partition: partition, code: code, actor: actor, command: entry.id, until: step.now.boot + .seconds(3)))
    }

    // MARK: Numbers

    /// Tells the outbox which numbers the events of these batches got: the store numbers them one after the other.
    mutating func numberEvents(of batches: [JournalQueue.Stored], upTo id: BatchID, last: SequenceNumber) {
        let ordinary = batches.reduce(0) { $0 + $1.events.count { !$0.event.flags.contains(.duress) } }
        // Where the store could not be read at the start, the first commit tells where it stands.
        var next = hall.nextSequence ?? SequenceNumber(last.number - Int64(ordinary) + 1)
        var numbers: [PhoneHall.Number] = []
        for batch in batches {
            for (index, event) in batch.events where !event.flags.contains(.duress) {
                noteStoredArming(event, next)
                numbers.append(PhoneHall.Number(batch: batch.id, event: index, seq: next))
                next = next.next
            }
        }
        hall.nextSequence = next
        hall.committedNumbers = numbers
        hall.outbox.committed(upTo: id) { batch, index in
            numbers.first { $0.batch == batch && $0.event == index }?.seq
        }
    }

    /// The number of an event of the batches that were just committed.
    func committedNumber(_ batch: BatchID, _ event: Int?) -> SequenceNumber? {
        guard let event else { return nil }
        return hall.committedNumbers.first { $0.batch == batch && $0.event == event }?.seq
    }

    // MARK: Conditions

    /// An event that arms or disarms is on its way to the store: every condition from before is void.
    mutating func noteArming(_ event: Event) {
        guard event.type == .armed || event.type == .disarmed, let partition = event.partition else { return }
        setArming(partition, nil)
        voidButtons(of: partition)
    }

    private mutating func noteStoredArming(_ event: Event, _ seq: SequenceNumber) {
        guard event.type == .armed || event.type == .disarmed, let partition = event.partition else { return }
        setArming(partition, seq)
    }

    mutating func noteOldArming(_ partition: Int, _ seq: SequenceNumber) {
        guard !hall.armings.contains(where: { $0.partition == partition && $0.isFresh }) else { return }
        setArming(partition, seq, isFresh: false)
    }

    private mutating func setArming(_ partition: Int, _ seq: SequenceNumber?, isFresh: Bool = true) {
        hall.armings.removeAll { $0.partition == partition }
        hall.armings.append(PhoneHall.Arming(partition: partition, seq: seq, isFresh: isFresh))
    }

    mutating func count(_ changes: [OutboxChange]) {
        for change in changes {
            switch change.state {
            case .dead: if !hall.outbox.takeHiddenEnd(change.message) { hall.counts.dead += 1 }
            case .expired: if !hall.outbox.takeHiddenEnd(change.message) { hall.counts.expired += 1 }
            case .waiting, .accepted, .received, .overdue, .seen, .spared: break
            }
        }
    }
}
