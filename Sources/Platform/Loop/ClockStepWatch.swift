import CLinux
import Glibc

/// Notices that somebody set the wall clock (a step, not the slewing of a time service). Confined to the loop's thread.
package final class ClockStepWatch {
    private let descriptor: Descriptor
    private var watch: Watch?

    package init(on loop: EventLoop, onStep: @escaping () -> Void) throws(SystemError) {
        descriptor = Descriptor(
            owning: try checked("timerfd_create") {
                timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
            })
        let number = descriptor.number
        try Self.arm(number)
        watch = try loop.watch(number, for: .read) { _ in
            var expirations: UInt64 = 0
            let count = uninterrupted { read(number, &expirations, 8) }
            guard count >= 0 || errno == ECANCELED else { return }
            // Armed anew before the report, so that no step in between is missed.
            try? Self.arm(number)
            onStep()
        }
    }

    package func cancel() {
        watch?.cancel()
        watch = nil
    }

    /// A time that never comes; the kernel cancels the wait when the clock is set.
    private static func arm(_ number: Int32) throws(SystemError) {
        var setting = itimerspec()
        setting.it_value.tv_sec = Int(Int32.max) * 4
        let flags = Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET)
        let result = uninterrupted { timerfd_settime(number, flags, &setting, nil) }
        // ECANCELED: the clock was set meanwhile, which the caller is about to report anyway; the timer is armed.
        guard result == 0 || errno == ECANCELED else { throw .last("timerfd_settime") }
    }
}
