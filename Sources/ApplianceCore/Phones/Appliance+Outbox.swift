import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// From the stored event to the push service, and what it answers.
extension Appliance {
    /// Seals that may be under way beside what the ways have room for.
    private static let pumpLimit = 128
    /// What a way did not take although it had room is offered again after this: both must not keep the box busy.
    private static let untakenPause: Duration = .milliseconds(200)

    /// The rows of a step's events, for its batch.
    mutating func post(_ writes: StepWrites, as batch: BatchID, at now: Moment) -> [OutboxRow] {
        guard !hall.ways.isEmpty else { return [] }
        var rows: [OutboxRow] = []
        for (index, event) in writes.events.enumerated() {
            let announcement = writes.announcements.first { $0.event == index }
            rows += hall.outbox.post(
                event, index: index, batch: batch, heritageType: Self.wireType(of: event), healthy: hall.healthyWays,
                audience: announcement?.audience, at: now)
        }
        return rows
    }

    /// The outbox follows the phone book; original apps are in it only while they are served.
    mutating func updateRoutes(at now: Moment) {
        var book = hall.book
        if !configuration.phones.isLegacyEnabled { book.legacyPhones = [] }
        hall.outbox.update(book, ways: hall.ways.map(\.kind), at: now)
        let gone = hall.ways.flatMap(\.refused).map(\.address).filter { hall.outbox.way(of: $0) == nil }
        guard !gone.isEmpty else { return }
        for index in hall.ways.indices { hall.ways[index].refused.removeAll { gone.contains($0.address) } }
    }

    /// The type that HowAlarming gives to an event; our own events keep their own.
    static func wireType(of event: Event) -> EventType {
        TPICode.heritageType(code: event.code, raw: event.raw) ?? event.type
    }

    /// Hands over what may go: alarms first, then answers, then the rest, signs of life last.
    mutating func pump(at now: Moment, into effects: inout [Effect]) {
        guard life == .running || life == .stopping, !hall.ways.isEmpty else { return }
        let isUrgent = hall.outbox.hasUrgentWaiting
        for index in hall.ways.indices where hall.ways[index].isUrgent != isUrgent {
            hall.ways[index].isUrgent = isUrgent
            drive(hall.ways[index].kind, at: now, into: &effects) { transport, _ in
                transport.setUrgent(isUrgent, at: now)
            }
        }
        alarmWaits(isUrgent, at: now, into: &effects)
        readOutbox(at: now, into: &effects)
        for index in hall.ways.indices where hall.ways[index].isReady {
            pump(hall.ways[index].kind, at: now, into: &effects)
        }
    }

    private mutating func pump(_ way: WayKind, at now: Moment, into effects: inout [Effect]) {
        for _ in 0..<Self.pumpLimit {
            guard let index = hall.way(way), hall.ways[index].isReady else { return }
            var room = hall.ways[index].carrier.transport.room
            // What is being sealed for an answer has no place on the way yet.
            let sealing = hall.vaultWaits.count { $0.isAnswer }
            room.alarm = max(0, room.alarm - sealing)
            room.other = max(0, room.other - sealing)
            let alarmsOnly = TransportRoom(alarm: room.alarm, other: 0)
            if let entry = hall.outbox.next(at: now, by: way, room: alarmsOnly) {
                hand(entry, by: way, at: now, into: &effects)
            } else if room.other > 0, let answer = hall.answers.next(by: way, at: now.boot) {
                hand(answer, at: now, into: &effects)
            } else if let entry = hall.outbox.next(at: now, by: way, room: room) {
                hand(entry, by: way, at: now, into: &effects)
            } else if room.other > 0, let beat = hall.answers.next(by: way, isHeartbeat: true, at: now.boot) {
                hand(beat, at: now, into: &effects)
            } else {
                return
            }
        }
    }

    private mutating func readOutbox(at now: Moment, into effects: inout [Effect]) {
        guard hall.outboxRead == nil, journal.isGood, let query = hall.outbox.takeQuery(at: now) else { return }
        let id = QueryID(nextQuery)
        nextQuery += 1
        hall.outboxRead = id
        effects.append(.readMessages(id, query))
    }

    private mutating func hand(
        _ entry: OutboxEntry, by way: WayKind, at now: Moment, into effects: inout [Effect]
    ) {
        switch receiver(at: entry.address) {
        case .phone(let phone, _):
            let json = eventContent(of: entry, for: phone)
            seal(BoxMessage(.event, content: json), for: phone, .sealMessage(entry), into: &effects)
        case .legacy(let token):
            let message = HowAlarmingMessage(entry.event, type: Self.wireType(of: entry.event))
            push(
                .heritage(message.pushData), of: entry, to: DeliveryAddress(.phone(.fcmToken), token), by: way, at: now,
                into: &effects)
        case .contact(let contact): tell(contact, entry, by: way, at: now, into: &effects)
        case .house(let house):
            let type = Self.wireType(of: entry.event)
            let address = DeliveryAddress(.house(house.kind), house.value)
            let content: DeliveryContent =
                switch house.kind {
                case .mail: .words(noticeText.notice(entry.event, partitions: session.state.partitions))
                case .url, .program, .tube, .broker:
                    .event(content.programEvent(entry.event, seq: entry.seq, type: type), type: type.rawValue)
                }
            push(content, of: entry, to: address, by: way, at: now, into: &effects)
        case nil: hall.outbox.died(entry.message, why: "the phone is gone", at: now)
        }
    }

    private mutating func hand(_ answer: AnswerQueue.Answer, at now: Moment, into effects: inout [Effect]) {
        switch answer.content {
        case .sealed(let phone, let message, let wantsChallenge):
            seal(
                message, for: phone, .sealAnswer(answer.message),
                challengeUntil: wantsChallenge ? challengeEnd(at: now) : nil, into: &effects)
        case .frame(let bytes): push(.frame(bytes), of: answer, at: now, into: &effects)
        case .clear(let data): push(.heritage(data), of: answer, at: now, into: &effects)
        case .words(let notice): push(.words(notice), of: answer, at: now, into: &effects)
        }
    }

    /// Who is told at an address.
    enum Receiver {
        case phone(PhoneID, PhoneAddress)
        case legacy(token: String)
        case contact(Contact)
        case house(HouseAddress)
    }

    func receiver(at address: AddressID) -> Receiver? {
        for phone in hall.book.phones {
            if let found = phone.addresses.first(where: { $0.id == address }) { return .phone(phone.id, found) }
        }
        if let phone = hall.book.legacyPhones.first(where: { $0.address == address && !$0.isGone }) {
            return .legacy(token: phone.token)
        }
        if let contact = hall.book.contacts.first(where: { $0.address == address }) { return .contact(contact) }
        return hall.book.house.first { $0.address == address }.map { .house($0) }
    }

    private func eventContent(of entry: OutboxEntry, for phone: PhoneID) -> JSON {
        let isNewest = entry.seq != nil && entry.seq == lastSequence
        let state = PhoneContent.state(
            session.state, partitions: configuration.panel.partitions, named: entry.event.partition)
        let cause = entry.event.command.flatMap { command -> String? in
            guard case .phone(let phone, let counter, _) = desk.origin(of: command) else { return nil }
            return "\(phone).\(counter)"
        }
        return content.event(
            entry.event, seq: entry.seq, type: Self.wireType(of: entry.event),
            state: isNewest ? state : nil, cause: cause, isRepeat: false)
    }

    var content: PhoneContent { PhoneContent(log: hall.log, names: configuration.panel.names) }

    // MARK: Sealed

    mutating func seal(
        _ message: BoxMessage, for phone: PhoneID, _ purpose: PhoneHall.VaultWait.Purpose,
        challengeUntil: UInt32? = nil, into effects: inout [Effect]
    ) {
        order(.seal(phone, message, challengeUntil: challengeUntil), for: purpose, into: &effects)
    }

    mutating func order(
        _ job: VaultJob, for purpose: PhoneHall.VaultWait.Purpose, into effects: inout [Effect]
    ) {
        let id = VaultJobID(hall.nextVaultJob)
        hall.nextVaultJob += 1
        hall.vaultWaits.append(PhoneHall.VaultWait(id: id, purpose: purpose))
        effects.append(.vault(id, job))
    }

    /// A job without an answer.
    mutating func order(_ job: VaultJob, into effects: inout [Effect]) {
        let id = VaultJobID(hall.nextVaultJob)
        hall.nextVaultJob += 1
        effects.append(.vault(id, job))
    }

    mutating func sealedMessage(
        _ entry: OutboxEntry, _ envelope: [UInt8]?, at now: Moment, into effects: inout [Effect]
    ) {
        guard let envelope, case .phone(_, let address) = receiver(at: entry.address) else {
            return hall.outbox.died(entry.message, why: "the phone's keys are gone", at: now)
        }
        guard let place = place(of: address) else { return hall.outbox.notSent(entry.message) }
        push(.sealed(envelope), of: entry, to: place.address, by: place.way, at: now, into: &effects)
    }

    mutating func sealedAnswer(
        _ id: MessageID, _ envelope: [UInt8]?, at now: Moment, into effects: inout [Effect]
    ) {
        guard let answer = hall.answers[id] else { return }
        guard let envelope else {
            hall.answers.end(id)
            return
        }
        push(.sealed(envelope), of: answer, at: now, into: &effects)
    }

    // MARK: Onto the way

    mutating func push(
        _ content: DeliveryContent, of entry: OutboxEntry, to address: DeliveryAddress, by way: WayKind, at now: Moment,
        into effects: inout [Effect]
    ) {
        var delivery = Delivery(
            message: entry.message, address: address, content: content, priority: entry.priority,
            timeToLive: entry.timeToLive, wantsReceipt: entry.wantsReceipt)
        #if SABOTAGE
            if sabotage == .renamesOnResend, entry.isRepeat {
                delivery.message = MessageID(boot: bootMark, counter: hall.nextVaultJob)
            }
        #endif
        if case .words = content, entry.priority == .info {
            // A test, or that somebody has seen the alarm: it may be fetched later, and is to be seen.
            delivery.timeToLive = 600
            delivery.priority = .state
        }
        delivery.isRepeat = entry.isRepeat
        if deliver(delivery, by: way, at: now, into: &effects) {
            hall.outbox.sent(entry.message)
        } else {
            hall.outbox.notSent(entry.message, until: now.boot + Self.untakenPause)
        }
    }

    private mutating func push(
        _ content: DeliveryContent, of answer: AnswerQueue.Answer, at now: Moment, into effects: inout [Effect]
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
        if !deliver(delivery, by: answer.place.way, at: now, into: &effects) {
            hall.answers.again(answer.message, after: Self.untakenPause, at: now.boot)
        }
    }

    private mutating func deliver(
        _ delivery: Delivery, by way: WayKind, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard let index = hall.way(way), hall.ways[index].isReady else { return false }
        var actions: [TransportAction] = []
        let wasTaken = hall.ways[index].carrier.transport.deliver(delivery, at: now, into: &actions)
        // What a way refuses at once must be known as sent before.
        if wasTaken { hall.outbox.sent(delivery.message) }
        perform(actions, of: way, at: now, into: &effects)
        return wasTaken
    }

    // MARK: What the services answer

    mutating func accepted(
        _ message: MessageID, canonical: String?, at now: Moment, into effects: inout [Effect]
    ) {
        let address = address(of: message)
        textAccepted(message, at: now, into: &effects)
        if let address { takenAgain(message, at: address, now) }
        if !hall.answers.end(message) { hall.outbox.accepted(message, at: now) }
        guard let canonical, let address else { return }
        learned(canonical, insteadOf: address, at: now, into: &effects)
    }

    func address(of message: MessageID) -> AddressID? {
        guard let place = hall.answers[message]?.place else { return hall.outbox.address(of: message) }
        let value = place.address.value
        guard case .phone(let kind) = place.address.kind else { return nil }
        let owned = hall.book.phone(at: kind, value)?.addresses.first { $0.kind == kind && $0.value == value }
        return owned?.id ?? hall.book.legacyPhones.first { $0.token == value }?.address
    }

    mutating func returned(_ messages: [MessageID], at now: Moment) {
        for message in messages { hall.answers.again(message, after: .zero, at: now.boot) }
        #if SABOTAGE
            if sabotage == .forgetsReturnedMessages { return }
        #endif
        hall.outbox.returned(messages)
    }

    // MARK: What the outbox tells

    mutating func tellNotices(at now: Moment) {
        for notice in hall.outbox.takeNotices() {
            switch notice {
            case .alarmOverdue(let address, let seq):
                note(
                    .fault, .pushRefused,
                    "No sign yet that \(phoneName(of: address)) has the alarm\(Self.number(seq)); it is sent again and again.",
                    at: now)
            case .alarmDied(let address, let seq, let why):
                note(
                    .fault, .pushRefused, "\(phoneName(of: address)) did not get the alarm\(Self.number(seq)): \(why).",
                    at: now)
            case .eventsLost(let count):
                note(
                    .fault, .pushRefused,
                    "Messages that waited (\(count)) were given up: the journal cannot be read where their events lie. Replace the card if this happens again.",
                    at: now)
            case .storeUnreadable:
                note(
                    .fault, .storeFailed,
                    "Messages that wait in the journal cannot be read; it is tried again, and newer ones go out before them. Replace the card if this lasts.",
                    at: now)
            case .storeReadable:
                note(.recovery, .storeRestored, "Messages that wait in the journal can be read again.", at: now)
            }
        }
    }

    private static func number(_ seq: SequenceNumber?) -> String { seq.map { " number \($0.number)" } ?? "" }
}
