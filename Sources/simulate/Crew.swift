import Glibc
import Simulation

/// Runs seeds on every processor and hands their results out in the order of the seeds, whoever was done first.
final class Crew: @unchecked Sendable {
    // `next` and `done` are touched only while `lock` is held; the rest does not change.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let seeds: Range<UInt64>
    private let work: @Sendable (UInt64) -> SeedRun
    private var next: UInt64
    private var done: [UInt64: SeedRun] = [:]

    init(_ seeds: Range<UInt64>, _ work: @escaping @Sendable (UInt64) -> SeedRun) {
        self.seeds = seeds
        self.work = work
        next = seeds.lowerBound
        pthread_mutex_init(lock, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        changed.deallocate()
        lock.deallocate()
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
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard next < seeds.upperBound else { return nil }
        defer { next += 1 }
        return next
    }

    private func finish(_ seed: UInt64, _ run: SeedRun) {
        pthread_mutex_lock(lock)
        done[seed] = run
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(lock)
    }

    private func wait(for seed: UInt64) -> SeedRun {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let run = done.removeValue(forKey: seed) { return run }
            pthread_cond_wait(changed, lock)
        }
    }
}
