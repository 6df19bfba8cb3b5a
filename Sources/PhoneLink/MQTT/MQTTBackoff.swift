import AlarmModel

/// How long to wait before the next attempt: for ever, with full jitter, never in a tight loop.
struct MQTTBackoff: Codable, Hashable, Sendable {
    private var attempts = 0
    private var refusals = 0
    /// The delays have reached any maximum long before.
    private static let countLimit = 40

    mutating func delay(
        isRefusal: Bool, isUrgent: Bool, settings: MQTTSettings, jitter: inout Jitter
    ) -> Duration {
        if isRefusal {
            let limit = max(settings.refusedMaximum, settings.refusedWait)
            let span = Self.doubled(settings.refusedWait, times: isUrgent ? 0 : refusals, limit: limit)
            refusals = min(refusals + 1, Self.countLimit)
            return span
        }
        let limit = isUrgent ? min(settings.urgentMaximum, settings.backoffMaximum) : settings.backoffMaximum
        let span = Self.doubled(settings.backoffMinimum, times: attempts, limit: limit)
        attempts = min(attempts + 1, Self.countLimit)
        return jitter.duration(in: .zero..<span)
    }

    mutating func reset() { self = MQTTBackoff() }

    private static func doubled(_ base: Duration, times: Int, limit: Duration) -> Duration {
        var span = min(base, limit)
        for _ in 0..<times where span < limit { span = min(span * 2, limit) }
        return span
    }
}
