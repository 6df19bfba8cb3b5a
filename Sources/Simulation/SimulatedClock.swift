import AlarmModel

/// The box's system clock, as time servers set it and somebody may forge it; beside it the time as it is, which phones and
/// services have.
struct SimulatedClock: Equatable, Sendable {
    private static let start = WallTime(milliseconds: 1_795_000_000_000)

    /// How far it goes wrong.
    private(set) var offset: Duration = .zero
    var isSynchronised = true

    private(set) var hasJumped = false

    mutating func jump(_ span: Duration) {
        offset += span
        hasJumped = true
    }

    /// As the shell reports it.
    func moment(at now: BootTime) -> Moment {
        Moment(boot: now, wall: Self.time(at: now) + offset, isWallTrusted: isSynchronised)
    }

    static func time(at now: BootTime) -> WallTime { start + (now - .zero) }

    /// What right clocks say.
    static func right(at now: BootTime) -> Moment { Moment(boot: now, wall: time(at: now), isWallTrusted: true) }

    /// How old something is that the core dated: by the system's clock, or by the boot clock where that has leapt. While
    /// the system's clock is behind, the core's stands still, and what it dates is of now.
    func age(since time: WallTime, at now: BootTime) -> Duration {
        let seen = moment(at: now).wall - time
        let right = Self.time(at: now) - time
        return seen > .zero && right >= .zero ? min(seen, right) : max(.zero, seen)
    }

    /// nil when nobody but the core knows by which clock it was dated.
    func age(ofEventAt time: WallTime, at now: BootTime) -> Duration? {
        hasJumped ? nil : Self.time(at: now) - time
    }

    /// When the core made it at the earliest. No batch waits for ten minutes.
    func earliest(_ event: Event, at now: BootTime) -> BootTime {
        now - min(age(ofEventAt: event.time, at: now) ?? .minutes(10), .minutes(10)) - .milliseconds(1)
    }

    /// Servers renewed their certificates a month ago, and will in two.
    static func objection(at time: WallTime, now: BootTime) -> TLSFailure? {
        let right = self.time(at: now)
        if time - right > .hours(24 * 60) { return .certificateExpired }
        return right - time > .hours(24 * 30) ? .certificateNotYetValid : nil
    }
}
