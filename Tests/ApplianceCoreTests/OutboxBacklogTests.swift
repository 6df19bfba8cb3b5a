import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@Suite("Outbox: a long outage") struct OutboxBacklogTests {
    /// A store of 100 000 rows in its own order, of which a prefix is finished.
    private struct Backlog {
        var rows: [StoredMessage] = []
        var final: Set<MessageID> = []
        var firstOpen = 0

        mutating func answer(_ query: OutboxQuery) -> (messages: [StoredMessage], hasMore: Bool) {
            guard case .open(let addresses, let limit) = query else { return ([], false) }
            while firstOpen < rows.count, final.contains(rows[firstOpen].message) { firstOpen += 1 }
            var found: [StoredMessage] = []
            for row in rows[firstOpen...] where !final.contains(row.message) && addresses.contains(row.address) {
                if found.count == limit { return (found, true) }
                found.append(row)
            }
            return (found, false)
        }
    }

    @Test("100 000 rows are delivered in order of class, then number, with at most 1000 in memory")
    func with100000RowsAreDeliveredInOrderOfClass() {
        var policy = OutboxPolicy()
        // The order is what is looked at here, not the pace.
        policy.ordinaryBurst = 1_000_000
        policy.faultBurst = 1_000_000
        let book = OutboxBench.house(phones: 2)
        var outbox = Outbox(bootMark: "00000002", seed: 1, policy: policy)
        var now = OutboxBench.moment(0)
        let types: [EventType] = [.alarm, .fault, .armed, .info]
        var store = Backlog()
        for type in types {
            let event = OutboxBench.event(type)
            for number in 0..<12_500 {
                let seq = Int64(number * 4 + event.priority.rawValue + 1)
                for address in 1...2 {
                    store.rows.append(
                        StoredMessage(
                            message: MessageID("00000001-\(seq * 2 + Int64(address))"),
                            address: AddressID(Int64(address)), seq: SequenceNumber(seq), event: event,
                            createdAt: now.wall, expiresAt: now.wall + .hours(200), state: .waiting))
                }
            }
        }
        outbox.update(book, channels: [.ccs], at: now)
        var delivered = 0
        var inOrder = true
        var last: [(Int, Int64)] = [(-1, 0), (-1, 0), (-1, 0)]
        var largest = 0
        var reads = 0
        var batch = BatchID(1)
        for _ in 0..<20_000 where delivered < store.rows.count {
            if let query = outbox.takeQuery(at: now) {
                reads += 1
                let answer = store.answer(query)
                outbox.arrived(answer.messages, orphans: [], hasMore: answer.hasMore, at: now)
            }
            largest = max(largest, outbox.count)
            for _ in 0..<50 {
                guard let entry = outbox.next(at: now, by: .ccs, room: TransportRoom(alarm: 100, other: 90)) else {
                    break
                }
                outbox.sent(entry.message)
                let key = (entry.priority.rawValue, entry.seq?.number ?? 0)
                let slot = Int(entry.address.number)
                if !(last[slot] < key) { inOrder = false }
                last[slot] = key
                delivered += 1
                outbox.accepted(entry.message, at: now)
                if entry.wantsReceipt { outbox.received(entry.message, at: now) }
            }
            now = Moment(boot: now.boot + .milliseconds(100), wall: now.wall + .milliseconds(100), isWallTrusted: true)
            let changes = outbox.flush(into: batch, at: now).map(\.change)
            for change in changes where change.state.isFinal { store.final.insert(change.message) }
            outbox.committed(upTo: batch) { _, _ in nil }
            batch = batch.next
        }
        #expect(delivered == store.rows.count)
        #expect(inOrder)
        #expect(largest <= 1000)
        #expect(reads < 1000)
    }

    @Test("an address that cannot be fed does not starve the others")
    func anAddressThatCannotBeFedDoesNotStarveTheOthers() {
        var policy = OutboxPolicy()
        policy.memoryLimit = 40
        policy.readAhead = 20
        var bench = OutboxBench(policy: policy)
        bench.open(OutboxBench.house(phones: 2))
        bench.postAndCommit(.fault)
        if let entry = bench.sendAll().first(where: { $0.address == AddressID(1) }) {
            bench.outbox.tooFast(entry.message, why: "much", for: .seconds(60), at: bench.now)
        }
        for _ in 0..<200 { bench.post([OutboxBench.event(.fault)]) }
        bench.commit()
        var arrived = 0
        for _ in 0..<500 {
            bench.pass(2)
            for entry in bench.sendAll() {
                if entry.address == AddressID(2) {
                    arrived += 1
                    bench.outbox.accepted(entry.message, at: bench.now)
                } else {
                    bench.outbox.tooFast(entry.message, why: "much", for: .seconds(60), at: bench.now)
                }
            }
        }
        #expect(arrived == 200)
        #expect(bench.largest <= 40)
    }

    @Test("a full memory holds up no alarm: what a read brought makes room, and the next read follows at once")
    func aFullMemoryHoldsUpNoAlarm() {
        var policy = OutboxPolicy()
        policy.memoryLimit = 30
        policy.readAhead = 20
        policy.awaitedLimit = 12
        var outbox = Outbox(bootMark: "00000002", seed: 1, policy: policy)
        let now = OutboxBench.moment(0)
        var store = Backlog()
        for seq in 1...200 {
            store.rows.append(
                StoredMessage(
                    message: MessageID("00000001-\(seq)"), address: AddressID(1), seq: SequenceNumber(Int64(seq)),
                    event: OutboxBench.event(.alarm), createdAt: now.wall, expiresAt: now.wall + .hours(1),
                    state: .waiting))
        }
        outbox.update(OutboxBench.house(phones: 1), channels: [.ccs], at: now)
        var delivered = 0
        var wasFull = false
        // The clock stands still.
        for _ in 0..<500 {
            if let query = outbox.takeQuery(at: now) {
                let answer = store.answer(query)
                outbox.arrived(answer.messages, orphans: [], hasMore: answer.hasMore, at: now)
            }
            wasFull = wasFull || outbox.count == policy.memoryLimit
            guard let entry = outbox.next(at: now, by: .ccs, room: TransportRoom(alarm: 10, other: 0)) else { continue }
            outbox.sent(entry.message)
            outbox.accepted(entry.message, at: now)
            delivered += 1
        }
        #expect(wasFull)
        #expect(delivered == 200)
    }
}
