import AlarmModel
import Glibc
import Platform
import Synchronization
import Testing

@Suite struct WorkerThreadTests {
    /// Not Sendable on purpose: it lives on the worker's thread.
    final class Ledger {
        var numbers: [Int] = []
    }

    @Test("jobs run in order on one thread with its state, and results come back in order")
    func jobsRunInOrderOnOneThreadWithItsState() throws {
        let loop = try EventLoop()
        let worker = try WorkerThread<Ledger>("ledger", on: loop) { Ledger() }
        var results: [Int] = []
        for number in 0..<500 {
            worker.submit(
                { ledger in
                    ledger.numbers.append(number)
                    return ledger.numbers.count
                },
                then: { count in
                    results.append(count)
                    if count == 500 { loop.stop() }
                })
        }
        #expect(worker.pendingCount == 500)
        #expect(loop.runBounded())
        #expect(results == Array(1...500))
        var numbers: [Int] = []
        worker.submit({ $0.numbers }, then: { numbers = $0 })
        #expect(worker.stop(within: .patience))
        #expect(numbers == Array(0..<500))
        #expect(worker.busySince == nil)
    }

    @Test("how long a job has been running is seen from the loop, and stop gives up at its deadline")
    func howLongAJobHasBeenRunningIsSeenFromTheLoop() throws {
        let gate = Gate()
        let loop = try EventLoop()
        let worker = try WorkerThread<Int>("stalled", on: loop) { 0 }
        worker.submit({ _ in gate.wait() }, then: { _ in })
        let start = SystemClock.bootTime()
        while worker.busySince == nil, SystemClock.bootTime() - start < .seconds(5) { usleep(1000) }
        let since = try #require(worker.busySince)
        #expect(since >= start - .milliseconds(100) && since <= SystemClock.bootTime())
        #expect(!worker.stop(within: .milliseconds(50)))
        gate.open()
    }

    @Test("the state is destroyed before stop returns")
    func theStateIsDestroyedBeforeStopReturns() throws {
        final class Witness: Sendable {
            let isGone = Mutex(false)
        }
        final class Resource {
            let witness: Witness
            init(_ witness: Witness) { self.witness = witness }
            deinit { witness.isGone.withLock { $0 = true } }
        }
        let witness = Witness()
        let loop = try EventLoop()
        let worker = try WorkerThread<Resource>("resource", on: loop) { Resource(witness) }
        #expect(worker.stop(within: .patience))
        #expect(witness.isGone.withLock { $0 })
    }

    private final class Gate: Sendable {
        private let isOpen = Mutex(false)
        func open() { isOpen.withLock { $0 = true } }
        func wait() { while !isOpen.withLock({ $0 }) { usleep(1000) } }
    }
}
