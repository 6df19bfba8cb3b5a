/// A point on the boot clock (CLOCK_BOOTTIME): never steps, counts through suspend, starts anew at each boot.
package struct BootTime: Codable, Equatable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = BootTime(nanoseconds: 0)

    package static func < (a: BootTime, b: BootTime) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (time: BootTime, span: Duration) -> BootTime {
        BootTime(nanoseconds: time.nanoseconds + span.nanoseconds)
    }
    package static func - (time: BootTime, span: Duration) -> BootTime {
        BootTime(nanoseconds: time.nanoseconds - span.nanoseconds)
    }
    package static func - (a: BootTime, b: BootTime) -> Duration { .nanoseconds(a.nanoseconds - b.nanoseconds) }
}

/// A point on the wall clock: milliseconds since 1970-01-01 00:00 UTC.
package struct WallTime: Codable, Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whole seconds since 1970, as the HowAlarming formats carry them.
    package var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1000 : (milliseconds + 1) / 1000 - 1
    }

    package static func < (a: WallTime, b: WallTime) -> Bool { a.milliseconds < b.milliseconds }
    package static func + (time: WallTime, span: Duration) -> WallTime {
        WallTime(milliseconds: time.milliseconds + span.milliseconds)
    }
    package static func - (a: WallTime, b: WallTime) -> Duration { .milliseconds(a.milliseconds - b.milliseconds) }
}

/// What the clocks say while one input is handled.
package struct Moment: Codable, Equatable, Sendable {
    package var boot: BootTime
    package var wall: WallTime
    /// Whether the wall clock may be believed (docs/ARCHITECTURE.md 6: synchronised in this boot and not behind the
    /// journal).
    package var isWallTrusted: Bool

    package init(boot: BootTime, wall: WallTime, isWallTrusted: Bool) {
        self.boot = boot
        self.wall = wall
        self.isWallTrusted = isWallTrusted
    }
}

extension Duration {
    /// Whole nanoseconds; spans beyond ±292 years are cut there.
    package var nanoseconds: Int64 {
        let parts = components
        let (product, overflow) = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return parts.seconds < 0 ? .min : .max }
        let (sum, carried) = product.addingReportingOverflow(parts.attoseconds / 1_000_000_000)
        return carried ? (parts.seconds < 0 ? .min : .max) : sum
    }

    package var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// As people say it: "15 minutes", "24 hours"; rounded up, a minute at least.
    package var words: String {
        let minutes = max(1, (milliseconds + 59_999) / 60_000)
        if minutes < 120 { return minutes == 1 ? "1 minute" : "\(minutes) minutes" }
        return "\((minutes + 59) / 60) hours"
    }

    package static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
    package static func hours(_ count: Int) -> Duration { .seconds(count * 3600) }
}
