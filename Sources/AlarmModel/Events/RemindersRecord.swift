/// What the reminders, the schedule and the history by mail keep over a restart: what is due when, what was told, and what
/// is to be armed.
package struct RemindersRecord: Codable, Equatable, Sendable {
    /// A time of day that is waited for; of `history` the one that is not done yet.
    package struct Due: Codable, Equatable, Sendable {
        /// Which of them: `notArmed`, `bypassed`, `autoArm`, `history`, `testAlarm`.
        package var reminder: String
        /// What it was made of: with another setting or time zone it says nothing.
        package var rule: String
        package var at: WallTime

        package init(reminder: String, rule: String, at: WallTime) {
            self.reminder = reminder
            self.rule = rule
            self.at = at
        }
    }

    /// A partition that is armed then, unless somebody declines.
    package struct Arming: Codable, Equatable, Sendable {
        package var partition: Int
        package var at: WallTime

        package init(partition: Int, at: WallTime) {
            self.partition = partition
            self.at = at
        }
    }

    /// The maintenance mode that is on.
    package struct Maintenance: Codable, Equatable, Sendable {
        /// nil: it began while the clock was not known.
        package var since: WallTime?
        /// It was told that it ends soon.
        package var isTold: Bool

        package init(since: WallTime?, isTold: Bool) {
            self.since = since
            self.isTold = isTold
        }
    }

    package var due: [Due]
    /// Of which people were warned.
    package var armings: [Arming]
    /// The schedule that they belong to.
    package var schedule: String?
    /// Partitions that were armed at the warning, with the time at which the schedule would have armed them, ascending by
    /// partition; nil: none.
    package var guarded: [Arming]?
    /// Zones of which it was told that they stand open, ascending.
    package var toldOpen: [Int]
    package var maintenance: Maintenance?
    /// Partitions of which it was told that nobody is home, ascending; nil: none.
    package var toldAbsent: [Int]?

    package init(
        due: [Due] = [], armings: [Arming] = [], schedule: String? = nil, toldOpen: [Int] = [],
        maintenance: Maintenance? = nil, toldAbsent: [Int]? = nil, guarded: [Arming]? = nil
    ) {
        self.due = due
        self.armings = armings
        self.schedule = schedule
        self.toldOpen = toldOpen
        self.maintenance = maintenance
        self.toldAbsent = toldAbsent
        self.guarded = guarded
    }
}
