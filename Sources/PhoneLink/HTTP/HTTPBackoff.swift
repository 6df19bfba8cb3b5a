import AlarmModel

/// How long to wait before the next attempt: for ever, with full jitter, never in a tight loop.
package struct HTTPBackoff: Codable, Hashable, Sendable {
    package struct Settings: Codable, Hashable, Sendable {
        package var minimum = Duration.seconds(1)
        package var maximum = Duration.seconds(60)
        /// Instead of `maximum` while an alarm or a fault waits.
        package var urgentMaximum = Duration.seconds(5)
        /// After a refusal that only a person can change; doubles up to the maximum.
        package var refusedMinimum = Duration.minutes(5)
        package var refusedMaximum = Duration.hours(1)
        package init() {}
    }

    package var settings: Settings
    private var jitter: Jitter
    private var attempts = 0
    private var refusals = 0

    package init(settings: Settings = Settings(), seed: UInt64) {
        self.settings = settings
        jitter = Jitter(seed: seed)
    }

    /// - Parameter isRefusal: only a person can change it
    package mutating func delay(isRefusal: Bool = false, isUrgent: Bool = false) -> Duration {
        if isRefusal {
            let span = Self.doubled(
                settings.refusedMinimum, times: isUrgent ? 0 : refusals,
                limit: max(settings.refusedMaximum, settings.refusedMinimum))
            // Any maximum has been reached long before.
            refusals = min(refusals + 1, 40)
            return span
        }
        let limit = isUrgent ? min(settings.urgentMaximum, settings.maximum) : settings.maximum
        let span = Self.doubled(settings.minimum, times: attempts, limit: limit)
        attempts = min(attempts + 1, 40)
        return span > .zero ? jitter.duration(in: .zero..<span) : .zero
    }

    /// It works: the next trouble begins anew.
    package mutating func reset() {
        attempts = 0
        refusals = 0
    }

    private static func doubled(_ base: Duration, times: Int, limit: Duration) -> Duration {
        var span = min(base, limit)
        for _ in 0..<times where span < limit { span = min(span * 2, limit) }
        return span
    }
}
