import AlarmModel

/// Draws what a core might ask of its store, and what it would not: names used twice, changes of messages that never
/// were, clocks that jump.
struct StoreScript {
    enum Step: Equatable {
        case commit([Batch])
        /// The newest batches once more, as after a failure that came too late, and a new one behind them.
        case commitAgain([Batch])
        case checkpoint
        /// The daemon ends and starts again.
        case restart
        /// The files as they lie there are all that is left.
        case crash
        /// The same while this transaction is being written; its log ends after this share of it, in thousandths.
        case powerCut([Batch], thousandths: Int)
    }

    private var chance: Jitter
    private var clock = WallTime.early
    private var nextBatch: UInt64 = 1
    private var nextEvent = 1
    private var nextMessage = 1
    private var nextCommand: UInt64 = 1
    private var counters: [UInt64] = [0, 0, 0]
    private var nextLog: UInt32 = 2
    private var newest: [Batch] = []

    init(seed: UInt64) { chance = Jitter(seed: seed) }

    private mutating func number(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }
    private mutating func happens(oneIn: Int) -> Bool { number(oneIn) == 0 }

    mutating func step() -> Step {
        switch number(100) {
        case 0..<7 where !newest.isEmpty: return .commitAgain(newest + [batch()])
        case 7..<12: return .checkpoint
        case 12..<18:
            begin()
            return .restart
        case 18..<24:
            begin()
            return .crash
        case 24..<30:
            var batches = group()
            // Its file is written before the transaction and shows a restored copy when that is lost.
            for index in batches.indices { batches[index].newLog = nil }
            begin()
            return .powerCut(batches, thousandths: number(1001))
        default:
            newest = group()
            return .commit(newest)
        }
    }

    private mutating func begin() {
        nextBatch = 1
        newest = []
    }

    private mutating func group() -> [Batch] { (0...number(4)).map { _ in batch() } }

    private mutating func batch() -> Batch {
        clock = clock + .seconds(number(60))
        if happens(oneIn: 20) { clock = clock + .hours(number(24 * 40)) }
        if happens(oneIn: 20) { clock = clock + .seconds(-number(5000)) }
        var batch = Batch(id: BatchID(nextBatch))
        nextBatch += 1
        for _ in 0..<number(5) { batch.events.append(event()) }
        if happens(oneIn: 2) { batch.snapshot = snapshot() }
        for _ in 0..<number(2) { batch.ledger.append(ledgerRow()) }
        if happens(oneIn: 5) { batch.retention = retention() }
        if !batch.events.isEmpty {
            for _ in 0..<number(5) { batch.outbox.append(message(of: number(batch.events.count))) }
        }
        for _ in 0..<number(5) { batch.outboxChanges.append(change()) }
        let isBurst = happens(oneIn: 100)
        for _ in 0..<(isBurst ? 400 : number(3)) { batch.phoneLedger.append(counter(of: isBurst ? 0 : number(3))) }
        if happens(oneIn: 12) {
            let phone = PhoneID(UInt64(number(3)) + 1)
            batch.phoneLedgerOwners.append(happens(oneIn: 3) ? .removed(phone) : .added(phone))
        }
        if happens(oneIn: 40) {
            batch.newLog = nextLog
            nextLog += UInt32(number(2))
        }
        return batch
    }

    private mutating func event() -> Event {
        let types = EventType.allCases
        var event = Event.sample(nextEvent, type: types[number(types.count)])
        nextEvent += 1
        event.time = clock + .seconds(-number(3))
        event.isTimeTrusted = !happens(oneIn: 3)
        if !event.isTimeTrusted { event.time = event.time + .seconds(number(20_000) - 10_000) }
        event.zone = happens(oneIn: 3) ? nil : number(3) + 1
        event.partition = happens(oneIn: 2) ? nil : number(2) + 1
        if happens(oneIn: 6) { event.flags.insert(.duress) }
        if happens(oneIn: 6) { event.unstored = UnstoredMark(boot: "0000000a", counter: UInt64(nextEvent)) }
        return event
    }

    private mutating func snapshot() -> Snapshot {
        var snapshot = Snapshot.sample(UInt64(number(3)) + 1)
        for zone in 1...number(4) + 1 { snapshot.panel.withZone(zone) { $0.open = .known(zone % 2 == number(2)) } }
        snapshot.isMaintenance = happens(oneIn: 2)
        if happens(oneIn: 3) { snapshot.console = ConsoleRecord(wrongTries: number(6)) }
        if happens(oneIn: 3) { snapshot.seenUpTo = SequenceNumber(Int64(number(9))) }
        return snapshot
    }

    private mutating func ledgerRow() -> LedgerRow {
        let isOld = nextCommand > 1 && !happens(oneIn: 3)
        let command = isOld ? UInt64(number(Int(nextCommand - 1))) + 1 : nextCommand
        if !isOld { nextCommand += 1 }
        let outcomes: [Outcome?] = [nil, .done, .expired, .refused(.notReady(openZones: [3]))]
        return LedgerRow(
            command: CommandID(command), summary: "arm \(number(3))", origin: "cli", time: clock,
            outcome: outcomes[number(4)])
    }

    private mutating func retention() -> RetentionStep {
        RetentionStep(
            olderThan: happens(oneIn: 2) ? clock + .seconds(-number(4000)) : nil,
            keepAtMost: happens(oneIn: 2) ? number(30) : nil, limit: number(12) + 1,
            now: happens(oneIn: 3) ? nil : clock)
    }

    private mutating func message(of event: Int) -> OutboxRow {
        let isOld = nextMessage > 1 && happens(oneIn: 25)
        let name = isOld ? number(nextMessage) : nextMessage
        if !isOld { nextMessage += 1 }
        let classes = PriorityClass.allCases
        return OutboxRow(
            message: MessageID("m\(name)"), address: AddressID(Int64(number(4)) + 1), event: event,
            priority: classes[number(classes.count)], createdAt: clock, expiresAt: clock + .hours(1))
    }

    private mutating func change() -> OutboxChange {
        let states = OutboxState.allCases
        let state = states[number(states.count)]
        let isNew = happens(oneIn: 4)
        return OutboxChange(
            message: MessageID("m\(isNew ? nextMessage - number(3) : number(nextMessage))"), state: state,
            detail: state == .dead ? "gave up \(number(2))" : nil, time: clock + .seconds(number(2)))
    }

    private mutating func counter(of phone: Int) -> PhoneLedgerRow {
        if counters[phone] == 0 || !happens(oneIn: 4) { counters[phone] += UInt64(number(2)) + 1 }
        let results: [PhoneResult?] = [nil, PhoneResult(.ok), PhoneResult(.denied, why: "stale")]
        return PhoneLedgerRow(
            phone: PhoneID(UInt64(phone) + 1), counter: counters[phone],
            digest: (0..<32).map { _ in UInt8(truncatingIfNeeded: chance.next()) }, time: clock,
            result: results[number(3)])
    }

    // MARK: Questions

    mutating func eventQuery(upTo last: SequenceNumber) -> EventQuery {
        let top = Int(last.number) + 4
        var query = EventQuery(after: SequenceNumber(Int64(number(top) - 2)), limit: number(12))
        if happens(oneIn: 2) { query.after = .zero }
        if happens(oneIn: 2) { query.before = SequenceNumber(Int64(number(top) - 1)) }
        if happens(oneIn: 2) { query.order = .newest }
        if happens(oneIn: 4) { query.zone = number(3) + 1 }
        if happens(oneIn: 4) { query.partition = number(2) + 1 }
        if happens(oneIn: 4) { query.since = clock + .seconds(-number(4000)) }
        if happens(oneIn: 3) { query.types = EventType.allCases.filter { _ in happens(oneIn: 3) } }
        return query
    }

    mutating func outboxQuery() -> OutboxQuery {
        if happens(oneIn: 3) { return .dead(limit: number(9)) }
        return .open(addresses: (0..<number(5)).map { _ in AddressID(Int64(number(5))) }, limit: number(9))
    }
}
