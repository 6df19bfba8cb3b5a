import AlarmModel

/// So many at once, then one per interval (a leaky bucket that keeps one time only).
struct OutboxPace: Codable, Equatable, Sendable {
    /// When the bucket is empty again; nil before the first message.
    private var emptyAt: BootTime?

    /// The earliest time for the next message.
    func ready(burst: Int, interval: Duration) -> BootTime {
        guard let emptyAt else { return .zero }
        return emptyAt - interval * (burst - 1)
    }

    mutating func take(interval: Duration, at now: BootTime) {
        emptyAt = max(now, emptyAt ?? now) + interval
    }

    /// What was taken was not sent after all.
    mutating func giveBack(interval: Duration) {
        if let time = emptyAt { emptyAt = time - interval }
    }
}
