import Glibc

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

    /// Looks every few milliseconds; false when it did not come about in time.
    static func wait(_ span: Duration, until isDone: () throws -> Bool) rethrows -> Bool {
        let deadline = Deadline(span)
        while try !isDone() {
            if deadline.isOver { return false }
            usleep(5000)
        }
        return true
    }
}
