import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// From the stored event to the push service, and what it answers.
extension Deliveries {
    /// What a channel did not take although it had room is offered again after this: both must not keep the box busy.
    private static let untakenPause: Duration = .milliseconds(200)

    /// Orders the read of what waits in the store and not in memory.
    mutating func readOutbox(_ step: inout Step) {
        guard !isReading, step.isStoreGood, let query = outbox.takeQuery(at: step.now) else { return }
        isReading = true
        step.read(query, for: .outbox)
    }

    /// Hands one message to a channel: alarms first, then answers, then the rest, signs of life last.
    ///
    /// - Returns: false when nothing may go by this channel now
    mutating func handNext(by channel: ChannelKind, room: TransportRoom, _ step: inout Step) -> Bool {
        // What is being sealed for an answer has no place on the way yet.
        let sealing = step.questions.vault.count { $0.purpose.isAnswer }
        var room = room
        room.alarm = max(0, room.alarm - sealing)
        room.other = max(0, room.other - sealing)
        let alarmsOnly = TransportRoom(alarm: room.alarm, other: 0)
        if let entry = outbox.next(at: step.now, by: channel, room: alarmsOnly) {
            hand(entry, by: channel, &step)
        } else if room.other > 0, let answer = answers.next(by: channel, at: step.now.boot) {
            hand(answer, &step)
        } else if let entry = outbox.next(at: step.now, by: channel, room: room) {
            hand(entry, by: channel, &step)
        } else if room.other > 0, let beat = answers.next(by: channel, isHeartbeat: true, at: step.now.boot) {
            hand(beat, &step)
        } else {
            return false
        }
        return true
    }

    private mutating func hand(
        _ entry: OutboxEntry, by channel: ChannelKind, _ step: inout Step
    ) {
        switch step.book.receiver(at: entry.address) {
        case .phone(let phone, _):
            step.ask(.seal(phone, message(of: entry, step), challengeUntil: nil), for: .sealMessage(entry))
        case .legacy(let token):
            let message = HowAlarmingMessage(entry.event, type: entry.event.legacyType)
            let data = token == LegacyPhone.topic ? message.topicData : message.pushData
            push(.legacy(data), of: entry, to: DeliveryAddress(.phone(.fcmToken), token), by: channel, &step)
        case .contact(let contact): tell(contact, entry, by: channel, &step)
        case .house(let house):
            let type = entry.event.legacyType
            let address = DeliveryAddress(.house(house.kind), house.value)
            let content: DeliveryContent =
                switch house.kind {
                case .mail: .words(step.noticeText(for: nil).notice(entry.event, partitions: step.panel.partitions))
                case .url, .program, .tube, .broker:
                    .event(step.phoneContent.programEvent(entry.event, seq: entry.seq, type: type), type: type.rawValue)
                case .receiver: report(entry.event, step)
                }
            push(content, of: entry, to: address, by: channel, &step)
        case nil: outbox.died(entry.message, why: "the phone is gone", at: step.now)
        }
    }

    /// What is told whatever it is, and has no code, is a test of the way.
    private func report(_ event: Event, _ step: Step) -> DeliveryContent {
        let report = event.contactID(step.configuration.panel.names, partitions: step.panel.partitions)
        return .report(report ?? ContactID(.new, 602), at: event.isTimeTrusted ? event.time : nil)
    }

    private mutating func hand(_ answer: AnswerQueue.Entry, _ step: inout Step) {
        switch answer.content {
        case .sealed(let phone, let message, let wantsChallenge):
            step.ask(
                .seal(phone, message, challengeUntil: wantsChallenge ? step.challengeEnd : nil),
                for: .sealAnswer(answer.message))
        case .frame(let bytes): push(.frame(bytes), of: answer, &step)
        case .clear(let data): push(.legacy(data), of: answer, &step)
        case .words(let notice): push(.words(notice), of: answer, &step)
        case .outcome(let json): push(.event(json, type: "answer"), of: answer, &step)
        }
    }

    private func message(of entry: OutboxEntry, _ step: Step) -> BoxMessage {
        if let picture = entry.picture {
            return BoxMessage(
                .picture, content: step.phoneContent.picture(picture, seq: entry.seq, time: entry.event.time))
        }
        return BoxMessage(.event, content: eventContent(of: entry, step))
    }

    private func eventContent(of entry: OutboxEntry, _ step: Step) -> JSON {
        let isNewest = entry.seq != nil && entry.seq == step.lastSequence
        let state = PhoneContent.state(
            step.panel, partitions: step.configuration.panel.partitions, named: entry.event.partition)
        let cause = entry.event.command.flatMap { step.cause($0) }
        return step.phoneContent.event(
            entry.event, seq: entry.seq, type: entry.event.legacyType, state: isNewest ? state : nil, cause: cause,
            isRepeat: false)
    }

    // MARK: Sealed

    mutating func sealedMessage(
        _ entry: OutboxEntry, _ envelope: [UInt8]?, _ step: inout Step
    ) {
        guard let envelope, case .phone(_, let address) = step.book.receiver(at: entry.address) else {
            return outbox.died(entry.message, why: "the phone's keys are gone", at: step.now)
        }
        guard let place = step.place(of: address) else { return outbox.notSent(entry.message) }
        push(.sealed(envelope), of: entry, to: place.address, by: place.channel, &step)
    }

    mutating func sealedAnswer(
        _ id: MessageID, _ envelope: [UInt8]?, _ step: inout Step
    ) {
        guard let answer = answers[id] else { return }
        guard let envelope else {
            answers.end(id)
            return
        }
        push(.sealed(envelope), of: answer, &step)
    }

    // MARK: Onto the way

    mutating func push(
        _ content: DeliveryContent, of entry: OutboxEntry, to address: DeliveryAddress, by channel: ChannelKind,
        _ step: inout Step
    ) {
        var delivery = Delivery(
            message: entry.message, address: address, content: content, priority: entry.priority,
            timeToLive: entry.timeToLive, wantsReceipt: entry.wantsReceipt)
        #if SABOTAGE
            if step.sabotage == .renamesOnResend, entry.isRepeat {
                delivery.message = MessageID(boot: step.bootMark, counter: step.questions.nextVaultJob)
            }
        #endif
        if case .words = content, entry.priority == .info {
            // A test, or that somebody has seen the alarm: it may be fetched later, and is to be seen.
            delivery.timeToLive = 600
            delivery.priority = .state
        }
        // A device that sleeps gets it at once, not when it wakes: by then the delay is over.
        if entry.event.panelNotice == .entryDelay { delivery.priority = .fault }
        delivery.isRepeat = entry.isRepeat
        if channel == .webPush { delivery.shown = shown(entry, step) }
        actions.append(.send(delivery, by: channel))
    }

    private mutating func push(
        _ content: DeliveryContent, of answer: AnswerQueue.Entry, _ step: inout Step
    ) {
        var delivery = Delivery(
            message: answer.message, address: answer.place.address, content: content, priority: .info, timeToLive: 0,
            isAnswer: true)
        if case .words = content {
            // A store app may fetch it later: the code of a pairing is there before the app listens.
            delivery.timeToLive = 600
            delivery.priority = .state
            delivery.isAnswer = false
        }
        if answer.place.channel == .webPush {
            delivery.timeToLive = 600
            delivery.shown = shownProbe(answer, step)
        }
        actions.append(.send(delivery, by: answer.place.channel))
    }

    /// A channel has taken the message.
    mutating func sent(_ message: MessageID) { outbox.sent(message) }

    /// A channel had no room for it after all: it is offered again a little later.
    mutating func notTaken(_ message: MessageID, _ step: inout Step) {
        if answers.contains(message) {
            answers.again(message, after: Self.untakenPause, at: step.now.boot)
        } else {
            outbox.notSent(message, until: step.now.boot + Self.untakenPause)
        }
    }

    // MARK: What the services answer

    /// What a channel tells of messages.
    mutating func told(_ action: TransportAction, by channel: ChannelKind, _ step: inout Step) {
        switch action {
        case .accepted(let message, let canonical): accepted(message, canonical: canonical, &step)
        case .received(let message): received(message, &step)
        case .refused(let message, let refusal): refused(message, refusal, by: channel, &step)
        case .returned(let messages):
            #if SABOTAGE
                if step.sabotage == .returnedMessagesDropped, channel == .mqtt { return }
            #endif
            returned(messages, &step)
        case .connect, .cancelConnect, .upgrade, .send, .close, .compute, .locate, .ready, .notReady, .inbound,
            .problem, .log, .serverTime, .presence:
            break
        }
    }

    private mutating func accepted(_ message: MessageID, canonical: String?, _ step: inout Step) {
        let address = address(of: message, step.book)
        tellTaken(message, &step)
        if let address, outbox.isTellable(message) { actions.append(.taken(address)) }
        if let answer = answers[message], answer.isHeartbeat, case .sealed(let phone, _, _) = answer.content {
            step.tookSignOfLife(.phone(phone))
        }
        if !answers.end(message) { outbox.accepted(message, at: step.now) }
        guard let canonical, let address else { return }
        actions.append(.learned(canonical, insteadOf: address))
    }

    private mutating func received(_ message: MessageID, _ step: inout Step) {
        if let item = personsAlarm(message, step.book) { tellTakenForGood(item, step) }
        outbox.received(message, at: step.now)
    }

    /// A person has seen the alarms up to this number; nil: somebody at the box, whose word is for everybody.
    mutating func seen(upTo seq: SequenceNumber, of person: PersonID?, _ step: inout Step) {
        outbox.seen(.alarms(upTo: seq, of: person), at: step.now)
        actions.append(.alarm(.confirmed(.numbers(.zero...max(.zero, seq)), by: person, as: .seen)))
    }

    // MARK: Alarms for which a text message may stand in

    /// An alarm to a person, in memory. At a suspended phone, which somebody else may hold, it has reached nobody.
    private func personsAlarm(_ message: MessageID, _ book: PhoneBook) -> OutboxItem? {
        guard let item = outbox.item(message), item.priority == .alarm, book.leadsToPerson(item.address) else {
            return nil
        }
        return item
    }

    /// The service has taken this message for good, or says that the phone has it, which only the phone can prove.
    mutating func tellTakenForGood(_ item: OutboxItem, _ step: Step) {
        #if SABOTAGE
            if step.sabotage == .textThoughDelivered { return }
        #endif
        actions.append(.alarm(.taken(item.event, item.seq, for: step.book.person(at: item.address), until: nil)))
    }

    /// The service has taken this message, and may send it back on channels that do.
    private mutating func tellTaken(_ message: MessageID, _ step: inout Step) {
        guard let item = personsAlarm(message, step.book) else { return }
        guard item.channel.mayBounce, !item.isSeen else { return tellTakenForGood(item, step) }
        // A repeated word of the service changes nothing.
        guard !item.mayComeBack else { return }
        let (person, end) = (step.book.person(at: item.address), step.now.boot + outbox.policy.bounceSpan)
        actions.append(.alarm(.taken(item.event, item.seq, for: person, until: end)))
    }

    /// Before the outbox hears of it: a service refuses this message, perhaps one that it had taken.
    mutating func tellRefused(_ message: MessageID, _ step: inout Step) {
        guard let item = personsAlarm(message, step.book), item.mayComeBack else { return }
        actions.append(.alarm(.cameBack(item.event, item.seq, for: step.book.person(at: item.address))))
    }

    func address(of message: MessageID, _ book: PhoneBook) -> AddressID? {
        guard let place = answers[message]?.place else { return outbox.address(of: message) }
        let value = place.address.value
        guard case .phone(let kind) = place.address.kind else { return nil }
        return book.phone(at: kind, value)?.address(kind, value)?.id
            ?? book.legacyPhones.first { $0.token == value }?.address
    }

    mutating func returned(_ messages: [MessageID], after pause: Duration = .zero, _ step: inout Step) {
        for message in messages { answers.again(message, after: pause, at: step.now.boot) }
        #if SABOTAGE
            if step.sabotage == .forgetsReturnedMessages { return }
        #endif
        outbox.returned(messages, until: pause == .zero ? .zero : step.now.boot + pause)
    }

    // MARK: What the outbox tells

    mutating func noteNotices(_ step: inout Step) {
        for notice in outbox.takeNotices() {
            switch notice {
            case .alarmOverdue(let address, let seq, let others):
                let more = others > 0 ? " and \(others) more" : ""
                step.note(
                    .fault, .pushRefused,
                    "No sign yet that \(step.book.name(of: address)) has the alarm\(Self.number(seq))\(more); "
                        + "\(others > 0 ? "they are" : "it is") sent again and again.",
                    about: .address(address))
            case .alarmDied(let address, let seq, let why):
                step.note(
                    .fault, .pushRefused,
                    "\(step.book.name(of: address)) did not get the alarm\(Self.number(seq)): \(why).",
                    about: .address(address))
            case .eventsLost(let count):
                step.note(
                    .fault, .pushRefused,
                    "Messages that waited (\(count)) were given up: the journal cannot be read where their events lie. Replace the card if this happens again."
                )
            case .storeUnreadable:
                step.note(
                    .fault, .storeFailed,
                    "Messages that wait in the journal cannot be read; it is tried again, and newer ones go out before them. Replace the card if this lasts."
                )
            case .storeReadable:
                step.note(.recovery, .storeRestored, "Messages that wait in the journal can be read again.")
            }
        }
    }

    private static func number(_ seq: SequenceNumber?) -> String { seq.map { " number \($0.number)" } ?? "" }
}
