import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// What a phone may ask without signing: its log, the state, a sign of life (docs/pairing.md 7.1, docs/messages.md
/// B.6).
extension Deliveries {
    /// More missing events than these are asked for page by page.
    static let pingGap: Int64 = 20
    static let syncLimit = 20
    /// Numbers that one receipt may name.
    static let receiptLimit = 64
    /// Cards are not restored more often.
    static let logsAhead: UInt32 = 1000
    /// So many claims of phones to know more than the box are looked at in 24 h.
    static let claimsADay = 3

    mutating func requested(
        _ request: PhoneRequest, by phone: Phone, _ step: inout Step
    ) {
        switch request.verb {
        case "ping": ping(request, by: phone, &step)
        case "snapshot": sendStatus(to: phone.id, rid: request.rid, &step)
        case "sync": sync(request, by: phone, &step)
        case "got": got(request, by: phone, &step)
        case "list":
            let list = request.arguments["what"].flatMap { PhoneList(rawValue: $0) }
            let from = request.arguments["from"].flatMap { UInt16($0) }
            guard let list, let from else { return actions.append(.malformed) }
            actions.append(.listWanted(list, from: Int(from), rid: request.rid, by: phone))
        case "picture":
            let wish = PictureWish(request, by: phone.id)
            actions.append(wish.map { Action.pictureWanted($0) } ?? .malformed)
        default: actions.append(.malformed)
        }
    }

    /// Answers with the missing events and the state; or, where too much is missing, with the state and from where the
    /// phone can ask on.
    private mutating func ping(
        _ request: PhoneRequest, by phone: Phone, _ step: inout Step
    ) {
        let position = request.arguments["seq"].flatMap { Int64($0) }.map { max(0, $0) }
        guard let position, request.arguments["log"] == step.log else {
            noteAhead(request.arguments, phone, &step)
            return sendStatus(to: phone.id, rid: request.rid, isTruncated: position != nil, &step)
        }
        guard position <= step.lastSequence.number else {
            claimedAhead(of: 0, phone, &step)
            return sendStatus(to: phone.id, rid: request.rid, isTruncated: true, &step)
        }
        confirms(.numbers(.zero...SequenceNumber(position)), phone, step)
        outbox.confirmed(phone.id, upTo: SequenceNumber(position), last: step.lastSequence, at: step.now)
        let gap = step.lastSequence.number - position
        if gap == 0 { return sendStatus(to: phone.id, rid: request.rid, &step) }
        guard gap <= Self.pingGap, position + 1 >= step.oldest.number, !step.questions.isWaitingForMuch(phone.id)
        else {
            return sendStatus(to: phone.id, rid: request.rid, isTruncated: true, &step)
        }
        step.read(EventQuery(after: SequenceNumber(position), limit: Int(gap)), for: .ping(phone.id, rid: request.rid))
    }

    private mutating func sync(
        _ request: PhoneRequest, by phone: Phone, _ step: inout Step
    ) {
        guard request.arguments["log"] == step.log, let from = request.arguments["from"].flatMap({ Int64($0) }),
            from >= 0, !step.questions.isWaitingForMuch(phone.id)
        else { return sendStatus(to: phone.id, rid: request.rid, isTruncated: true, &step) }
        let limit = request.arguments["max"].flatMap { Int($0) }.map { min(max($0, 1), Self.syncLimit) }
        step.read(
            EventQuery(after: SequenceNumber(max(0, from - 1)), limit: limit ?? Self.syncLimit),
            for: .sync(phone.id, rid: request.rid, from: SequenceNumber(from)))
    }

    private mutating func got(_ request: PhoneRequest, by phone: Phone, _ step: inout Step) {
        // The answer to a probe is no word about the welcome.
        if request.arguments["n"] == nil { actions.append(.welcomed(phone)) }
        if let nonce = request.arguments["n"] { actions.append(.probeAnswered(nonce, by: phone)) }
        if let mark = request.arguments["u"].flatMap({ UnstoredMark($0) }) {
            confirms(.mark(mark), phone, step)
            outbox.confirmed(phone.id, mark, at: step.now)
        }
        guard request.arguments["log"] == step.log else { return }
        // In a flood one receipt names many.
        let numbers = request.arguments["seq"]?.split(separator: ",").prefix(Self.receiptLimit) ?? []
        for number in numbers.compactMap({ Int64($0) }).map({ SequenceNumber($0) }) {
            confirms(.numbers(number...number), phone, step)
            outbox.confirmed(phone.id, number, at: step.now)
        }
    }

    /// The phone's word ends what goes to its own person. A suspended phone's word ends nothing but its own repeats. What is
    /// on its way to the phone has its service's word by that, too, which may come when nobody waits for it any more.
    private mutating func confirms(_ alarms: ConfirmedAlarms, _ phone: Phone, _ step: Step) {
        guard !phone.isSuspended else { return }
        for item in outbox.items where item.stage == .underWay && item.priority == .alarm && alarms.include(item) {
            if phone.addresses.contains(where: { $0.id == item.address }) { tellTakenForGood(item, step) }
        }
        actions.append(.alarm(.confirmed(alarms, by: phone.person, as: .receipt)))
    }

    /// What the store holds for the outbox.
    mutating func outboxArrived(_ rows: Rows, _ step: inout Step) {
        isReading = false
        guard case .messages(let page) = rows else { return outbox.readFailed(at: step.now) }
        outbox.arrived(page.messages, orphans: page.orphans, hasMore: page.hasMore, at: step.now)
        // What a service took once for its person, and what is given up because its phone is gone, waits for nobody.
        for message in page.messages
        where message.state == .waiting && message.event.unstored?.boot != step.bootMark
            && outbox.item(message.message) != nil
        {
            let person = step.book.person(at: message.address)
            let takers = message.takenAt.filter(step.book.leadsToPerson)
            if let person, takers.contains(where: { step.book.person(at: $0) == person }) { continue }
            if person == nil, !takers.isEmpty { continue }
            actions.append(.alarm(.waits(message.event, message.seq, for: person, isAccepted: !takers.isEmpty)))
        }
    }

    mutating func pingArrived(_ phone: PhoneID, _ rid: [UInt8], _ rows: Rows, _ step: inout Step) {
        guard case .page(let page) = rows else { return sendStatus(to: phone, rid: rid, isTruncated: true, &step) }
        for event in page.events {
            step.tell(phone, BoxMessage(.event, rid: rid, content: step.phoneContent.repeated(event)))
        }
        sendStatus(to: phone, rid: rid, &step)
    }

    mutating func syncArrived(
        _ phone: PhoneID, _ rid: [UInt8], from: SequenceNumber, _ rows: Rows, _ step: inout Step
    ) {
        guard case .page(let page) = rows else { return }
        // What lies below the first has been removed by its age.
        let isCut = page.events.first.map { $0.seq > from } ?? true
        if isCut, let first = page.events.first { step.oldest = max(step.oldest, first.seq) }
        sendBatches(page.events, to: phone, rid: rid, &step)
        if isCut { sendStatus(to: phone, rid: rid, isTruncated: true, &step) }
    }

    func deadArrived(_ rows: Rows, for client: ConnectionID, _ step: inout Step) {
        guard case .messages(let page) = rows else {
            return step.finishRequest(of: client, with: .error("the messages cannot be read now; try again"))
        }
        let dead = page.messages.map { DeadMessage(phone: step.book.name(of: $0.address), message: $0) }
        step.finishRequest(of: client, with: .deadMessages(dead))
    }

    /// As many events in each message as fit.
    private mutating func sendBatches(_ events: [StoredEvent], to phone: PhoneID, rid: [UInt8], _ step: inout Step) {
        var batch: [JSON] = []
        func content(_ batch: [JSON]) -> JSON { .object(["v": .string("2"), "b": .string(JSON.array(batch).text)]) }

        for event in events {
            let next = step.phoneContent.repeated(event)
            if !batch.isEmpty, content(batch + [next]).text.utf8.count > BoxMessage.contentLimit {
                step.tell(phone, BoxMessage(.batch, rid: rid, content: content(batch)))
                batch = []
            }
            batch.append(next)
            // Text in a text doubles its quotes: a single event that no longer fits goes by itself.
            if content(batch).text.utf8.count > BoxMessage.contentLimit {
                step.tell(phone, BoxMessage(.event, rid: rid, content: next))
                batch = []
            }
        }
        if !batch.isEmpty { step.tell(phone, BoxMessage(.batch, rid: rid, content: content(batch))) }
    }

    // MARK: Status

    mutating func sendStatus(to phone: PhoneID, rid: [UInt8]?, isTruncated: Bool = false, _ step: inout Step) {
        let members = step.statusMembers(for: phone, isTruncated: isTruncated)
        var content = JSON.object(members)
        // What was told with the welcome may have changed since; the state of a big house comes first. Just after a start the
        // key for pushes is not read yet: without a key the app would take it that there are no pushes any more.
        let isKeyRead = step.pushKey != nil || !step.channels.contains(.webPush)
        if rid != nil, isKeyRead, let paired = step.book.phone(phone) {
            let all = JSON.object(members + step.standingMembers(of: paired))
            if all.text.utf8.count <= BoxMessage.contentLimit { content = all }
        }
        step.tell(phone, BoxMessage(.status, rid: rid, content: content), wantsChallenge: rid != nil)
    }

    // MARK: A card that was restored

    /// A phone that knows a higher log number than this one: the card is a copy from before.
    private mutating func noteAhead(_ arguments: Arguments, _ phone: Phone, _ step: inout Step) {
        guard let log = arguments["log"], log.utf8.count == 8, let theirs = UInt32(log, radix: 16),
            let ours = UInt32(step.log, radix: 16), theirs > ours
        else { return }
        claimedAhead(of: theirs, phone, &step)
    }

    /// Nothing proves what a phone claims here. So a few claims are believed a day, for each phone of a house may know
    /// another log, and none when the number is one that no box comes to: else a stolen phone could begin one log after
    /// the other, or use the numbers up.
    private mutating func claimedAhead(of other: UInt32, _ phone: Phone, _ step: inout Step) {
        // While the store could not be read, it is not known what this card holds.
        let now = step.now.boot
        aheadClaims.removeAll { now - $0 >= .hours(24) }
        guard step.knowsJournal, aheadClaims.count < Self.claimsADay else { return }
        aheadClaims.append(now)
        guard let ours = UInt32(step.log, radix: 16), other <= ours || other - ours <= Self.logsAhead else {
            return step.note(
                .fault, .phoneNoise,
                "\(step.book.actor(phone).words) claims to know a journal far ahead of this one; that is not believed. "
                    + "If it goes on, take its keys away with \(Hint.revoke.atBox).",
                about: .phone(phone.id))
        }
        step.renewLog(above: other)
    }
}

extension PhoneContent {
    func repeated(_ stored: StoredEvent) -> JSON {
        event(stored.event, seq: stored.seq, type: stored.event.legacyType, state: nil, cause: nil, isRepeat: true)
    }
}

extension Step {
    /// What the phone may do, and the key to subscribe with for web push where there is one.
    func standingMembers(of phone: Phone) -> [JSON.Member] {
        let roles = JSON.Member(key: "roles", value: .string(phone.roles.names.joined(separator: ",")))
        guard let pushKey else { return [roles] }
        return [roles, .init(key: "vapid", value: .string(Base64URL.encode(pushKey)))]
    }

    /// What each status tells a phone (docs/messages.md B.6).
    func statusMembers(for phone: PhoneID, isTruncated: Bool = false) -> [JSON.Member] {
        var members: [JSON.Member] = []
        func add(_ key: String, _ value: String) { members.append(.init(key: key, value: .string(value))) }
        add("v", "2")
        add("log", log)
        add("seq", String(lastSequence.number))
        add("st", PhoneContent.state(panel, partitions: configuration.panel.partitions, named: nil))
        add("now", String(now.wall.seconds))
        add("boot", String(book.starts))
        add("up", String(secondsUp))
        if !isBookStored { add("unstored", "1") }
        add("ctr", String(counter(of: phone)))
        if let interval = configuration.phones.heartbeat {
            add("hb", String(Heartbeat.seconds(interval) * heartbeatShare(of: phone)))
        }
        if book.phone(phone)?.hasLostPushes == true { add("push", "gone") }
        if isTruncated {
            add("trunc", "1")
            add("from", String(max(1, oldest.number)))
        }
        return members
    }

    /// A log above every one that was ever used, so that nobody mistakes new events for old ones: the card is a copy from
    /// before.
    mutating func renewLog(above other: UInt32) {
        guard knowsJournal, writes.newLog == nil, let own = UInt32(log, radix: 16) else { return }
        let highest = max(own, other)
        guard highest < .max else { return }
        writes.newLog = highest + 1
        log = (highest + 1).padded(8, radix: 16)
        note(
            .fault, .cardRestored,
            "A phone knows more of this journal than the box: the card was restored from a copy. "
                + "Phones begin a new log; the old one stays with them.")
    }
}
