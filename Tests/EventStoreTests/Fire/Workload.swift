import AlarmModel
import EventStore

/// What is committed next: worked out from a seed and from what the journal holds, so that it can go on after a power
/// cut with what has survived.
struct Workload {
    static let addresses = (1...3).map { AddressID($0) }
    private static let phones = (1...3).map { PhoneID(0x0EED_0000_0000_0000 + UInt64($0)) }
    private static let eventsKept = 40

    private var dice: Dice
    /// Batches of this run.
    private var lastBatch: UInt64 = 0

    init(seed: UInt64) {
        dice = Dice(seed: seed)
        for _ in 1...8 { _ = dice.roll(2) }
    }

    /// Batches are numbered anew from here on.
    mutating func restart() { lastBatch = 0 }

    /// One to three batches that the daemon would give together.
    mutating func group(after expected: ExpectedJournal) -> [Batch] {
        var group: [Batch] = []
        for _ in 0...dice.roll(3) { group.append(batch(after: expected.after(group))) }
        return group
    }

    private mutating func batch(after expected: ExpectedJournal) -> Batch {
        lastBatch += 1
        let number = expected.batches + 1
        var batch = Batch(id: BatchID(lastBatch))
        for index in 0..<dice.roll(4) {
            let isDuress = dice.roll(10) == 0
            let type = EventType.allCases[dice.roll(EventType.allCases.count)]
            batch.events.append(.sample(number * 4 + index, type: type, flags: isDuress ? [.duress] : []))
        }
        for (index, event) in batch.events.enumerated() {
            for address in Self.addresses where dice.roll(3) > 0 {
                batch.outbox.append(
                    .sample(
                        "\(number)-\(index)-\(address.number)", event: index, address: address.number,
                        priority: event.priority))
            }
        }
        for message in expected.messages where !message.state.isFinal && dice.roll(4) == 0 {
            let state = OutboxState.allCases[dice.roll(OutboxState.allCases.count)]
            batch.outboxChanges.append(
                OutboxChange(
                    message: message.row.message, state: state, detail: state == .dead ? "refused" : nil,
                    time: WallTime(milliseconds: WallTime.early.milliseconds + Int64(number))))
        }
        if dice.roll(2) == 0 { batch.snapshot = snapshot(number) }
        if dice.roll(3) == 0 { batch.ledger = commands(number, expected) }
        if dice.roll(2) == 0 { addPhones(to: &batch, expected) }
        if dice.roll(4) == 0 {
            batch.retention = RetentionStep(olderThan: nil, keepAtMost: Self.eventsKept, limit: 4 + dice.roll(20))
        }
        return batch
    }

    private mutating func snapshot(_ number: Int) -> Snapshot {
        var snapshot = Snapshot.sample(UInt64(number))
        snapshot.panel.withZone(1 + dice.roll(8)) { $0.open = .known(false) }
        snapshot.isMaintenance = dice.roll(2) == 0
        return snapshot
    }

    /// A command is accepted, and an earlier one may end.
    private mutating func commands(_ number: Int, _ expected: ExpectedJournal) -> [LedgerRow] {
        func row(_ command: CommandID, _ outcome: Outcome?) -> LedgerRow {
            LedgerRow(command: command, summary: "arm", origin: "cli", time: .early, outcome: outcome)
        }
        var rows: [LedgerRow] = []
        if let open = expected.ledger.first(where: { $0.outcome == nil }), dice.roll(3) > 0 {
            rows.append(row(open.command, dice.roll(2) == 0 ? .done : .refused(.alreadyArmed)))
        }
        return rows + [row(CommandID(UInt64(number)), nil)]
    }

    /// A phone spends a counter, and its command before ends; rarely one is revoked, or paired without a command.
    private mutating func addPhones(to batch: inout Batch, _ expected: ExpectedJournal) {
        let phone = Self.phones[dice.roll(Self.phones.count)]
        let known = expected.phones.first { $0.id == phone }
        switch dice.roll(12) {
        case 0: batch.phoneLedgerOwners = [.removed(phone)]
        case 1: batch.phoneLedgerOwners = [.added(phone)]
        default:
            if let open = known?.rows.last, open.result == nil {
                batch.phoneLedger.append(.sample(open.counter, phone: phone, result: PhoneResult(.failed, why: "late")))
            }
            batch.phoneLedger.append(.sample((known?.last ?? 0) + 1 + UInt64(dice.roll(3)), phone: phone))
        }
    }
}
