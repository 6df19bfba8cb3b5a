import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// From the stored event to the push service, and what it answers.
extension Appliance {
    /// The ways that exist.
    static let carriable: [AddressKind] = [.fcmToken]
    /// Seals that may be under way beside what the link has room for.
    private static let pumpLimit = 128

    /// The rows of a step's events, for its batch.
    mutating func post(_ writes: StepWrites, as batch: BatchID, at now: Moment) -> [OutboxRow] {
        guard hall.link != nil else { return [] }
        var rows: [OutboxRow] = []
        for (index, event) in writes.events.enumerated() {
            let announcement = writes.announcements.first { $0.event == index }
            rows += hall.outbox.post(
                event, index: index, batch: batch, heritageType: Self.wireType(of: event),
                audience: announcement?.audience, at: now)
        }
        return rows
    }

    /// The outbox follows the phone book; original apps are in it only while they are served.
    mutating func updateRoutes(at now: Moment) {
        var book = hall.book
        if !configuration.phones.isLegacyEnabled { book.legacyPhones = [] }
        hall.outbox.update(book, carriable: Self.carriable, at: now)
    }

    /// The type that HowAlarming gives to an event; our own events keep their own.
    static func wireType(of event: Event) -> EventType {
        TPICode.heritageType(code: event.code, raw: event.raw) ?? event.type
    }

    /// Hands over what may go: alarms first, then answers, then the rest.
    mutating func pump(at now: Moment, into effects: inout [Effect]) {
        guard life == .running || life == .stopping, hall.link != nil else { return }
        hall.link?.setUrgent(hall.outbox.hasUrgentWaiting, at: now)
        readOutbox(at: now, into: &effects)
        guard hall.isReady else { return }
        for _ in 0..<Self.pumpLimit {
            guard let link = hall.link else { return }
            // What is being sealed for an answer has no place on the link yet.
            let sealing = hall.vaultWaits.count { $0.isAnswer }
            let alarms = max(0, link.room(forAlarm: true) - sealing)
            let others = max(0, link.room(forAlarm: false) - sealing)
            if let entry = hall.outbox.next(at: now, room: OutboxRoom(alarm: alarms, other: 0)) {
                hand(entry, at: now, into: &effects)
            } else if others > 0, let answer = hall.answers.next(at: now.boot) {
                hand(answer, at: now, into: &effects)
            } else if let entry = hall.outbox.next(at: now, room: OutboxRoom(alarm: alarms, other: others)) {
                hand(entry, at: now, into: &effects)
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

    private mutating func hand(_ entry: OutboxEntry, at now: Moment, into effects: inout [Effect]) {
        switch destination(of: entry.address) {
        case .phone(let phone, _):
            let json = eventContent(of: entry, for: phone)
            seal(BoxMessage(.event, content: json), for: phone, .sealMessage(entry), into: &effects)
        case .legacy(let token):
            let message = HowAlarmingMessage(entry.event, type: Self.wireType(of: entry.event))
            push(CCSMessage(clear: message, entry, to: token), of: entry, at: now, into: &effects)
        case nil: hall.outbox.died(entry.message, why: "the phone is gone", at: now)
        }
    }

    private mutating func hand(_ answer: AnswerQueue.Answer, at now: Moment, into effects: inout [Effect]) {
        switch answer.content {
        case .sealed(let phone, let message, let wantsChallenge):
            seal(
                message, for: phone, .sealAnswer(answer.message),
                challengeUntil: wantsChallenge ? challengeEnd(at: now) : nil, into: &effects)
        case .frame(let bytes):
            push(CCSMessage(answer: bytes, to: answer.to, as: answer.message), at: now, into: &effects)
        case .clear(let data):
            push(CCSMessage(status: data, to: answer.to, as: answer.message), at: now, into: &effects)
        }
    }

    enum Destination {
        case phone(PhoneID, token: String)
        case legacy(token: String)
    }

    func destination(of address: AddressID) -> Destination? {
        for phone in hall.book.phones {
            if let found = phone.addresses.first(where: { $0.id == address }) {
                return .phone(phone.id, token: found.value)
            }
        }
        return hall.book.legacyPhones.first { $0.address == address && !$0.isGone }.map { .legacy(token: $0.token) }
    }

    private func eventContent(of entry: OutboxEntry, for phone: PhoneID) -> JSON {
        let isNewest = entry.seq != nil && entry.seq == lastSequence
        let partition = entry.event.partition ?? configuration.panel.partitions.first ?? 1
        let cause = entry.event.command.flatMap { command -> String? in
            guard case .phone(let phone, let counter, _) = desk.origin(of: command) else { return nil }
            return "\(phone).\(counter)"
        }
        return content.event(
            entry.event, seq: entry.seq, type: Self.wireType(of: entry.event),
            state: isNewest ? PhoneContent.state(session.state, partition: partition) : nil, cause: cause,
            isRepeat: false)
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
        guard let envelope, case .phone(_, let token) = destination(of: entry.address) else {
            return hall.outbox.died(entry.message, why: "the phone's keys are gone", at: now)
        }
        #if SABOTAGE
            var message = CCSMessage(sealed: envelope, entry, to: token)
            if sabotage == .renamesOnResend, entry.isRepeat {
                message.messageID = MessageID(boot: bootMark, counter: hall.nextVaultJob)
            }
        #else
            let message = CCSMessage(sealed: envelope, entry, to: token)
        #endif
        push(message, of: entry, at: now, into: &effects)
    }

    mutating func sealedAnswer(
        _ id: MessageID, _ envelope: [UInt8]?, at now: Moment, into effects: inout [Effect]
    ) {
        guard let answer = hall.answers[id] else { return }
        guard let envelope else {
            hall.answers.end(id)
            return
        }
        push(CCSMessage(answer: envelope, to: answer.to, as: id), at: now, into: &effects)
    }

    // MARK: Onto the link

    private mutating func push(
        _ message: CCSMessage, of entry: OutboxEntry, at now: Moment, into effects: inout [Effect]
    ) {
        var wasTaken = false
        driveLink(at: now, into: &effects) {
            wasTaken = $0.push(message, isAlarm: entry.event.priority == .alarm, at: now, into: &$1)
        }
        if wasTaken { hall.outbox.sent(entry.message) } else { hall.outbox.notSent(entry.message) }
    }

    private mutating func push(_ message: CCSMessage, at now: Moment, into effects: inout [Effect]) {
        var wasTaken = false
        driveLink(at: now, into: &effects) { wasTaken = $0.push(message, isAlarm: false, at: now, into: &$1) }
        if !wasTaken { hall.answers.again(message.messageID, after: .milliseconds(200), at: now.boot) }
    }

    // MARK: What the service answers

    mutating func accepted(
        _ message: MessageID, canonical: String?, at now: Moment, into effects: inout [Effect]
    ) {
        let address = address(of: message)
        if !hall.answers.end(message) { hall.outbox.accepted(message, at: now) }
        guard let canonical, let address else { return }
        learned(canonical, insteadOf: address, at: now, into: &effects)
    }

    private func address(of message: MessageID) -> AddressID? {
        guard let token = hall.answers[message]?.to else { return hall.outbox.address(of: message) }
        let owned = hall.book.phone(at: .fcmToken, token)?.addresses.first { $0.value == token }
        return owned?.id ?? hall.book.legacyPhones.first { $0.token == token }?.address
    }

    mutating func refused(_ message: MessageID, _ error: CCSError, _ text: String, at now: Moment) {
        let address = address(of: message)
        let why = text.isEmpty ? error.description : "\(error) (\(text))"
        let isAnswer = hall.answers.contains(message)
        switch error.reaction {
        case .retry(let first, let attempts):
            if isAnswer {
                hall.answers.again(message, after: first, at: now.boot)
            } else if attempts == nil {
                hall.outbox.retry(message, why: why, at: now)
            } else {
                hall.outbox.unknownRefusal(message, why: why, at: now)
            }
        case .resend: returned([message], at: now)
        case .hold(let span):
            if isAnswer {
                hall.answers.again(message, after: span, at: now.boot)
            } else {
                hall.outbox.tooFast(message, why: why, at: now)
            }
        case .giveUp, .dropAddress, .serviceFault:
            if !hall.answers.end(message) { hall.outbox.died(message, why: why, at: now) }
            if error.reaction == .dropAddress, let address { dropAddress(address, why: why, at: now) }
            if error.reaction == .serviceFault { tellOffline(why, at: now) }
        }
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
            }
        }
    }

    private static func number(_ seq: SequenceNumber?) -> String { seq.map { " number \($0.number)" } ?? "" }
}
