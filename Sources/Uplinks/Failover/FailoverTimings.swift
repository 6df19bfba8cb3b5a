import AlarmModel

/// How often links are probed, and how many answers or silences change what is thought of one.
///
/// With the defaults a black hole takes the active link down at most 5 s + 5 × 3 s = 20 s after it began (the bound that
/// is promised is 30 s), and a hot metered standby costs, with three targets and a name, at most
/// (4320 regular + 4320 + 30 extra passes a month of 30 days) × 1750 bytes = 15.2 MB; while an alarm waits and the standby
/// is dead, its unanswered probes come on top.
package struct FailoverTimings: Codable, Equatable, Sendable {
    /// Between two probings of the link in use.
    package var active: Duration
    /// The same when it is metered and the only link that is configured: nothing could be chosen instead of it.
    package var onlyMetered: Duration
    package var unmeteredStandby: Duration
    package var meteredStandby: Duration
    /// A warm standby, metered or not.
    package var warmStandby: Duration
    /// A link that is suspect, and every standby while the active link is suspect.
    package var suspect: Duration
    /// A metered link while no link is good, or while an alarm waits and it does not answer; unmetered ones are probed as
    /// the active one.
    package var meteredWhileLost: Duration
    /// All probes of one pass are over by then.
    package var probeDeadline: Duration
    /// Good passes in a row until a link counts as up.
    package var passesToComeUp: Int
    /// Failed passes, from a full score, until it counts as down.
    package var failsToGoDown: Int
    /// So long a preferred link must be good before it is used again.
    package var hold: Duration
    /// A link that fails again within this time after it came back flaps: its hold time is doubled.
    package var flapWindow: Duration
    /// The longest hold time of a link that flaps.
    package var holdLimit: Duration
    /// A link that was configured or woken and has not come up by then is told as lost.
    package var patience: Duration
    /// While no link has ever been good, cold links are left asleep so long after the start.
    package var coldPatience: Duration
    /// The counters of the interfaces are read again after so long.
    package var readLinks: Duration

    package init(
        active: Duration = .seconds(5), onlyMetered: Duration = .seconds(60),
        unmeteredStandby: Duration = .seconds(10), meteredStandby: Duration = .minutes(10),
        warmStandby: Duration = .hours(1), suspect: Duration = .seconds(2), meteredWhileLost: Duration = .seconds(10),
        probeDeadline: Duration = .seconds(3), passesToComeUp: Int = 5, failsToGoDown: Int = 5,
        hold: Duration = .seconds(60), flapWindow: Duration = .minutes(10), holdLimit: Duration = .minutes(10),
        patience: Duration = .seconds(60), coldPatience: Duration = .seconds(15), readLinks: Duration = .seconds(60)
    ) {
        self.active = active
        self.onlyMetered = onlyMetered
        self.unmeteredStandby = unmeteredStandby
        self.meteredStandby = meteredStandby
        self.warmStandby = warmStandby
        self.suspect = suspect
        self.meteredWhileLost = meteredWhileLost
        self.probeDeadline = probeDeadline
        self.passesToComeUp = passesToComeUp
        self.failsToGoDown = failsToGoDown
        self.hold = hold
        self.flapWindow = flapWindow
        self.holdLimit = holdLimit
        self.patience = patience
        self.coldPatience = coldPatience
        self.readLinks = readLinks
    }
}
