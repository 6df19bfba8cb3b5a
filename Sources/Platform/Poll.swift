import AlarmModel
import Glibc

/// Waiting outside the loop, for programs that only ask and for the end of a run.
enum Poll {
    /// False when the deadline came first.
    static func wait(for descriptor: Int32, events: Int16, until deadline: BootTime) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let rest = (deadline - SystemClock.bootTime()).nanoseconds
            // Rounded up, so that the last millisecond is slept and not spun.
            let milliseconds = rest <= 0 ? 0 : Int32(clamping: rest / 1_000_000 + 1)
            let count = poll(&entry, 1, milliseconds)
            if count > 0 { return true }
            if count == 0, milliseconds < Int32.max, SystemClock.bootTime() >= deadline { return false }
        }
    }
}
