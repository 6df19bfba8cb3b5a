package import AlarmModel

/// Decides what wall time is worth (DESIGN 6): never earlier than the newest journal entry and the build, and trusted
/// only while it is synchronised, did not step back and did not leap.
package struct ClockTrust: Codable, Hashable, Sendable {
    /// Why the wall time is not trusted.
    package enum Doubt: String, Codable, Hashable, Sendable {
        case unsynchronised
        /// It stepped back, or is behind what was written before; over once it has passed that.
        case behind
        /// It went ahead by more than a month at once; over when it comes back or is synchronised anew.
        case leapt
    }

    private var floor: WallTime
    /// The newest moment that was trusted: where the wall clock should be is told from here by the boot clock.
    private var believed: Moment?
    private var wasSynchronised = false
    package private(set) var doubt: Doubt? = .unsynchronised

    /// How much the wall clock may fall behind the boot clock before it counts as a step back.
    private static let tolerance: Duration = .seconds(5)
    /// Not taken for true, or one wrong answer of a time server would date the journal years ahead for good.
    private static let leap: Duration = .hours(24 * 31)

    package init(floor: WallTime = WallTime(milliseconds: 0)) { self.floor = floor }

    package var isTrusted: Bool { doubt == nil }

    /// The moment as the core uses it.
    package mutating func refine(_ raw: Moment) -> Moment {
        if raw.isWallTrusted, !wasSynchronised { believed = nil }
        wasSynchronised = raw.isWallTrusted
        var expected = believed.map { $0.wall + (raw.boot - $0.boot) }
        if let time = expected, raw.wall < time + (.zero - Self.tolerance) {
            floor = max(floor, time)
            believed = nil
            expected = nil
        }
        let leaptFrom = expected.flatMap { raw.wall - $0 > Self.leap ? $0 : nil }
        doubt =
            if !raw.isWallTrusted {
                .unsynchronised
            } else if leaptFrom != nil {
                .leapt
            } else if raw.wall < floor {
                .behind
            } else {
                nil
            }
        if doubt == nil {
            believed = raw
            floor = max(floor, raw.wall)
        }
        return Moment(boot: raw.boot, wall: max(leaptFrom ?? raw.wall, floor), isWallTrusted: isTrusted)
    }
}
