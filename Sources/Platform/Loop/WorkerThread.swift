package import AlarmModel
import CLinux
import Glibc
import Synchronization

/// A thread that runs jobs one after the other, in order: the disk thread, the thread for key derivation.
///
/// `State` is made on the thread, lent to each job and destroyed on the thread; it never leaves it, so it need not be
/// Sendable. Jobs and results cross threads and are. The object itself is confined to the loop's thread.
package final class WorkerThread<State> {
    private let queue: WorkerQueue<State>
    private var completions: [() -> Void] = []
    private var inbox: LoopInbox<Void>?
    private var isStopped = false

    /// - `name`: shown by `top -H`; 15 bytes are kept.
    /// - `makeState`: runs first, on the thread.
    package init(
        _ name: String, on loop: EventLoop, state makeState: @escaping @Sendable () -> State
    ) throws(SystemError) {
        let queue = WorkerQueue<State>(bell: try Self.bell(flags: 0), ended: try Self.bell(flags: 0))
        self.queue = queue
        let inbox = try LoopInbox<Void>(on: loop) { [weak self] _ in self?.completeOne() }
        self.inbox = inbox
        let mailbox = inbox.mailbox
        try NativeThread.start(name) { queue.work(makeState) { mailbox.post(()) } }
    }

    deinit {
        inbox?.close()
        queue.finish()
    }

    /// Queues a job; `then` gets its result on the loop's thread, in the order of the jobs.
    package func submit<Value: Sendable>(
        _ job: @escaping @Sendable (inout State) -> Value, then: @escaping (Value) -> Void
    ) {
        precondition(!isStopped, "no job is given to a worker that was stopped")
        let slot = ResultSlot<Value>()
        completions.append { if let value = slot.take() { then(value) } }
        queue.append { state in slot.put(job(&state)) }
    }

    /// Since when the job that runs now has been running; nil while the thread has nothing to do.
    package var busySince: BootTime? { queue.busySince }

    /// Jobs whose results have not been handed over.
    package var pendingCount: Int { completions.count }

    /// Has the queued jobs done, waits for the thread's end and hands over the results. False when that took longer
    /// than `span`: the thread then goes on by itself and its results are lost.
    package func stop(within span: Duration) -> Bool {
        precondition(!isStopped, "a worker is stopped once")
        isStopped = true
        queue.finish()
        let deadline = SystemClock.bootTime() + span
        let hasEnded = Poll.wait(for: queue.ended.number, events: Int16(POLLIN), until: deadline)
        inbox?.close()
        inbox = nil
        if hasEnded { while !completions.isEmpty { completeOne() } }
        return hasEnded
    }

    private func completeOne() {
        guard !completions.isEmpty else { return }
        completions.removeFirst()()
    }

    private static func bell(flags: Int32) throws(SystemError) -> Descriptor {
        Descriptor(owning: try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC) | flags) })
    }
}

/// Where a job leaves its result for the loop.
private final class ResultSlot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    func put(_ result: Value) { value.withLock { $0 = result } }
    func take() -> Value? {
        value.withLock { value in
            let taken = value
            value = nil
            return taken
        }
    }
}
