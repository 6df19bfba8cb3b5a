package import AlarmModel

extension PhonesReport {
    /// Alarms that somebody has not been told of.
    package struct Untold: Codable, Equatable, Sendable {
        /// When the oldest of them happened.
        package var since: WallTime
        package var alarms: Int
        /// The phones, accounts and addresses that have not got them, as their owner calls them.
        package var names: [String]
        package var isNobodyTold: Bool
        /// Until the next try; nil: one is under way.
        package var nextTry: Duration?
        /// What is wrong, in words; nil: nothing is known to be.
        package var why: String?

        package init(
            since: WallTime, alarms: Int, names: [String], isNobodyTold: Bool, nextTry: Duration? = nil,
            why: String? = nil
        ) {
            self.since = since
            self.alarms = alarms
            self.names = names
            self.isNobodyTold = isNobodyTold
            self.nextTry = nextTry
            self.why = why
        }
    }
}
