import AlarmModel
import Glibc

/// Waiting outside the loop, for programs that only ask and for the end of a run.
enum Poll {
    /// False when the deadline came first; without one it waits for ever.
    static func wait(for descriptor: Int32, events: Int16, until deadline: BootTime?) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            // Rounded up, so that the last millisecond is slept and not spun.
            let milliseconds = deadline.map { deadline -> Int32 in
                let rest = (deadline - SystemClock.bootTime()).nanoseconds
                return rest <= 0 ? 0 : Int32(clamping: rest / 1_000_000 + 1)
            }
            if poll(&entry, 1, milliseconds ?? -1) > 0 { return true }
            if let deadline, SystemClock.bootTime() >= deadline { return false }
        }
    }
}
