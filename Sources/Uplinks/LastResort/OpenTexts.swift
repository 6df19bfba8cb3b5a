package import AlarmModel

/// Texts that have left and that nobody at their number has answered: what an "ok" is about. In memory only.
package struct OpenTexts: Codable, Equatable, Sendable {
    /// A later answer is about nothing.
    package static let span = Duration.hours(24)
    /// Rounds kept for a number; the earliest of more are forgotten.
    package static let capacity = 16

    private struct Round: Codable, Equatable, Sendable {
        let number: String
        let alarms: [WaitingAlarmID]
        /// Of the last alarm in the journal, once it is there.
        var last: SequenceNumber?
        var lastSent: BootTime
    }

    private var rounds: [Round] = []

    package init() {}

    /// A text leaves.
    package mutating func sent(
        to number: String, about alarms: [WaitingAlarmID], upTo last: SequenceNumber?, at now: BootTime
    ) {
        if let index = rounds.firstIndex(where: { $0.number == number && $0.alarms == alarms }) {
            rounds[index].last = [rounds[index].last, last].compactMap { $0 }.max()
            rounds[index].lastSent = now
            return
        }
        rounds.append(Round(number: number, alarms: alarms, last: last, lastSent: now))
        let own = rounds.indices.filter { rounds[$0].number == number }
        if own.count > Self.capacity { rounds.remove(at: own[0]) }
    }

    /// The alarm has this number in the journal.
    package mutating func numbered(_ id: WaitingAlarmID, _ number: SequenceNumber) {
        for index in rounds.indices where rounds[index].alarms.contains(id) {
            rounds[index].last = max(rounds[index].last ?? number, number)
        }
    }

    /// This number has answered, which counts once.
    ///
    /// - Returns: the alarms of all texts to it; nil: it got none, or has answered
    package mutating func answered(
        by number: String, at now: BootTime
    ) -> (alarms: [WaitingAlarmID], last: SequenceNumber?)? {
        let meant = rounds.filter { $0.number == number && $0.lastSent + Self.span > now }
        rounds.removeAll { $0.number == number || $0.lastSent + Self.span <= now }
        return meant.isEmpty ? nil : (meant.flatMap(\.alarms), meant.compactMap(\.last).max())
    }
}
