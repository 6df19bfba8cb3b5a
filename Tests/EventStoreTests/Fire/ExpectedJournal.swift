import AlarmModel
import EventStore

/// What a journal must hold after batches were committed, worked out from the batches alone.
struct ExpectedJournal {
    struct Row {
        var seq: Int64
        var event: Event
    }

    struct Message {
        var row: OutboxRow
        var isDuress: Bool
        var seq: Int64
        var place: Int64
        var state = OutboxState.waiting
        var detail: String?
        var changed: WallTime
        var event: Event
    }

    struct Phone {
        var id: PhoneID
        var last: UInt64 = 0
        var rows: [PhoneLedgerRow] = []
    }

    var lastSequence: Int64 = 0
    var lastDuress: Int64 = 0
    var events: [Row] = []
    var duress: [Row] = []
    /// In the order in which they were written.
    var messages: [Message] = []
    var ledger: [LedgerRow] = []
    var phones: [Phone] = []
    var snapshot: Snapshot?
    /// Batches in all, of every run.
    var batches = 0

    func after(_ group: [Batch]) -> ExpectedJournal {
        var next = self
        for batch in group { next.take(batch) }
        if let snapshot = group.last(where: { $0.snapshot != nil })?.snapshot { next.snapshot = snapshot }
        for step in group.compactMap(\.retention) { next.retain(step) }
        return next
    }

    private mutating func take(_ batch: Batch) {
        batches += 1
        var places: [(isDuress: Bool, seq: Int64, place: Int64)] = []
        for event in batch.events {
            if event.flags.contains(.duress) {
                lastDuress += 1
                duress.append(Row(seq: lastDuress, event: event))
                places.append((true, lastDuress, lastSequence * 2 + 1))
            } else {
                lastSequence += 1
                events.append(Row(seq: lastSequence, event: event))
                places.append((false, lastSequence, lastSequence * 2))
            }
        }
        for row in batch.ledger {
            ledger.removeAll { $0.command == row.command }
            ledger.append(row)
        }
        ledger.sort { $0.command.number < $1.command.number }
        for row in batch.outbox {
            let place = places[row.event]
            messages.append(
                Message(
                    row: row, isDuress: place.isDuress, seq: place.seq, place: place.place, changed: row.createdAt,
                    event: batch.events[row.event]))
        }
        for change in batch.outboxChanges {
            guard let index = messages.firstIndex(where: { $0.row.message == change.message }) else { continue }
            messages[index].state = change.state
            messages[index].detail = change.detail
            messages[index].changed = change.time
        }
        takePhones(batch)
    }

    private mutating func takePhones(_ batch: Batch) {
        for owner in batch.phoneLedgerOwners {
            switch owner {
            case .added(let id): if !phones.contains(where: { $0.id == id }) { phones.append(Phone(id: id)) }
            case .removed(let id): phones.removeAll { $0.id == id }
            }
        }
        for row in batch.phoneLedger {
            let index = phones.firstIndex { $0.id == row.phone } ?? phones.count
            if index == phones.count { phones.append(Phone(id: row.phone)) }
            phones[index].last = max(phones[index].last, row.counter)
            phones[index].rows.removeAll { $0.counter == row.counter }
            phones[index].rows.append(row)
            phones[index].rows.sort { $0.counter < $1.counter }
            phones[index].rows = phones[index].rows.suffix(PhoneLedgerRow.kept)
        }
        phones.sort { $0.id < $1.id }
    }

    /// By number alone: all times of the workload are within the age at which messages go by themselves, and no step tells
    /// the time.
    private mutating func retain(_ step: RetentionStep) {
        let surplus = step.keepAtMost.map { lastSequence - Int64($0) } ?? 0
        let needed = messages.filter { !$0.state.isFinal && !$0.isDuress }.map(\.seq).min() ?? .max
        let going = events.prefix(step.limit).prefix { $0.seq <= surplus && $0.seq < needed }.count
        events.removeFirst(going)
        for (rows, isDuress) in [(events, false), (duress, true)] {
            let first = rows.first?.seq ?? .max
            let old = messages.indices.filter {
                messages[$0].isDuress == isDuress && messages[$0].state.isFinal && messages[$0].seq < first
            }
            let gone = old.sorted { (messages[$0].seq, $0) < (messages[$1].seq, $1) }.prefix(step.limit)
            for index in gone.sorted(by: >) { messages.remove(at: index) }
        }
    }

    /// What `messages(.open)` shows of these addresses.
    func open(_ addresses: [AddressID]) -> [Message] {
        messages.enumerated()
            .filter { !$0.element.state.isFinal && addresses.contains($0.element.row.address) }
            .sorted {
                ($0.element.row.priority.rawValue, $0.element.place, $0.offset)
                    < ($1.element.row.priority.rawValue, $1.element.place, $1.offset)
            }
            .map(\.element)
    }

    var counts: OutboxCounts {
        let shown = messages.filter { !$0.isDuress }.map(\.state)
        func count(_ state: OutboxState) -> Int { shown.filter { $0 == state }.count }
        return OutboxCounts(
            waiting: count(.waiting), overdue: count(.overdue), dead: count(.dead), expired: count(.expired))
    }

    /// As `ImageCheck` reads them from the file.
    var lines: [String] {
        var lines = ["counters \(lastSequence) \(lastDuress)"]
        for (table, rows) in [("event", events), ("duress", duress)] {
            for row in rows {
                lines.append("\(table) \(row.seq) \(row.event.message) \(row.event.time.milliseconds)")
            }
        }
        for message in messages {
            lines.append(
                "message \(message.row.message.text) \(message.row.address.number) \(message.isDuress ? 1 : 0) "
                    + "\(message.seq) \(message.place) \(message.state.rawValue) \(message.detail ?? "-") "
                    + "\(message.changed.milliseconds)")
        }
        for row in ledger {
            lines.append("command \(row.command.number) \(row.summary) \(row.outcome?.name ?? "-")")
        }
        for phone in phones { lines.append("phone \(phone.id.number) \(phone.last)") }
        for row in phones.flatMap(\.rows) {
            lines.append("counter \(row.phone.number) \(row.counter) \(row.result?.out.rawValue ?? "-")")
        }
        return lines
    }
}
