import Glibc
import Simulation
import Synchronization

/// Runs seeds on every processor and hands their results out in the order of the seeds, whoever was done first.
final class Crew: Sendable {
    private struct Progress {
        var next: UInt64
        var done: [UInt64: SeedRun] = [:]
    }

    private let progress: Mutex<Progress>
    private let seeds: Range<UInt64>
    private let work: @Sendable (UInt64) -> SeedRun
    /// A byte goes through it for each seed that is done.
    private let bell: (hear: Int32, ring: Int32)

    init(_ seeds: Range<UInt64>, _ work: @escaping @Sendable (UInt64) -> SeedRun) {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "a process that has just started can have a pipe")
        bell = (ends[0], ends[1])
        self.seeds = seeds
        self.work = work
        progress = Mutex(Progress(next: seeds.lowerBound))
    }

    deinit {
        close(bell.hear)
        close(bell.ring)
    }

    static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// - Parameter report: is called in this thread, once per seed, in order
    func run(workers: Int, _ report: (SeedRun) -> Void) {
        let count = min(workers, seeds.count)
        var threads: [pthread_t] = []
        if count > 1 { for _ in 0..<count { if let thread = start() { threads.append(thread) } } }
        for seed in seeds { report(threads.isEmpty ? work(seed) : wait(for: seed)) }
        for thread in threads { pthread_join(thread, nil) }
    }

    private func start() -> pthread_t? {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // As much as a main thread has; a world is a large value.
        pthread_attr_setstacksize(&attributes, 16 << 20)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(&thread, &attributes, Self.main, context.toOpaque())
        guard code == 0 else {
            context.release()
            return nil
        }
        return thread
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        let crew = Unmanaged<Crew>.fromOpaque(context).takeRetainedValue()
        while let seed = crew.take() { crew.finish(seed, crew.work(seed)) }
        return nil
    }

    private func take() -> UInt64? {
        progress.withLock { progress in
            guard progress.next < seeds.upperBound else { return nil }
            defer { progress.next += 1 }
            return progress.next
        }
    }

    private func finish(_ seed: UInt64, _ run: SeedRun) {
        progress.withLock { $0.done[seed] = run }
        var byte: UInt8 = 0
        while write(bell.ring, &byte, 1) < 0, errno == EINTR {}
    }

    private func wait(for seed: UInt64) -> SeedRun {
        while true {
            if let run = progress.withLock({ $0.done.removeValue(forKey: seed) }) { return run }
            var byte: UInt8 = 0
            _ = read(bell.hear, &byte, 1)
        }
    }
}
