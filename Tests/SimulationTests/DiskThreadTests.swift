import AlarmModel
import Testing

@testable import Simulation

@Suite("The simulated disk thread")
struct DiskThreadTests {
    private static func batch(_ number: UInt64) -> Batch {
        Batch(
            id: BatchID(number),
            events: [
                Event(
                    type: .info, code: "601", raw: "601", message: "x", time: WallTime(milliseconds: 1),
                    isTimeTrusted: true)
            ])
    }

    @Test("what waits behind a transaction that failed is dropped, as the daemon's disk thread does it, and is told so")
    func whatWaitsBehindATransactionThatFailedIsDropped() throws {
        let standpoint = Standpoint(now: .zero, step: 0)
        var thread = DiskThread()
        try thread.order(Self.batch(1), from: standpoint)
        #expect(thread.begin()?.count == 1)
        for number in UInt64(2)...3 { try thread.order(Self.batch(number), from: standpoint) }
        #expect(thread.begin() == nil, "one at a time")
        let failed = thread.end()
        #expect(failed.map(\.id.number) == [1])
        #expect(thread.drop(behind: failed[0]) == BatchID(3))
        #expect(thread.isIdle)
    }

    @Test("a batch that is ordered behind a newer one breaks a promise; behind nothing any may be ordered anew")
    func aBatchThatIsOrderedBehindANewerOneBreaksAPromise() throws {
        let standpoint = Standpoint(now: .zero, step: 0)
        var thread = DiskThread()
        for number in UInt64(1)...2 { try thread.order(Self.batch(number), from: standpoint) }
        #expect { try thread.order(Self.batch(2), from: standpoint) } throws: { error in
            (error as? Violation)?.promise == .batchesKeepTheirOrder
        }
        _ = thread.begin()
        #expect { try thread.order(Self.batch(1), from: standpoint) } throws: { error in
            (error as? Violation)?.promise == .batchesKeepTheirOrder
        }
        _ = thread.end()
        try thread.order(Self.batch(1), from: standpoint)
    }

    @Test("a refused row takes what waits behind it along, and is refused until it comes alone")
    func aRefusedRowTakesWhatWaitsBehindItAlong() throws {
        let world = World(seed: 1, span: .minutes(1))
        world.store.refuseRow()
        func order(_ numbers: ClosedRange<UInt64>) throws {
            for number in numbers { try world.store.order(Self.batch(number), from: world.standpoint) }
        }
        try order(1...1)
        world.startTransaction()
        try order(2...3)
        try world.synced()
        #expect(world.store.thread.isIdle && world.store.disk.rows.isEmpty)
        try order(1...1)
        world.startTransaction()
        try world.synced()
        #expect(world.store.disk.rows.isEmpty, "refused alone: now the core gives it up")
        try order(2...3)
        world.startTransaction()
        try world.synced()
        #expect(world.store.disk.rows.count == 2)
    }
}
