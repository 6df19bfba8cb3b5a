import AlarmModel
import ApplianceCore

/// A disk that keeps what was synced and may lose or tear what was not.
///
/// Each transaction is written as frames, one per event and a last one that commits it; all are synced at its end. A
/// power cut keeps, loses or tears every unsynced frame on its own; recovery takes the transaction only when each of
/// its frames is whole. That is what a write-ahead log does.
struct SimulatedDisk: Equatable, Sendable {
    private(set) var rows: [StoredEvent] = []
    /// Duress, with numbers of its own.
    private(set) var duress: [StoredEvent] = []
    private var lastDuress = SequenceNumber.zero
    private(set) var snapshot: Snapshot?
    /// Ascending by command.
    private(set) var ledger: [LedgerRow] = []
    private(set) var last = SequenceNumber.zero
    /// Messages, counters, phone book and keys.
    var phones = PhoneShelf()
    /// The newest batch of the present run that is durable.
    private(set) var newestBatch = BatchID(0)
    /// Transactions that were acknowledged and not synced: only with `SABOTAGE` anything is ever in here.
    private var unsynced: [[Batch]] = []
    /// Fails every commit in this way.
    var fault: StoreFailure?
    /// Made durable since the last look.
    private var fresh: [Batch] = []

    /// A new run of the daemon: its batches are numbered from 1 again.
    mutating func begin() { newestBatch = BatchID(0) }

    /// Makes batches durable, as one transaction. Those that are already (a failure was reported after they were synced)
    /// are passed over. As in the real store, rows are deleted when all of the transaction are written.
    mutating func commit(_ batches: [Batch]) {
        let waiting = batches.filter { $0.id > newestBatch }
        guard let newest = waiting.last else { return }
        for batch in waiting {
            phones.commit(batch, events: batch.events.map { write($0) })
            if var state = batch.snapshot {
                state.console = state.console ?? snapshot?.console
                snapshot = state
            }
            for row in batch.ledger { write(row) }
        }
        for step in waiting.compactMap(\.retention) { retain(step) }
        newestBatch = newest.id
        fresh += waiting
    }

    private mutating func write(_ event: Event) -> (isDuress: Bool, number: Int64, place: Int64) {
        if event.flags.contains(.duress) {
            lastDuress = lastDuress.next
            duress.append(StoredEvent(seq: lastDuress, event: event))
            return (true, lastDuress.number, last.number * 2 + 1)
        }
        last = last.next
        rows.append(StoredEvent(seq: last, event: event))
        return (false, last.number, last.number * 2)
    }

    private mutating func write(_ row: LedgerRow) {
        let index = ledger.firstIndex { $0.command >= row.command } ?? ledger.count
        if index < ledger.count, ledger[index].command == row.command { ledger.remove(at: index) }
        ledger.insert(row, at: index)
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

    /// The first `count` events, and duress and finished commands from before `date`, at most `limit` of each; duress only
    /// below this number.
    mutating func dropEvents(_ count: Int, olderThan date: WallTime?, limit: Int, duressBelow end: Int64) {
        rows.removeFirst(count)
        guard let date else { return }
        var left = limit
        duress.removeAll { row in
            guard left > 0, row.event.time < date, row.seq.number < end else { return false }
            left -= 1
            return true
        }
        left = limit
        ledger.removeAll { row in
            guard left > 0, row.time < date, row.outcome != nil else { return false }
            left -= 1
            return true
        }
    }

    /// The number of the oldest event that is kept; when none is, that of the next one.
    var oldest: SequenceNumber { rows.first?.seq ?? last.next }

    var unfinished: [LedgerRow] { ledger.filter { $0.outcome == nil } }
    var lastCommand: CommandID? { ledger.last?.command }

    /// The latest time among the newest events whose clock was trusted.
    var newestTrustedTime: WallTime? {
        rows.suffix(Self.trustWindow).filter(\.event.isTimeTrusted).map(\.event.time).max()
    }

    private static let trustWindow = 10_000
}
