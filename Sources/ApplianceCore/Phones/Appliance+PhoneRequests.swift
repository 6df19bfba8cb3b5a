import AlarmModel
import PanelLink
import PhoneProtocol

/// What a phone may ask without signing: its log, the state, a sign of life (docs/pairing.md 7.1, docs/messages.md
/// B.6).
extension Appliance {
    /// More missing events than these are asked for page by page.
    static let pingGap: Int64 = 20
    static let syncLimit = 20
    /// Numbers that one receipt may name.
    static let receiptLimit = 64

    mutating func requested(
        _ request: PhoneRequest, by phone: Phone, at now: Moment, into effects: inout [Effect]
    ) {
        guard let index = hall.account(phone.id) else { return }
        guard hall.accounts[index].takesRequest(request.rid, at: now.boot) else { return reject(.repeated, at: now) }
        switch request.verb {
        case "ping": ping(request, by: phone, at: now, into: &effects)
        case "snapshot": sendStatus(to: phone.id, rid: request.rid, at: now)
        case "sync": sync(request, by: phone, at: now, into: &effects)
        case "got": got(request, by: phone, at: now)
        default: reject(.malformed, at: now)
        }
    }

    /// Answers with the missing events and the state; or, where too much is missing, with the state and from where the
    /// phone can ask on.
    private mutating func ping(
        _ request: PhoneRequest, by phone: Phone, at now: Moment, into effects: inout [Effect]
    ) {
        let position = request.arguments["seq"].flatMap { Int64($0) }.map { max(0, $0) }
        guard let position, request.arguments["log"] == hall.log else {
            noteAhead(request.arguments, at: now)
            return sendStatus(to: phone.id, rid: request.rid, isTruncated: position != nil, at: now)
        }
        guard position <= lastSequence.number else {
            renewLog(above: 0, at: now)
            return sendStatus(to: phone.id, rid: request.rid, isTruncated: true, at: now)
        }
        hall.outbox.confirmed(phone.id, upTo: SequenceNumber(position), last: lastSequence, at: now)
        let gap = lastSequence.number - position
        if gap == 0 { return sendStatus(to: phone.id, rid: request.rid, at: now) }
        guard gap <= Self.pingGap, position + 1 >= hall.oldest.number else {
            return sendStatus(to: phone.id, rid: request.rid, isTruncated: true, at: now)
        }
        read(
            EventQuery(after: SequenceNumber(position), limit: Int(gap)),
            for: .ping(phone.id, rid: request.rid, held: SequenceNumber(position)), into: &effects)
    }

    private mutating func sync(
        _ request: PhoneRequest, by phone: Phone, at now: Moment, into effects: inout [Effect]
    ) {
        guard request.arguments["log"] == hall.log, let from = request.arguments["from"].flatMap({ Int64($0) }),
            from >= 0
        else { return sendStatus(to: phone.id, rid: request.rid, isTruncated: true, at: now) }
        let limit = request.arguments["max"].flatMap { Int($0) }.map { min(max($0, 1), Self.syncLimit) }
        read(
            EventQuery(after: SequenceNumber(max(0, from - 1)), limit: limit ?? Self.syncLimit),
            for: .sync(phone.id, rid: request.rid, from: SequenceNumber(from)), into: &effects)
    }

    private mutating func got(_ request: PhoneRequest, by phone: Phone, at now: Moment) {
        // The answer to a probe is no word about the welcome.
        if request.arguments["n"] == nil { markHeard(phone, at: now) }
        if let nonce = request.arguments["n"] { probeAnswered(nonce, by: phone, at: now) }
        if let mark = request.arguments["u"].flatMap({ UnstoredMark($0) }) {
            hall.outbox.confirmed(phone.id, mark, at: now)
        }
        guard request.arguments["log"] == hall.log else { return }
        // In a flood one receipt names many.
        let numbers = request.arguments["seq"]?.split(separator: ",").prefix(Self.receiptLimit) ?? []
        for number in numbers.compactMap({ Int64($0) }) {
            hall.outbox.confirmed(phone.id, SequenceNumber(number), at: now)
        }
    }

    mutating func read(
        _ query: EventQuery, for purpose: PhoneHall.Read.Purpose, into effects: inout [Effect]
    ) {
        let id = QueryID(nextQuery)
        nextQuery += 1
        hall.reads.append(PhoneHall.Read(id: id, purpose: purpose))
        effects.append(.read(id, query))
    }

    /// Rows that the phones' part asked for; false when they are somebody else's.
    mutating func phoneRowsArrived(
        _ id: QueryID, _ rows: Rows, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        if hall.outboxRead == id {
            hall.outboxRead = nil
            if case .messages(let page) = rows {
                hall.outbox.arrived(page.messages, orphans: page.orphans, hasMore: page.hasMore, at: now)
                // What a service took once for somebody, and what is given up because its phone is gone, waits for nobody.
                for message in page.messages
                where message.state == .waiting && message.event.unstored?.boot != bootMark
                    && hall.outbox.item(message.message) != nil && !message.takenAt.contains(where: leadsToPerson)
                {
                    awaitDelivery(of: message.event, seq: message.seq, at: now, into: &effects)
                }
            } else {
                hall.outbox.readFailed(at: now)
            }
            return true
        }
        guard let index = hall.reads.firstIndex(where: { $0.id == id }) else { return false }
        let purpose = hall.reads.remove(at: index).purpose
        switch (purpose, rows) {
        case (.ping(let phone, let rid, _), .page(let page)):
            for event in page.events {
                tell(phone, BoxMessage(.event, rid: rid, content: repeated(event)), at: now)
            }
            sendStatus(to: phone, rid: rid, at: now)
        case (.sync(let phone, let rid, let from), .page(let page)):
            // What lies below the first has been removed by its age.
            let isCut = page.events.first.map { $0.seq > from } ?? true
            if isCut, let first = page.events.first { hall.oldest = max(hall.oldest, first.seq) }
            sendBatches(page.events, to: phone, rid: rid, at: now)
            if isCut { sendStatus(to: phone, rid: rid, isTruncated: true, at: now) }
        case (.arming(let partition), .page(let page)):
            if page.events.isEmpty, page.hasMore {
                // The last one lies far back; until it is found no condition from before this start holds.
                askForArming(of: partition, before: page.bottom, into: &effects)
            } else {
                noteOldArming(partition, page.events.last?.seq ?? .zero)
            }
        case (.dead(let client), .messages(let page)):
            let dead = page.messages.map { DeadMessage(phone: phoneName(of: $0.address), message: $0) }
            finishRequest(of: client, with: .deadMessages(dead), into: &effects)
        case (.dead(let client), _):
            finishRequest(of: client, with: .error("the messages cannot be read now; try again"), into: &effects)
        case (.ping(let phone, let rid, _), _): sendStatus(to: phone, rid: rid, isTruncated: true, at: now)
        case (.log(let address), .page(let page)): tellLog(address, page.events, at: now)
        case (.sync, _), (.arming, _), (.log, _): break
        }
        return true
    }

    private func repeated(_ stored: StoredEvent) -> JSON {
        content.event(
            stored.event, seq: stored.seq, type: Self.wireType(of: stored.event), state: nil, cause: nil,
            isRepeat: true)
    }

    /// As many events in each message as fit.
    private mutating func sendBatches(_ events: [StoredEvent], to phone: PhoneID, rid: [UInt8], at now: Moment) {
        var batch: [JSON] = []
        func content(_ batch: [JSON]) -> JSON { .object(["v": .string("2"), "b": .string(JSON.array(batch).text)]) }
        for event in events {
            let next = repeated(event)
            if !batch.isEmpty, content(batch + [next]).text.utf8.count > BoxMessage.contentLimit {
                tell(phone, BoxMessage(.batch, rid: rid, content: content(batch)), at: now)
                batch = []
            }
            batch.append(next)
            // Text in a text doubles its quotes: a single event that no longer fits goes by itself.
            if content(batch).text.utf8.count > BoxMessage.contentLimit {
                tell(phone, BoxMessage(.event, rid: rid, content: next), at: now)
                batch = []
            }
        }
        if !batch.isEmpty { tell(phone, BoxMessage(.batch, rid: rid, content: content(batch)), at: now) }
    }

    // MARK: Status

    mutating func sendStatus(to phone: PhoneID, rid: [UInt8]?, isTruncated: Bool = false, at now: Moment) {
        let members = statusMembers(for: phone, isTruncated: isTruncated, at: now)
        tell(phone, BoxMessage(.status, rid: rid, content: .object(members)), wantsChallenge: rid != nil, at: now)
    }

    func statusMembers(for phone: PhoneID, isTruncated: Bool = false, at now: Moment) -> [JSON.Member] {
        var members: [JSON.Member] = []
        func add(_ key: String, _ value: String) { members.append(.init(key: key, value: .string(value))) }
        add("v", "2")
        add("log", hall.log)
        add("seq", String(lastSequence.number))
        add("st", PhoneContent.state(session.state, partitions: configuration.panel.partitions, named: nil))
        add("now", String(now.wall.seconds))
        add("boot", String(hall.book.starts))
        add("up", String(secondsUp(at: now)))
        add("ctr", String(hall.account(phone).map { hall.accounts[$0].last } ?? 0))
        if let interval = configuration.phones.heartbeat { add("hb", String(Heartbeat.seconds(interval))) }
        if isTruncated {
            add("trunc", "1")
            add("from", String(max(1, hall.oldest.number)))
        }
        return members
    }

    // MARK: A card that was restored

    /// A phone that knows a higher log number than this one: the card is a copy from before.
    private mutating func noteAhead(_ arguments: Arguments, at now: Moment) {
        guard let log = arguments["log"], log.utf8.count == 8, let theirs = UInt32(log, radix: 16),
            let ours = UInt32(hall.log, radix: 16), theirs > ours
        else { return }
        renewLog(above: theirs, at: now)
    }

    /// A log above every one that was ever used, so that nobody mistakes new events for old ones.
    private mutating func renewLog(above other: UInt32, at now: Moment) {
        // While the store could not be read, it is not known what this card holds.
        guard hall.nextSequence != nil, step.newLog == nil, let own = UInt32(hall.log, radix: 16) else { return }
        let highest = max(own, other)
        guard highest < .max else { return }
        step.newLog = highest + 1
        hall.log = (highest + 1).padded(8, radix: 16)
        note(
            .fault, .cardRestored,
            "A phone knows more of this journal than the box: the card was restored from a copy. "
                + "Phones begin a new log; the old one stays with them.", at: now)
    }
}
