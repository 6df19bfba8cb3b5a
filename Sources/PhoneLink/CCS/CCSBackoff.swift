import AlarmModel

/// How long to wait before the next attempt: for ever, with full jitter, never in a tight loop (reference fcm-xmpp A.15).
struct CCSBackoff: Codable, Hashable, Sendable {
    private var attempts = 0
    private var refusals = 0
    /// The delays have reached any maximum long before.
    private static let countLimit = 40

    mutating func delay(
        isRefusal: Bool, isUrgent: Bool, settings: CCSSettings, jitter: inout Jitter
    ) -> Duration {
        if isRefusal {
            let maximum = max(settings.refusedMaximum, settings.refusedWait)
            let span = Self.doubled(settings.refusedWait, times: isUrgent ? 0 : refusals, limit: maximum)
            refusals = min(refusals + 1, Self.countLimit)
            return span
        }
        let maximum = isUrgent ? min(settings.urgentMaximum, settings.backoffMaximum) : settings.backoffMaximum
        let span = Self.doubled(settings.backoffMinimum, times: attempts, limit: maximum)
        attempts = min(attempts + 1, Self.countLimit)
        return jitter.duration(in: .zero..<span)
    }

    mutating func reset() { self = CCSBackoff() }

    private static func doubled(_ base: Duration, times: Int, limit: Duration) -> Duration {
        var span = min(base, limit)
        for _ in 0..<times where span < limit { span = min(span * 2, limit) }
        return span
    }
}
