import AlarmModel
import PhoneLink
import Testing

@testable import ApplianceCore

@Suite("What became of messages, until the store has it")
struct OutboxChangesTests {
    static let now = OutboxBench.moment(0)
    static func message(_ number: Int) -> MessageID { MessageID(boot: "00000001", counter: UInt64(number)) }

    var policy: OutboxPolicy = {
        var policy = OutboxPolicy()
        policy.changeLimit = 20
        policy.readAhead = 4
        return policy
    }()

    @Test("the end of a message is written once, in order, and forgotten when the store has it")
    func theEndOfAMessageIsWrittenOnceInOrder() {
        var changes = OutboxChanges()
        changes.note(Self.message(2), .overdue, by: policy, at: Self.now)
        changes.note(Self.message(2), .received, by: policy, at: Self.now)
        changes.note(Self.message(1), .accepted, by: policy, at: Self.now)
        changes.note(Self.message(2), .expired, by: policy, at: Self.now)
        let first = changes.flush(into: BatchID(5), by: policy, at: Self.now)
        #expect(first.map(\.change.message) == [Self.message(2), Self.message(2), Self.message(1)])
        #expect(first.map(\.change.state) == [.overdue, .received, .accepted])
        changes.note(Self.message(1), .dead, by: policy, at: Self.now)
        changes.committed(upTo: BatchID(4))
        #expect(changes.isSettling(Self.message(1)) && changes.isSettling(Self.message(2)))
        changes.committed(upTo: BatchID(5))
        #expect(!changes.isSettling(Self.message(1)) && !changes.isSettling(Self.message(2)))
        let second = changes.flush(into: BatchID(6), by: policy, at: OutboxBench.moment(60))
        #expect(second.isEmpty)
    }

    @Test("what the store refuses for good, and only that, may be told it again")
    func whatTheStoreRefusesForGoodMayBeToldAgain() {
        var changes = OutboxChanges()
        changes.note(Self.message(1), .accepted, by: policy, at: Self.now)
        _ = changes.flush(into: BatchID(1), by: policy, at: Self.now)
        changes.note(Self.message(2), .accepted, by: policy, at: Self.now)
        changes.setAside(BatchID(1))
        #expect(!changes.isSettling(Self.message(1)) && changes.isSettling(Self.message(2)))
    }

    @Test("at the limit an end is not taken: its message stays open in the store")
    func atTheLimitAnEndIsNotTaken() {
        var changes = OutboxChanges()
        for number in 1...10 { changes.note(Self.message(number), .accepted, by: policy, at: Self.now) }
        #expect(changes.hasRoomForPage(policy))
        for number in 11...20 { changes.note(Self.message(number), .accepted, by: policy, at: Self.now) }
        #expect(!changes.hasRoomForPage(policy))
        changes.note(Self.message(21), .accepted, by: policy, at: Self.now)
        #expect(changes.waiting.count == 20 && changes.settling.count == 20)
        #expect(changes.isSettling(Self.message(20)) && !changes.isSettling(Self.message(21)))
        // What is on its way counts as well, until the store has it.
        _ = changes.flush(into: BatchID(1), by: policy, at: Self.now)
        changes.note(Self.message(22), .accepted, by: policy, at: Self.now)
        #expect(changes.waiting.isEmpty)
        changes.committed(upTo: BatchID(1))
        changes.note(Self.message(22), .accepted, by: policy, at: Self.now)
        #expect(changes.waiting.count == 1)
    }

    @Test("while the store fails, alarms that ended beyond the limit are sent again after it and none is lost")
    func whileTheStoreFailsNoAlarmIsLost() {
        var bench = OutboxBench(policy: policy)
        bench.open(OutboxBench.house(phones: 0, legacy: 1))
        bench.outbox.storeFailed()
        var sent: [MessageID] = []
        for _ in 1...50 {
            bench.post([OutboxBench.event(.alarm)])
            let entries = bench.sendAll()
            bench.accept(entries)
            sent += entries.map(\.message)
        }
        #expect(sent.count == 50)
        #expect(bench.outbox.changes.waiting.count == 20 && bench.outbox.changes.settling.count == 20)
        bench.pass(600)
        #expect(bench.outbox.changes.waiting.count == 20)
        bench.outbox.storeRecovered()
        bench.commit()
        bench.pass(60)
        bench.restart(boot: "00000002")
        var again: [MessageID] = []
        for _ in 1...100 {
            let entries = bench.sendAll()
            bench.accept(entries)
            again += entries.map(\.message)
            bench.pass(1)
        }
        #expect(again.sorted() == sent[20...].sorted())
        #expect(bench.rows.allSatisfy { $0.message.state == .accepted })
    }

    @Test("while the store fails and half of the room is taken, nothing is read that may end at once")
    func whileHalfOfTheRoomIsTakenNothingIsRead() {
        var bench = OutboxBench(policy: policy)
        bench.book = OutboxBench.house(phones: 0, legacy: 1)
        bench.outbox.update(bench.book, channels: [.ccs], at: bench.now)
        bench.outbox.storeFailed()
        for number in 1...11 { bench.outbox.received(MessageID("00000000-\(number)"), at: bench.now) }
        bench.ask()
        #expect(bench.query == nil)
        bench.outbox.storeRecovered()
        let written = bench.outbox.flush(into: BatchID(1), at: bench.now)
        #expect(written.count == 11)
        bench.outbox.committed(upTo: BatchID(1)) { _, _ in nil }
        bench.ask()
        #expect(bench.query != nil)
    }
}
