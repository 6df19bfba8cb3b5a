package import AlarmModel
import CLinux
import Glibc

/// The one thread on which the core and all descriptors live: epoll for descriptors, one timerfd for all timers.
///
/// Confined to the thread that calls `run()`. Other threads reach it through a `LoopMailbox`.
/// A round is: what epoll reported, timers that are due, what was put off with `later`, then `beforeSleep`.
package final class EventLoop {
    package struct Interest: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let read = Interest(rawValue: 1)
        package static let write = Interest(rawValue: 2)
    }

    /// Called after each round of callbacks, before the loop sleeps: the place to flush what the round produced.
    package var beforeSleep: (() -> Void)?
    /// How often the loop came back from epoll; stands still while nothing happens.
    package private(set) var wakeUps: UInt64 = 0

    /// One buffer for all streams: what was read is copied out of it at once.
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

    private let poller: Descriptor
    private let alarm: Descriptor
    private var armedFor: BootTime?
    private var timers = TimerQueue()
    private var watches: [UInt64: Watch] = [:]
    private var nextWatch: UInt64 = 1
    private var putOff: [() -> Void] = []
    private var isStopping = false
    private static let alarmName: UInt64 = 0
    private static let putOffDepth = 4

    package init() throws(SystemError) {
        poller = Descriptor(owning: try checked("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        alarm = Descriptor(
            owning: try checked("timerfd_create") {
                timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
            })
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = Self.alarmName
        _ = try checked("epoll_ctl") { epoll_ctl(poller.number, EPOLL_CTL_ADD, alarm.number, &event) }
    }

    deinit { readBuffer.deallocate() }

    /// Runs rounds until `stop()`.
    package func run() {
        isStopping = false
        while true {
            fireTimers()
            runPutOff()
            beforeSleep?()
            if isStopping { break }
            sleepAndDispatch()
        }
        runPutOff()
    }

    /// Ends `run()` after the current round.
    package func stop() { isStopping = true }

    /// Calls `work` once, in this round or the next, after the callback that runs now.
    package func later(_ work: @escaping () -> Void) { putOff.append(work) }

    // MARK: Timers

    /// Calls `handler` once, when the boot clock has reached `time`; a time that has passed fires in the next round.
    @discardableResult
    package func setTimer(at time: BootTime, _ handler: @escaping () -> Void) -> TimerToken {
        timers.insert(at: time, handler)
    }

    @discardableResult
    package func setTimer(after span: Duration, _ handler: @escaping () -> Void) -> TimerToken {
        timers.insert(at: SystemClock.bootTime() + span, handler)
    }

    /// Does nothing when the timer has fired already.
    package func cancel(_ token: TimerToken) { timers.remove(token) }

    // MARK: Descriptors

    /// Calls `handler` whenever the descriptor is ready for what `interest` names. An error or a hang-up counts as
    /// ready for everything that is of interest. The descriptor must stay open until the watch is cancelled.
    package func watch(
        _ descriptor: Int32, for interest: Interest, handler: @escaping (Interest) -> Void
    ) throws(SystemError) -> Watch {
        let watch = Watch(loop: self, name: nextWatch, descriptor: descriptor, handler: handler)
        nextWatch += 1
        try control(watch, from: [], to: interest)
        watch.interest = interest
        watches[watch.name] = watch
        return watch
    }

    /// A descriptor without interest leaves epoll, because epoll would go on to report its hang-up.
    func control(_ watch: Watch, from old: Interest, to new: Interest) throws(SystemError) {
        guard old != new else { return }
        var event = epoll_event()
        event.events =
            (new.contains(.read) ? EPOLLIN.rawValue : 0) | (new.contains(.write) ? EPOLLOUT.rawValue : 0)
        event.data.u64 = watch.name
        let operation = old.isEmpty ? EPOLL_CTL_ADD : new.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
        _ = try checked("epoll_ctl") { epoll_ctl(poller.number, operation, watch.descriptor, &event) }
    }

    func forget(_ watch: Watch) { watches[watch.name] = nil }

    // MARK: A round

    private func fireTimers() {
        guard timers.soonest != nil else { return }
        let now = SystemClock.bootTime()
        let limit = timers.limit
        while let handler = timers.takeDue(at: now, setBefore: limit) { handler() }
    }

    /// What is put off while this runs still runs in this round, so that what is encrypted leaves at once; a chain that
    /// does not end waits for the next round.
    private func runPutOff() {
        for _ in 0..<Self.putOffDepth where !putOff.isEmpty {
            let work = putOff
            putOff = []
            for item in work { item() }
        }
    }

    private func sleepAndDispatch() {
        var timeout: Int32 = putOff.isEmpty ? -1 : 0
        if timeout != 0, let soonest = timers.soonest, soonest <= SystemClock.bootTime() { timeout = 0 }
        if timeout != 0 { arm() }
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
            guard let first = events.baseAddress else { return }
            let count = Int(epoll_wait(poller.number, first, 64, timeout))
            precondition(count >= 0 || errno == EINTR, "waiting on our own epoll descriptor works")
            wakeUps += 1
            for index in 0..<max(0, count) { dispatch(events[index]) }
        }
    }

    private func dispatch(_ event: epoll_event) {
        guard event.data.u64 != Self.alarmName else {
            var expirations: UInt64 = 0
            _ = read(alarm.number, &expirations, 8)
            armedFor = nil
            return
        }
        // A watch that was cancelled earlier in this round is not found any more.
        guard let watch = watches[event.data.u64] else { return }
        let failed = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        var ready: Interest = []
        if failed || event.events & EPOLLIN.rawValue != 0 { ready.insert(.read) }
        if failed || event.events & EPOLLOUT.rawValue != 0 { ready.insert(.write) }
        ready.formIntersection(watch.interest)
        if !ready.isEmpty { watch.handler(ready) }
    }

    private func arm() {
        guard timers.soonest != armedFor else { return }
        armedFor = timers.soonest
        var setting = itimerspec()
        if let time = armedFor {
            // All zero would disarm.
            let nanoseconds = max(1, time.nanoseconds)
            setting.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
            setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        }
        let result = timerfd_settime(alarm.number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
        precondition(result == 0, "setting our own timer descriptor works")
    }
}
