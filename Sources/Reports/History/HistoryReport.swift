import AlarmModel

/// The history of a house, as far as its journal knows it: what both writers show.
package struct HistoryReport: Equatable, Sendable {
    /// A partition, or the house as a whole.
    struct Lane: Equatable, Sendable {
        /// nil: what belongs to no partition.
        var partition: Int?
        var name: String?
        var days: HistoryDays
        var armings = 0
        /// How long it was armed, and how long it is known whether it was.
        var armed = Duration.zero
        var known = Duration.zero
    }

    struct Zone: Equatable, Sendable {
        var number: Int
        var name: String?
        /// Openings by the hour of the day, 24.
        var byHour = Array(repeating: 0, count: 24)
        var opened = 0
        /// The newest line of the panel about its input; nil: none that is known.
        var lastHeard: WallTime?
    }

    /// An outage or a trouble.
    struct Span: Equatable, Sendable {
        var trouble: HistoryTrouble
        var zone: Int?
        var zoneName: String?
        /// Of `link` and `channel`: which.
        var about: EventSubject?
        var since: WallTime
        /// nil: it lasts.
        var until: WallTime?
    }

    struct Sum: Equatable, Sendable {
        var trouble: HistoryTrouble
        /// Of `link` and `channel`: which.
        var about: EventSubject?
        var count = 0
        var total = Duration.zero
        var longest = Duration.zero
    }

    /// Something that the journal tells of without saying of which link, channel or phone by a number.
    struct Count: Equatable, Sendable {
        var words: String
        var count: Int
    }

    /// An alarm or a test, and what became of its messages.
    struct Told: Equatable, Sendable {
        var seq: SequenceNumber
        var time: WallTime
        var isTimeTrusted: Bool
        var message: String
        var isMaintenance: Bool
        var deliveries: [Delivery] = []
    }

    struct Delivery: Equatable, Sendable {
        /// Whom it went to.
        var way: String
        var state: OutboxState
        /// Until it came to this.
        var after: Duration
    }

    /// What became of all messages by one address, duress left out.
    struct Way: Equatable, Sendable {
        var name: String
        var received = 0
        var accepted = 0
        var seen = 0
        var waiting = 0
        var failed = 0
        /// Of those that were received or accepted; nil: none was.
        var average: Duration?
        var longest: Duration?

        var all: Int { received + accepted + seen + waiting + failed }
    }

    struct Doing: Equatable, Sendable {
        var who: String
        var count: Int
    }

    /// The signs of life that somebody took in a month.
    struct Watch: Equatable, Sendable {
        var who: String
        /// `2026-11`, in UTC
        var month: String
        var count: Int
        var longestGap: Duration
    }

    /// What is shown.
    var from: WallTime
    var until: WallTime
    var rules: TimeZoneRules
    /// The oldest event; nil: there is none.
    var journalFrom: WallTime?
    /// Within what is shown.
    var events = 0
    /// Of them with a clock that was not trusted.
    var untrusted = 0
    var isMaintenance = false
    /// The house first, then the partitions.
    var lanes: [Lane] = []
    /// Those that have moved, or have a name.
    var zones: [Zone] = []
    /// Not heard of for `silence`; nil: the journal is too young to say.
    var silent: [Zone]?
    /// In the order of `HistoryTrouble`; what every house has is there also where it never failed.
    var sums: [Sum] = []
    /// The newest ones, oldest first.
    var spans: [Span] = []
    /// Others that are only in `sums`.
    var spansLeftOut = 0
    var counts: [Count] = []
    /// What each link has carried since the month began (UTC), as far as it is counted.
    var usage: [LinkUsage] = []
    /// Oldest first.
    var told: [Told] = []
    var ways: [Way] = []
    /// The newer month first.
    var watched: [Watch] = []
    /// Commands to the box, the most first.
    var commands: [Doing] = []
    /// Arming and disarming at the panel.
    var atPanel: [Doing] = []

    /// A detector from which nothing came for so long may be dead.
    static let silence: Duration = .hours(24 * 30)
    static let mostDays = 366
    static let mostTold = 30
    static let mostSpans = 60
    /// Names of people; whoever comes later is counted as others.
    static let mostPeople = 40
    static let mostWays = 64

    /// Days that are shown, counted as the pictures do.
    var dayCount: Int { lanes.first?.days.count ?? 0 }

    /// How long the journal covers what is shown.
    var covered: Duration {
        guard let journalFrom else { return .zero }
        return max(.zero, until - max(from, journalFrom))
    }

    /// The share of the time in which something was there, in hundredths of a percent; nil: nothing is known. While the
    /// box was stopped it knew of nothing else.
    func share(_ sum: Sum) -> Int? {
        let off = sum.trouble == .box ? .zero : sums.first { $0.trouble == .box }?.total ?? .zero
        let base = covered - off
        guard base > .zero else { return nil }
        return Int(10_000 - min(10_000, sum.total.milliseconds * 10_000 / base.milliseconds))
    }
}
