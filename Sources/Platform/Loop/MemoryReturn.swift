import AlarmModel
import CLinux

/// Gives memory that nobody uses back to the system: large blocks at once, the rest every few minutes, so that what a
/// flood has needed for a moment is not kept for months. Confined to the loop's thread, which it takes some milliseconds
/// for a heap of ten megabytes.
package final class MemoryReturn {
    package static let pause = Duration.minutes(5)

    private let loop: EventLoop
    private let pause: Duration
    private var timer: TimerToken?

    package init(on loop: EventLoop, every pause: Duration = MemoryReturn.pause) {
        self.loop = loop
        self.pause = pause
        ha_return_large_blocks()
        wait()
    }

    package func cancel() {
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    private func wait() {
        timer = loop.setTimer(after: pause) { [weak self] in
            ha_return_memory()
            self?.wait()
        }
    }
}
