import AlarmModel
import Glibc
import Platform
import Synchronization
import Testing

@Suite struct SpoolThreadTests {
    /// What was worked off.
    private final class Work: Sendable {
        let numbers = Mutex<[Int]>([])
        let countAtEnd = Mutex<Int?>(nil)
    }

    private func spool(_ work: Work, limit: Int = 1 << 20, pause: Duration = .zero) throws -> SpoolThread<Int, Int> {
        try SpoolThread("spool", limit: limit, pause: pause) {
            0
        } work: { count, number in
            guard let number else { return work.countAtEnd.withLock { [count] in $0 = count } }
            count += 1
            work.numbers.withLock { $0.append(number) }
        }
    }

    @Test("all that was handed over is worked off in order before the end")
    func allThatWasHandedOverIsWorkedOffInOrder() throws {
        let work = Work()
        let thread = try spool(work)
        for number in 0..<1000 { #expect(thread.post(number, cost: 8)) }
        #expect(thread.stop(within: .patience))
        #expect(work.numbers.withLock { $0 } == Array(0..<1000))
        #expect(work.countAtEnd.withLock { $0 } == 1000)
    }

    @Test("during a pause things gather, and the end cuts it short")
    func duringAPauseThingsGather() throws {
        let work = Work()
        let thread = try spool(work, pause: .hours(1))
        for number in 0..<10 { #expect(thread.post(number, cost: 8)) }
        #expect(work.numbers.withLock { $0.isEmpty })
        #expect(thread.stop(within: .patience))
        #expect(work.numbers.withLock { $0.count } == 10)
    }

    @Test("each thing is let go when it was worked off, not only behind the last that waits with it")
    func eachThingIsLetGo() throws {
        final class Thing: Sendable {
            let alive: Alive
            init(_ alive: Alive) {
                self.alive = alive
                alive.count.withLock { $0 += 1 }
            }
            deinit { alive.count.withLock { $0 -= 1 } }
        }
        final class Alive: Sendable {
            let count = Mutex(0)
            let seen = Mutex<[Int]>([])
        }
        let alive = Alive()
        let thread = try SpoolThread<Int, Thing>("spool", limit: 1 << 20, pause: .hours(1)) {
            0
        } work: { _, thing in
            if thing != nil { alive.seen.withLock { $0.append(alive.count.withLock { $0 }) } }
        }
        for _ in 0..<4 { #expect(thread.post(Thing(alive), cost: 8)) }
        #expect(thread.stop(within: .patience))
        #expect(alive.seen.withLock { $0 } == [4, 3, 2, 1])
    }

    @Test("a quarter of what may wait cuts the pause short; what does not fit is refused")
    func aQuarterOfWhatMayWaitCutsThePauseShort() throws {
        let work = Work()
        let thread = try spool(work, limit: 1 << 20, pause: .hours(1))
        #expect(!thread.post(0, cost: 1 << 20))
        #expect(thread.post(1, cost: 1 << 17))
        #expect(thread.post(2, cost: 1 << 17))
        let end = SystemClock.bootTime() + .seconds(5)
        while work.numbers.withLock({ $0.count }) < 2, SystemClock.bootTime() < end { usleep(1000) }
        #expect(work.numbers.withLock { $0 } == [1, 2])
        #expect(thread.stop(within: .patience))
    }

    @Test("the last thing is taken also where nothing fits any more, and nothing behind it")
    func theLastThingIsTakenAlsoWhereNothingFits() throws {
        let work = Work()
        let thread = try spool(work, limit: 1 << 10, pause: .hours(1))
        #expect(thread.post(1, cost: 128))
        #expect(!thread.post(2, cost: 1 << 10))
        thread.end(with: 3)
        #expect(!thread.post(4, cost: 8))
        #expect(thread.stop(within: .patience))
        #expect(work.numbers.withLock { $0 } == [1, 3])
    }
}
