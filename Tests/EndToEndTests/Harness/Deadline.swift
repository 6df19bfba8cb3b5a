import Glibc

extension Duration {
    /// Longest wait for something that must happen, however busy the machine is.
    ///
    /// A wait ends with what it waits for, so that patience costs nothing but the time to a failure. A time that a page
    /// promises is asserted at twice the figure.
    static let patience = Duration.seconds(120)
}

/// A bounded wait for something that another process does.
struct Deadline {
    private let end: ContinuousClock.Instant

    init(_ span: Duration) { end = ContinuousClock.now + span }

    var isOver: Bool { ContinuousClock.now >= end }
    /// For poll(2); at least 1.
    var milliseconds: Int32 {
        let left = (end - ContinuousClock.now).components
        return Int32(clamping: max(1, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000))
    }

    /// Looks every few milliseconds, less often the longer it takes: a look may be a process, and others need the
    /// processor for what is waited for. False when it did not come about in time.
    static func wait(_ span: Duration, until isDone: () throws -> Bool) rethrows -> Bool {
        let deadline = Deadline(span)
        var pause: UInt32 = 5000
        while try !isDone() {
            if deadline.isOver { return false }
            usleep(pause)
            pause = min(pause + pause / 8, 40_000)
        }
        return true
    }
}
