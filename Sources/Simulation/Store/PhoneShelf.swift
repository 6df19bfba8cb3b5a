import AlarmModel
import ApplianceCore
import PhoneProtocol

/// The phones' part of the simulated disk: messages, counters, and the file with the phone book and the keys.
struct PhoneShelf: Equatable, Sendable {
    /// A row of the outbox with its event.
    struct Message: Equatable, Sendable {
        var row: OutboxRow
        var isDuress: Bool
        /// The number of the event, among its kind.
        var number: Int64
        /// Where it stands among all events.
        var place: Int64
        var state = OutboxState.waiting
        var detail: String?
        /// When it got its state.
        var changed: WallTime
    }

    struct Spent: Hashable, Sendable {
        var phone: PhoneID
        var counter: UInt64
    }

    struct Result: Equatable, Sendable {
        var phone: PhoneID
        var counter: UInt64
        var result: PhoneResult
    }

    /// In the order in which they were written.
    private(set) var messages: [Message] = []
    /// Where each message stands in `messages`.
    private var places: [MessageID: Int] = [:]
    /// Ascending by phone.
    private(set) var counters: [PhoneCounters] = []
    /// The file: written before a transaction, kept without it.
    private(set) var book: PhoneBook?
    private(set) var keys: [PhoneKeys] = []
    private(set) var log: UInt32 = 1
    /// For the world alone: every counter that was ever spent and every result, in order.
    private(set) var spent: [Spent] = []
    private(set) var results: [Result] = []
    /// For the world alone: whose each address was.
    private(set) var owners: [AddressID: PhoneID] = [:]

    func message(_ id: MessageID) -> Message? { places[id].map { messages[$0] } }

    mutating func writeFile(_ newBook: PhoneBook, _ newKeys: [PhoneKeys]) {
        book = newBook
        keys = newKeys
        for phone in newBook.phones {
            for address in phone.addresses { owners[address.id] = phone.id }
        }
    }

    mutating func commit(_ batch: Batch, events: [(isDuress: Bool, number: Int64, place: Int64)]) {
        for row in batch.outbox {
            let event = events[row.event]
            // A name that was there already is a fault of the core's; the new message takes the place of the old one.
            if places[row.message] != nil { drop { $0.row.message == row.message } }
            places[row.message] = messages.count
            messages.append(
                Message(
                    row: row, isDuress: event.isDuress, number: event.number, place: event.place,
                    changed: row.createdAt))
        }
        for change in batch.outboxChanges {
            guard let index = places[change.message] else { continue }
            messages[index].state = change.state
            messages[index].detail = change.detail
            messages[index].changed = change.time
        }
        var removed: [PhoneID] = []
        for owner in batch.phoneLedgerOwners {
            switch owner {
            case .added(let phone):
                removed.removeAll { $0 == phone }
                _ = slot(of: phone)
            case .removed(let phone):
                removed.append(phone)
                counters.removeAll { $0.phone == phone }
            }
        }
        for row in batch.phoneLedger where !removed.contains(row.phone) { store(row) }
        if let number = batch.newLog { log = max(log, number) }
    }

    private mutating func slot(of phone: PhoneID) -> Int {
        let index = counters.firstIndex { $0.phone >= phone } ?? counters.count
        if index == counters.count || counters[index].phone != phone {
            counters.insert(PhoneCounters(phone: phone, rows: []), at: index)
        }
        return index
    }

    private mutating func store(_ row: PhoneLedgerRow) {
        let slot = slot(of: row.phone)
        let name = Spent(phone: row.phone, counter: row.counter)
        if !spent.contains(name) { spent.append(name) }
        if let result = row.result {
            results.append(Result(phone: row.phone, counter: row.counter, result: result))
        }
        let index = counters[slot].rows.firstIndex { $0.counter >= row.counter } ?? counters[slot].rows.count
        if index < counters[slot].rows.count, counters[slot].rows[index].counter == row.counter {
            counters[slot].rows[index] = row
        } else {
            counters[slot].rows.insert(row, at: index)
        }
        if counters[slot].rows.count > PhoneLedgerRow.kept { counters[slot].rows.removeFirst() }
    }

    /// The lowest number of an event that a message still needs.
    func firstToStay(isDuress: Bool, at now: WallTime?) -> Int64 {
        let needed = messages.lazy.filter { message in
            !message.state.isFinal && message.isDuress == isDuress && now.map { message.row.expiresAt > $0 } ?? true
        }
        return needed.map(\.number).min() ?? .max
    }

    /// Finished messages go with their events, and 30 days after their end in any case, at most `limit` each time.
    ///
    /// - Parameters:
    ///   - first: the number of the oldest event; nil when there is none
    ///   - newest: the time of the newest event
    mutating func retain(from first: Int64?, duressFrom firstDuress: Int64?, newest: WallTime?, limit: Int) {
        for (isDuress, first) in [(false, first), (true, firstDuress)] {
            let gone = messages.filter { $0.isDuress == isDuress && $0.state.isFinal && $0.number < first ?? .max }
            drop(oldest: gone, by: \.number, limit: limit)
        }
        let ended = messages.filter(\.state.isFinal)
        let now = max(newest?.milliseconds ?? 0, ended.map(\.changed.milliseconds).max() ?? 0, 0)
        let end = now - Self.messageAge.milliseconds
        drop(oldest: ended.filter { $0.changed.milliseconds < end }, by: \.changed.milliseconds, limit: limit)
    }

    private static let messageAge = Duration.hours(24 * 30)

    private mutating func drop(oldest candidates: [Message], by age: (Message) -> Int64, limit: Int) {
        guard !candidates.isEmpty else { return }
        let sorted = candidates.enumerated().sorted {
            (age($0.element), $0.offset) < (age($1.element), $1.offset)
        }
        let names = Set(sorted.prefix(limit).map(\.element.row.message))
        drop { names.contains($0.row.message) }
    }

    private mutating func drop(where isGone: (Message) -> Bool) {
        messages.removeAll(where: isGone)
        places = [:]
        for (index, message) in messages.enumerated() { places[message.row.message] = index }
    }

    // MARK: Reading

    func page(_ query: OutboxQuery, event: (Message) -> Event?) -> OutboxPage {
        var page = OutboxPage()
        switch query {
        case .open(let addresses, let limit):
            let limit = min(max(limit, 1), OutboxPage.limit)
            let open = messages.enumerated().filter { !$1.state.isFinal && addresses.contains($1.row.address) }
            let sorted = open.sorted { a, b in
                (a.element.row.priority.rawValue, a.element.place, a.offset)
                    < (b.element.row.priority.rawValue, b.element.place, b.offset)
            }
            for (_, message) in sorted.prefix(limit) {
                if let event = event(message) {
                    var stored = Self.stored(message, event)
                    if event.priority == .alarm, message.state == .waiting, !message.isDuress {
                        stored.takenAt = takenAt(message)
                    }
                    page.messages.append(stored)
                } else {
                    page.orphans.append(message.row.message)
                }
            }
            page.hasMore = sorted.count > limit
        case .dead(let limit):
            let limit = min(max(limit, 1), OutboxPage.limit)
            let dead = messages.enumerated()
                .filter { ($1.state == .dead || $1.state == .expired) && !$1.isDuress }
                .sorted { ($0.element.changed, $0.offset) > ($1.element.changed, $1.offset) }
            page.messages = dead.prefix(limit).map { _, message in
                Self.stored(message, event(message) ?? Self.fallback(for: message))
            }
            page.hasMore = dead.count > limit
        }
        return page
    }

    /// Where the same event was taken.
    func takenAt(_ message: Message) -> [AddressID] {
        messages.filter { $0.place == message.place && $0.isDuress == message.isDuress && $0.state.isTaken }
            .map(\.row.address)
    }

    /// A message whose event is gone is still shown.
    private static func fallback(for message: Message) -> Event {
        let code = EventCode.unreadableRow.rawValue
        return Event(
            type: .unknown, code: code, raw: code, message: "unreadable row", time: message.row.createdAt,
            isTimeTrusted: false)
    }

    private static func stored(_ message: Message, _ event: Event) -> StoredMessage {
        StoredMessage(
            message: message.row.message, address: message.row.address,
            seq: message.isDuress ? nil : SequenceNumber(message.number), event: event,
            createdAt: message.row.createdAt, expiresAt: message.row.expiresAt, state: message.state,
            detail: message.detail, picture: message.state.isFinal ? nil : message.row.picture)
    }

    var counts: OutboxCounts {
        func count(_ state: OutboxState) -> Int { messages.count { $0.state == state && !$0.isDuress } }
        return OutboxCounts(
            waiting: count(.waiting), overdue: count(.overdue), dead: count(.dead), expired: count(.expired))
    }
}
