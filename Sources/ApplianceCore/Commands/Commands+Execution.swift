import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// From the accepted command to its reported outcome, the same for every origin; and whose doing a change of the panel
/// is.
extension Commands {
    /// The command gets its number, its event and its row in the ledger with this step; it goes on when these are
    /// stored.
    ///
    /// - Parameter asked: who asked, for the event; nil: the person
    mutating func accept(
        _ command: PanelCommand, from origin: OpenCommands.Origin, by person: Actor? = nil, asked: String? = nil,
        _ step: inout Step
    ) -> OpenCommands.Entry {
        let entry = open.accept(command, from: origin, by: person, at: step.now)
        writeDown(entry, asked: asked, &step)
        return entry
    }

    mutating func accept(
        summary: String, from origin: OpenCommands.Origin, by person: Actor?, _ step: inout Step
    ) -> OpenCommands.Entry {
        let entry = open.accept(summary: summary, from: origin, by: person, at: step.now)
        writeDown(entry, asked: nil, &step)
        return entry
    }

    private func writeDown(_ entry: OpenCommands.Entry, asked: String?, _ step: inout Step) {
        func event(_ by: String) -> Event { step.event(of: entry, .command, "asked for \(by)") }
        switch entry.origin {
        case .client: step.record(event("at the box"))
        case .phone(let phone, let counter, _):
            step.remember(PhoneCause(command: entry.id, text: "\(phone).\(counter)"))
            step.announce(event("by \(entry.person?.words ?? "")"), to: .everybody(except: phone))
        case .schedule: step.record(event("by the schedule"))
        case .legacy, .contact, .house: step.announce(event("by \(asked ?? entry.person?.words ?? ""), unsigned"))
        }
        step.writes.ledger.append(
            LedgerRow(
                command: entry.id, summary: entry.summary, origin: entry.origin.text, time: step.now.wall, outcome: nil)
        )
    }

    /// Somebody at the box or with a program there asks: the socket let in nobody else.
    mutating func ask(_ command: PanelCommand, code: Secret?, for client: ConnectionID, _ step: inout Step) {
        let entry = accept(command, from: .client(client), &step)
        if step.life == .stopping { return ended(entry.id, .refused(.stopping), &step) }
        step.wait(.submit(step.order(entry.id, command, code: code)))
    }

    /// The owner's schedule: nobody has asked, so that nobody is answered, and a failure is told to everybody.
    mutating func armBySchedule(_ partition: Int, _ mode: PanelCommand.ArmRequest, _ step: inout Step) {
        let command = PanelCommand.arm(partition: partition, mode: mode, force: false)
        let entry = accept(command, from: .schedule, by: .schedule, &step)
        step.wait(.carryOut(step.order(entry.id, command)))
    }

    /// What waited for the disk is carried out; not when the disk did not take it.
    mutating func carryOut(_ order: PanelOrder, stored: Bool, _ step: inout Step) {
        guard stored else { return ended(order.id, .failed(.storageFailed), &step) }
        actions.append(.submit(order))
    }

    /// Writes down how a command ended; whoever gave it hears of it when that is durable.
    mutating func ended(_ id: CommandID, _ outcome: Outcome, _ step: inout Step) {
        guard let entry = open.end(id) else { return }
        let reason = outcome.reason.map { ": \(step.describe($0))" } ?? ""
        let words =
            switch outcome {
            case .done: "done"
            case .refused: "refused"
            case .failed: "failed"
            case .notConfirmed: "not confirmed by the panel; look at its state before you try again"
            case .expired: "expired before the panel took it"
            }
        rememberActor(of: entry, outcome, &step)
        let event = step.event(of: entry, .response, "\(words)\(reason)")
        switch entry.origin {
        case .client(let client):
            step.record(event)
            step.wait(.replyOutcome(client, outcome))
        case .phone(let phone, let counter, let digest):
            phoneEnded(phone, counter, digest, PhoneResult(outcome), event, &step)
        case .legacy(let token):
            step.announce(event)
            step.wait(.tellLegacy(token: token))
        case .contact(let address):
            step.announce(event)
            let words = step.noticeText(forContact: address)
            step.wait(
                .tellContact(address, words.outcome(outcome, of: entry.summary, sentence: event.message)))
        case .house(let channel):
            step.announce(event)
            step.wait(.tellHouse(HouseAnswer(entry, outcome, by: channel, step.configuration.panel.names)))
        case .schedule:
            step.record(event)
            if outcome != .done { step.tellScheduleFailed(words + reason, partition: entry.partition) }
        }
        step.writes.ledger.append(
            LedgerRow(
                command: id, summary: entry.summary, origin: entry.origin.text, time: entry.acceptedAt,
                outcome: outcome))
    }

    // MARK: After a restart

    /// A command was under way when the last run ended: nobody knows whether it took effect.
    mutating func closeUnfinished(_ row: LedgerRow, _ step: inout Step) {
        var row = row
        row.outcome = .notConfirmed
        let words = "\(row.summary): not confirmed, because the daemon was restarted meanwhile"
        var event = step.event(.response, .command, words)
        event.command = row.command
        step.record(event)
        step.writes.ledger.append(row)
        step.tellUnfinished(row, words + "; look at the panel's state")
    }

    /// What was accepted and not ended in the last run is never done again (docs/pairing.md 7.4).
    mutating func closeUnfinishedOfPhones(_ step: inout Step) {
        for index in accounts.indices {
            for row in accounts[index].rows where row.result == nil {
                var row = row
                row.result = PhoneResult(.timeout)
                store(row, at: index, &step)
                step.writes.phoneLedger.append(row)
                step.wait(.tellPhone(row.phone, counter: row.counter, event: nil))
            }
        }
    }

    // MARK: Whose doing it is

    /// The panel names the user whose code was sent, "user 40"; the box knows for whom it sent that code.
    ///
    /// - Returns: who it was, where the panel's own record of the change is to say so, too
    mutating func attribute(_ event: inout Event) -> (partition: Int, name: String)? {
        let change = UserChange(event)
        guard change != nil || event.type == .armed || event.type == .disarmed, let partition = event.partition else {
            return nil
        }
        let actor: Actor
        if let command = event.command, let open = open.entry(command) {
            guard let person = open.person else { return nil }
            actor = person
        } else if let change, let underWay = open.underWay(change, partition) {
            // Or before it has.
            guard let person = underWay.person else { return nil }
            actor = person
            event.command = underWay.id
            open.named(underWay.id)
        } else if let change,
            let index = recentActors.firstIndex(where: { $0.partition == partition && $0.change == change })
        {
            // The panel often tells who it was after it has told that it was.
            let recent = recentActors.remove(at: index)
            actor = recent.actor
            event.command = recent.command
        } else {
            return nil
        }
        event.userName = actor.name
        guard let change else {
            // This line is pushed to the others; the panel's own about its user, which comes later or never, is not.
            event.message += ", by \(actor.words)"
            return nil
        }
        let place = event.partitionName.map { "partition \(partition) (\($0))" } ?? "partition \(partition)"
        event.message = "\(change == .disarmed ? "Disarmed" : "Armed") by \(actor.words), \(place)"
        return (partition, actor.name)
    }

    /// Remembers for a moment who a confirmed command was for.
    private mutating func rememberActor(of entry: OpenCommands.Entry, _ outcome: Outcome, _ step: inout Step) {
        guard let actor = entry.person, let partition = entry.partition, outcome == .done,
            let change = entry.userChange, !entry.isNamed
        else { return }
        recentActors.removeAll { $0.partition == partition }
        recentActors.append(
            RecentActor(
                partition: partition, change: change, actor: actor, command: entry.id,
                until: step.now.boot + .seconds(3)))
    }

    mutating func forgetActors(at now: BootTime) { recentActors.removeAll { $0.until <= now } }

    // MARK: Conditions

    /// An event that arms or disarms is on its way to the store: every condition and every button from before is void.
    mutating func noteArming(_ event: Event) {
        guard event.type == .armed || event.type == .disarmed, let partition = event.partition else { return }
        setArming(partition, nil)
        buttons.removeAll { $0.partition == partition && ($0.verb == .arm || $0.verb == .disarm) }
    }

    mutating func noteStoredArming(_ event: Event, _ seq: SequenceNumber) {
        guard event.type == .armed || event.type == .disarmed, let partition = event.partition else { return }
        setArming(partition, seq)
    }

    mutating func noteOldArming(_ partition: Int, _ seq: SequenceNumber) {
        guard !armings.contains(where: { $0.partition == partition && $0.isFresh }) else { return }
        setArming(partition, seq, isFresh: false)
    }

    /// What has to be known before a condition of a phone can be judged: when each partition was armed or disarmed
    /// last.
    mutating func askForArmings(_ step: inout Step) {
        for partition in step.configuration.panel.partitions {
            noteOldArming(partition, step.lastSequence)
            askForArming(of: partition, &step)
        }
    }

    private func askForArming(of partition: Int, before end: SequenceNumber? = nil, _ step: inout Step) {
        step.read(
            EventQuery(before: end, types: [.armed, .disarmed], partition: partition, order: .newest, limit: 1),
            for: .arming(partition: partition))
    }

    mutating func armingArrived(_ partition: Int, _ rows: Rows, _ step: inout Step) {
        guard case .page(let page) = rows else { return }
        if page.events.isEmpty, page.hasMore {
            // The last one lies far back; until it is found no condition from before this start holds.
            askForArming(of: partition, before: page.bottom, &step)
        } else {
            noteOldArming(partition, page.events.last?.seq ?? .zero)
        }
    }

    private mutating func setArming(_ partition: Int, _ seq: SequenceNumber?, isFresh: Bool = true) {
        armings.removeAll { $0.partition == partition }
        armings.append(Arming(partition: partition, seq: seq, isFresh: isFresh))
    }
}

extension OpenCommands.Origin {
    /// As the ledger keeps it.
    var text: String {
        switch self {
        case .client: "local"
        case .phone(let phone, _, _): "phone \(phone)"
        case .legacy(let token): "legacy \(token.prefix(8))"
        case .contact(let address): "contact \(address.number)"
        case .house(let channel): "house \(channel.rawValue)"
        case .schedule: "schedule"
        }
    }

    /// Of what the ledger keeps, as much as is needed after a restart: the contact or the broker that has to be told.
    init?(text: String) {
        if text == Self.schedule.text {
            self = .schedule
            return
        }
        if text.hasPrefix("house "), let channel = ChannelKind(rawValue: String(text.dropFirst("house ".count))) {
            self = .house(channel)
            return
        }
        guard text.hasPrefix("contact "), let number = Int64(text.dropFirst("contact ".count)) else { return nil }
        self = .contact(AddressID(number))
    }
}

extension Step {
    /// An event about a command of somebody.
    func event(of entry: OpenCommands.Entry, _ type: EventType, _ what: String) -> Event {
        let names = configuration.panel.names
        return Event(
            type: type, code: EventCode.command.rawValue, raw: EventCode.command.rawValue,
            message: "\(entry.summary): \(what)", time: now.wall, isTimeTrusted: now.isWallTrusted,
            partition: entry.partition, partitionName: entry.partition.flatMap(names.partition), zone: entry.zone,
            zoneName: entry.zone.flatMap { names.zone($0)?.name }, userName: entry.person?.name, command: entry.id)
    }

    func order(_ id: CommandID, _ command: PanelCommand, code: Secret? = nil) -> PanelOrder {
        PanelOrder(id: id, command: command, code: code, deadline: now.boot + configuration.pace.commandDeadline)
    }

    /// Silently not armed is the worst.
    mutating func tellScheduleFailed(_ why: String, partition: Int?) {
        let place = partition.map { self.place($0) } ?? "What was to be armed"
        record(
            event(.fault, .scheduleFailed, "\(place) was NOT armed by the schedule: \(why)", partition: partition))
    }

    /// The reason with the names of the zones it mentions.
    func describe(_ reason: Reason) -> String {
        guard case .notReady(let zones) = reason, !zones.isEmpty else { return reason.description }
        let named = zones.map { zone in
            configuration.panel.names.zone(zone).map { "\(zone) (\($0.name))" } ?? "\(zone)"
        }
        return "not ready: open zones \(named.joined(separator: ", ")); close or bypass them, or use --force"
    }
}
