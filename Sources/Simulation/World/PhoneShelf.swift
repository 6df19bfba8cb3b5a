import AlarmModel
import ApplianceCore
import PhoneProtocol

/// The phones' part of the simulated disk: messages, counters, and the file with the phone book and the keys.
struct PhoneShelf: Hashable, Sendable {
    /// A row of the outbox with its event.
    struct Message: Hashable, Sendable {
        var row: OutboxRow
        var isDuress: Bool
        /// The number of the event, among its kind.
        var number: Int64
        /// Where it stands among all events.
        var place: Int64
        var state = OutboxState.waiting
        var detail: String?
    }

    struct Spent: Hashable, Sendable {
        var phone: PhoneID
        var counter: UInt64
    }

    struct Result: Hashable, Sendable {
        var phone: PhoneID
        var counter: UInt64
        var result: PhoneResult
    }

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
            let message = Message(row: row, isDuress: event.isDuress, number: event.number, place: event.place)
            if let index = places[row.message] {
                messages[index] = message
            } else {
                places[row.message] = messages.count
                messages.append(message)
            }
        }
        for change in batch.outboxChanges {
            guard let index = places[change.message] else { continue }
            messages[index].state = change.state
            messages[index].detail = change.detail
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

    /// Finished messages go with their events.
    mutating func retain(from first: SequenceNumber) {
        messages.removeAll { !$0.isDuress && $0.number < first.number && $0.state.isFinal }
        places = [:]
        for (index, message) in messages.enumerated() { places[message.row.message] = index }
    }

    // MARK: Reading

    func page(_ query: OutboxQuery, event: (Message) -> Event?) -> OutboxPage {
        var page = OutboxPage()
        switch query {
        case .open(let addresses, let limit):
            let open = messages.enumerated().filter { !$1.state.isFinal && addresses.contains($1.row.address) }
            let sorted = open.sorted { a, b in
                (a.element.row.priority.rawValue, a.element.place, a.offset)
                    < (b.element.row.priority.rawValue, b.element.place, b.offset)
            }
            for (_, message) in sorted.prefix(limit) {
                if let event = event(message) {
                    page.messages.append(Self.stored(message, event))
                } else {
                    page.orphans.append(message.row.message)
                }
            }
            page.hasMore = sorted.count > limit
        case .dead(let limit):
            let dead = messages.reversed().filter { ($0.state == .dead || $0.state == .expired) && !$0.isDuress }
            page.messages = dead.prefix(limit).compactMap { message in
                event(message).map { Self.stored(message, $0) }
            }
            page.hasMore = dead.count > limit
        }
        return page
    }

    private static func stored(_ message: Message, _ event: Event) -> StoredMessage {
        StoredMessage(
            message: message.row.message, address: message.row.address,
            seq: message.isDuress ? nil : SequenceNumber(message.number), event: event,
            createdAt: message.row.createdAt, expiresAt: message.row.expiresAt, state: message.state,
            detail: message.detail)
    }

    var counts: OutboxCounts {
        func count(_ state: OutboxState) -> Int { messages.count { $0.state == state && !$0.isDuress } }
        return OutboxCounts(
            waiting: count(.waiting), overdue: count(.overdue), dead: count(.dead), expired: count(.expired))
    }
}
