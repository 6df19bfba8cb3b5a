package import AlarmModel

/// How long to wait before the next attempt: for ever, with full jitter, never in a tight loop (docs/push.md
/// A.15).
package struct ReconnectPace: Codable, Equatable, Sendable {
    package var minimum = Duration.seconds(1)
    package var maximum = Duration.seconds(60)
    /// Instead of `maximum` while an alarm or a fault waits.
    package var urgentMaximum = Duration.seconds(5)
    /// After a refusal that only a person can change; doubles up to the maximum.
    package var refusedWait = Duration.minutes(5)
    package var refusedMaximum = Duration.hours(1)

    package init() {}
}

/// The attempts that were in vain since the last good one.
package struct ReconnectTries: Codable, Equatable, Sendable {
    private var failures = 0
    private var refusals = 0
    /// The waits have reached any maximum long before.
    private static let countLimit = 40

    package init() {}

    /// The wait after one more attempt in vain.
    package mutating func delay(
        isRefusal: Bool, isUrgent: Bool, pace: ReconnectPace, jitter: inout Jitter
    ) -> Duration {
        if isRefusal {
            let limit = max(pace.refusedMaximum, pace.refusedWait)
            let span = Self.doubled(pace.refusedWait, times: isUrgent ? 0 : refusals, limit: limit)
            refusals = min(refusals + 1, Self.countLimit)
            return span
        }
        let limit = isUrgent ? min(pace.urgentMaximum, pace.maximum) : pace.maximum
        let span = Self.doubled(pace.minimum, times: failures, limit: limit)
        failures = min(failures + 1, Self.countLimit)
        return span > .zero ? jitter.duration(in: .zero..<span) : .zero
    }

    package mutating func reset() { self = ReconnectTries() }

    private static func doubled(_ base: Duration, times: Int, limit: Duration) -> Duration {
        var span = min(base, limit)
        for _ in 0..<times where span < limit { span = min(span * 2, limit) }
        return span
    }
}
