import AlarmModel
import Glibc
import Synchronization

/// What a worker thread and the loop share: the jobs, and what the thread is doing.
final class WorkerQueue<State>: Sendable {
    typealias Job = @Sendable (inout State) -> Void

    private struct Content {
        var jobs: [Job] = []
        var isFinishing = false
        var busySince: BootTime?
    }

    private let content = Mutex(Content())
    /// Rung when there is something to look at.
    private let bell: Descriptor
    /// Readable once the thread has ended and its state is destroyed.
    let ended: Descriptor

    init(bell: Descriptor, ended: Descriptor) {
        self.bell = bell
        self.ended = ended
    }

    var busySince: BootTime? { content.withLock { $0.busySince } }

    func append(_ job: @escaping Job) {
        content.withLock { $0.jobs.append(job) }
        Self.ring(bell)
    }

    /// The thread ends after the jobs that are queued.
    func finish() {
        content.withLock { $0.isFinishing = true }
        Self.ring(bell)
    }

    /// The life of the thread. `done` is called after each job.
    func work(_ makeState: () -> State, done: () -> Void) {
        run(makeState, done: done)
        Self.ring(ended)
    }

    private func run(_ makeState: () -> State, done: () -> Void) {
        content.withLock { $0.busySince = SystemClock.bootTime() }
        var state = makeState()
        while let job = next() {
            job(&state)
            done()
        }
    }

    private func next() -> Job? {
        while true {
            let (job, isFinishing) = content.withLock { content -> (Job?, Bool) in
                let job = content.jobs.isEmpty ? nil : content.jobs.removeFirst()
                content.busySince = job == nil ? nil : SystemClock.bootTime()
                return (job, content.isFinishing)
            }
            if let job { return job }
            if isFinishing { return nil }
            var count: UInt64 = 0
            _ = uninterrupted { read(bell.number, &count, 8) }
        }
    }

    private static func ring(_ bell: Descriptor) {
        var one: UInt64 = 1
        _ = uninterrupted { write(bell.number, &one, 8) }
    }
}
