import AlarmModel
import ApplianceCore
import PhoneLink

/// A house with an outbox, a store that keeps rows, and a clock that is set by hand.
struct OutboxBench {
    struct Row {
        var message: StoredMessage
        var order: Int
    }

    var outbox: Outbox
    var book = PhoneBook()
    var now = OutboxBench.moment(0)
    var rows: [Row] = []
    var nextBatch = BatchID(1)
    var nextSeq: Int64 = 1
    /// Ordered and not durable yet.
    var pending: [Batch] = []
    var query: OutboxQuery?
    var largest = 0

    init(boot: String = "00000001", seed: UInt64 = 1, policy: OutboxPolicy = OutboxPolicy()) {
        outbox = Outbox(bootMark: boot, seed: seed, policy: policy)
    }

    static func moment(_ seconds: Int, trusted: Bool = true) -> Moment {
        Moment(
            boot: BootTime(nanoseconds: Int64(seconds) * 1_000_000_000),
            wall: WallTime(milliseconds: 1_750_000_000_000 + Int64(seconds) * 1000), isWallTrusted: trusted)
    }

    static func event(_ type: EventType, code: String = "601", zone: Int? = nil, flags: EventFlags = []) -> Event {
        Event(
            type: type, code: code, raw: code, message: "something", time: moment(0).wall, isTimeTrusted: true,
            zone: zone, flags: flags)
    }

    static func house(phones: Int, legacy: Int = 0, duressContacts: [Int] = []) -> PhoneBook {
        var book = PhoneBook()
        for number in 1...max(1, phones) where phones > 0 {
            book.people.append(
                Person(
                    id: PersonID(number), name: "p\(number)", isDuressContact: duressContacts.contains(number),
                    receives: [.alarm, .fault, .state, .info]))
            book.phones.append(
                Phone(
                    id: PhoneID(UInt64(number)), person: PersonID(number), name: "phone \(number)", roles: .view,
                    hasPresenceKey: true,
                    addresses: [PhoneAddress(id: AddressID(Int64(number)), kind: .fcmToken, value: "t\(number)")],
                    pairedAt: moment(0).wall))
        }
        for number in 0..<legacy {
            book.legacyPhones.append(
                LegacyPhone(
                    address: AddressID(Int64(100 + number)), token: "l\(number)", allowed: [],
                    approvedAt: moment(0).wall))
        }
        return book
    }

    mutating func open(_ book: PhoneBook, channels: [ChannelKind] = [.ccs]) {
        self.book = book
        outbox.update(book, channels: channels, at: now)
        read()
    }

    mutating func pass(_ seconds: Int, trusted: Bool = true) { pass(.seconds(seconds), trusted: trusted) }

    mutating func pass(_ span: Duration, trusted: Bool = true) {
        now = Moment(boot: now.boot + span, wall: now.wall + span, isWallTrusted: trusted)
        outbox.timerFired(at: now)
        flush()
        read()
    }

    /// One step of the core: events become a batch.
    @discardableResult
    mutating func post(
        _ events: [Event], legacy: EventType? = nil, healthy: [ChannelKind] = [.ccs], audience: OutboxAudience? = nil
    ) -> [OutboxRow] {
        var batch = Batch(id: nextBatch, events: events)
        for (index, event) in events.enumerated() {
            batch.outbox += outbox.post(
                event, index: index, batch: batch.id, legacyType: legacy ?? event.type, healthy: healthy,
                audience: audience, at: now)
        }
        nextBatch = nextBatch.next
        pending.append(batch)
        return batch.outbox
    }

    @discardableResult
    mutating func postAndCommit(_ type: EventType, zone: Int? = nil, flags: EventFlags = []) -> [OutboxRow] {
        let rows = post([Self.event(type, zone: zone, flags: flags)])
        commit()
        return rows
    }

    mutating func flush() {
        let changes = outbox.flush(into: nextBatch, at: now).map(\.change)
        guard !changes.isEmpty else { return }
        var batch = Batch(id: nextBatch)
        batch.outboxChanges = changes
        nextBatch = nextBatch.next
        pending.append(batch)
        commit()
    }

    mutating func commit() {
        guard let last = pending.last?.id else { return }
        var numbers: [(batch: BatchID, numbers: [SequenceNumber?])] = []
        for batch in pending {
            var given: [SequenceNumber?] = []
            for event in batch.events {
                if event.flags.contains(.duress) {
                    given.append(nil)
                } else {
                    given.append(SequenceNumber(nextSeq))
                    nextSeq += 1
                }
            }
            for row in batch.outbox {
                rows.append(
                    Row(
                        message: StoredMessage(
                            message: row.message, address: row.address, seq: given[row.event],
                            event: batch.events[row.event], createdAt: row.createdAt, expiresAt: row.expiresAt,
                            state: .waiting),
                        order: rows.count))
            }
            numbers.append((batch.id, given))
            apply(batch.outboxChanges)
        }
        pending = []
        outbox.committed(upTo: last) { batch, index in
            guard let known = numbers.first(where: { $0.batch == batch }), index < known.numbers.count else {
                return nil
            }
            return known.numbers[index]
        }
        read()
    }

    private mutating func apply(_ changes: [OutboxChange]) {
        for change in changes {
            guard let index = rows.firstIndex(where: { $0.message.message == change.message }) else { continue }
            rows[index].message.state = change.state
            rows[index].message.detail = change.detail
        }
    }

    mutating func ask() {
        guard query == nil else { return }
        query = outbox.takeQuery(at: now)
    }

    mutating func answer() {
        guard case .open(let addresses, let limit) = query else { return }
        query = nil
        let open = rows.filter { !$0.message.state.isFinal && addresses.contains($0.message.address) }
            .sorted { Self.key($0) < Self.key($1) }
        outbox.arrived(
            open.prefix(limit).map(\.message), orphans: [], hasMore: open.count > limit, at: now)
        largest = max(largest, outbox.count)
    }

    static func key(_ row: Row) -> (Int, Int64, Int) {
        (row.message.event.priority.rawValue, row.message.seq?.number ?? 0, row.order)
    }

    mutating func read() {
        for _ in 0..<20 {
            ask()
            guard query != nil else { return }
            answer()
        }
    }

    mutating func next(alarm: Int = 100, other: Int = 90) -> OutboxEntry? {
        outbox.next(at: now, by: .ccs, room: TransportRoom(alarm: alarm, other: other))
    }

    /// Hands everything to the link that may leave now.
    @discardableResult
    mutating func sendAll(_ limit: Int = 100) -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        while entries.count < limit, let entry = next() {
            outbox.sent(entry.message)
            entries.append(entry)
        }
        return entries
    }

    mutating func accept(_ entries: [OutboxEntry]) {
        for entry in entries { outbox.accepted(entry.message, at: now) }
    }

    func state(_ message: MessageID?) -> OutboxState? {
        rows.first { $0.message.message == message }?.message.state
    }

    func detail(_ message: MessageID?) -> String? {
        rows.first { $0.message.message == message }?.message.detail
    }

    /// After a power cut: only the store remains.
    mutating func restart(boot: String, trusted: Bool = true, seenUpTo: SequenceNumber? = nil) {
        outbox = Outbox(bootMark: boot, seed: 2, policy: outbox.policy)
        if let seenUpTo { outbox.seen(.alarms(upTo: seenUpTo), at: now) }
        pending = []
        query = nil
        now.boot = .zero
        now.isWallTrusted = trusted
        open(book)
    }
}
