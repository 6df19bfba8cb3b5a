/// The core's own generator for jitter (SplitMix64): seeded by `started`, so that the same inputs give the same effects.
/// Not for secrets.
package struct Jitter: Codable, Equatable, Sendable, RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// A generator with this seed goes on as this one does.
    package var position: UInt64 { state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A span from the half-open range, to the microsecond.
    package mutating func duration(in range: Range<Duration>) -> Duration {
        let low = range.lowerBound.nanoseconds / 1000
        let high = max(low + 1, range.upperBound.nanoseconds / 1000)
        return .microseconds(low + Int64(next() % UInt64(high - low)))
    }
}
