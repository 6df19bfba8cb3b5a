/// What the phone's two clocks say while something happens. The library has none: the app brings it with each call.
public struct PhoneTime: Codable, Equatable, Sendable {
    /// Milliseconds on a clock that never steps and counts through sleep (`CLOCK_MONOTONIC_RAW` on Apple's systems,
    /// `elapsedRealtime` on Android). It drives deadlines; it may start anew with the phone, together with a new
    /// `PairedPhone`.
    public var uptime: Int64
    /// Seconds since 1970, as the phone believes.
    public var wall: Int64

    public init(uptime: Int64, wall: Int64) {
        self.uptime = uptime
        self.wall = wall
    }
}
