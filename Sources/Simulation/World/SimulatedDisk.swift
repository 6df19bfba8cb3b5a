import AlarmModel
import ApplianceCore

/// A disk that keeps what was synced and may lose or tear what was not.
///
/// Each transaction is written as frames, one per event and a last one that commits it; all are synced at its end. A
/// power cut keeps, loses or tears every unsynced frame on its own; recovery takes the transaction only when each of
/// its frames is whole. That is what a write-ahead log does.
struct SimulatedDisk: Hashable, Sendable {
    private(set) var rows: [StoredEvent] = []
    private(set) var duress: [Event] = []
    private(set) var snapshot: Snapshot?
    private(set) var ledger: [LedgerRow] = []
    private(set) var last = SequenceNumber.zero
    /// Messages, counters, phone book and keys.
    var phones = PhoneShelf()
    /// The newest batch of the present run that is durable.
    private var lastBatch = BatchID(0)
    /// Transactions that were acknowledged and not synced: only with `SABOTAGE` anything is ever in here.
    private var unsynced: [[Batch]] = []
    /// Fails every commit in this way.
    var fault: StoreFailure?
    /// Made durable since the last look.
    private var fresh: [Batch] = []

    /// A new run of the daemon: its batches are numbered from 1 again.
    mutating func begin() { lastBatch = BatchID(0) }

    /// Makes batches durable. Those that are already (a failure was reported after they were synced) are passed over.
    mutating func commit(_ batches: [Batch]) {
        for batch in batches where batch.id > lastBatch {
            var places: [(isDuress: Bool, number: Int64, place: Int64)] = []
            for event in batch.events {
                if event.flags.contains(.duress) {
                    duress.append(event)
                    places.append((true, Int64(duress.count), last.number * 2 + 1))
                    continue
                }
                last = last.next
                rows.append(StoredEvent(seq: last, event: event))
                places.append((false, last.number, last.number * 2))
            }
            phones.commit(batch, events: places)
            if let state = batch.snapshot { snapshot = state }
            for row in batch.ledger {
                ledger.removeAll { $0.command == row.command }
                ledger.append(row)
            }
            if let step = batch.retention { retain(step) }
            lastBatch = batch.id
            fresh.append(batch)
        }
    }

    mutating func takeFresh() -> [Batch] {
        guard !fresh.isEmpty else { return [] }
        defer { fresh = [] }
        return fresh
    }

    /// Acknowledges without syncing, as a broken shell would.
    mutating func commitLater(_ batches: [Batch]) { unsynced.append(batches) }

    mutating func sync() {
        let waiting = unsynced
        unsynced = []
        for batches in waiting { commit(batches) }
    }

    /// The power fails while a transaction is being written; nil: none is.
    mutating func cutPower(during transaction: [Batch]?, frames chance: inout Jitter) {
        unsynced = []
        guard let transaction else { return }
        let frames = transaction.reduce(1) { $0 + $1.events.count }
        let survivors = (0..<frames).filter { _ in chance.next() % 8 != 0 }
        if survivors.count == frames { commit(transaction) }
    }

    private mutating func retain(_ step: RetentionStep) {
        var excess = 0
        while excess < min(step.limit, rows.count) {
            let isOld = step.olderThan.map { rows[excess].event.time < $0 } ?? false
            let isTooMany = step.keepAtMost.map { rows.count - excess > $0 } ?? false
            guard isOld || isTooMany else { break }
            excess += 1
        }
        rows.removeFirst(excess)
        phones.retain(from: oldest)
    }

    /// The number of the oldest event that is kept; when none is, that of the next one.
    var oldest: SequenceNumber { rows.first?.seq ?? last.next }

    func messages(_ query: OutboxQuery) -> OutboxPage {
        phones.page(query) { message in
            if message.isDuress { return duress[Int(message.number) - 1] }
            let index = Int(message.number - oldest.number)
            return rows.indices.contains(index) ? rows[index].event : nil
        }
    }

    func page(_ query: EventQuery) -> EventPage {
        let matching = rows.drop { $0.seq <= query.after }
            .filter { row in
                (query.zone == nil || row.event.zone == query.zone)
                    && (query.types.isEmpty || query.types.contains(row.event.type))
            }
        switch query.order {
        case .newest:
            return EventPage(events: Array(matching.suffix(query.limit)), cursor: last, hasMore: false)
        case .oldestFirst:
            let events = Array(matching.prefix(query.limit))
            let hasMore = matching.count > events.count
            return EventPage(events: events, cursor: hasMore ? events[events.count - 1].seq : last, hasMore: hasMore)
        }
    }

    var unfinished: [LedgerRow] { ledger.filter { $0.outcome == nil } }
}
