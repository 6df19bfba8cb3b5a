import AlarmModel

/// A pace with its tries and a generator of its own, for machines that have several.
package struct HTTPBackoff: Codable, Hashable, Sendable {
    package var settings: ReconnectPace
    private var jitter: Jitter
    private var tries = ReconnectTries()

    package init(settings: ReconnectPace = ReconnectPace(), seed: UInt64) {
        self.settings = settings
        jitter = Jitter(seed: seed)
    }

    /// - Parameter isRefusal: only a person can change it
    package mutating func delay(isRefusal: Bool = false, isUrgent: Bool = false) -> Duration {
        tries.delay(isRefusal: isRefusal, isUrgent: isUrgent, pace: settings, jitter: &jitter)
    }

    /// It works: the next trouble begins anew.
    package mutating func reset() { tries.reset() }
}
