package import AlarmModel

/// Decides what wall time is worth (DESIGN 6): never earlier than the newest journal entry and the build, and trusted
/// only while it is synchronised and did not step back.
package struct ClockTrust: Codable, Hashable, Sendable {
    private var floor: WallTime
    private var lastRaw: Moment?
    private var steppedBack = false
    package private(set) var isTrusted = false

    /// How much the wall clock may fall behind the boot clock before it counts as a step back.
    private static let tolerance: Duration = .seconds(5)

    package init(floor: WallTime = WallTime(milliseconds: 0)) { self.floor = floor }

    /// The moment as the core uses it.
    package mutating func refine(_ raw: Moment) -> Moment {
        if let last = lastRaw, raw.wall - last.wall < (raw.boot - last.boot) - Self.tolerance { steppedBack = true }
        if let last = lastRaw, raw.isWallTrusted, !last.isWallTrusted { steppedBack = false }
        lastRaw = raw
        if raw.wall >= floor, steppedBack, raw.isWallTrusted, isCaughtUp(raw) { steppedBack = false }
        isTrusted = raw.isWallTrusted && raw.wall >= floor && !steppedBack
        let wall = max(raw.wall, floor)
        if isTrusted { floor = max(floor, raw.wall) }
        return Moment(boot: raw.boot, wall: wall, isWallTrusted: isTrusted)
    }

    /// After a step back the time is good again once it has passed everything that was written with trust.
    private func isCaughtUp(_ raw: Moment) -> Bool { raw.wall > floor }
}
