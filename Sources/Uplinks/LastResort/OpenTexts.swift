package import AlarmModel

/// Texts that have left and that nobody at their number has answered: what an "ok" is about. In memory only.
package struct OpenTexts: Codable, Equatable, Sendable {
    /// A later answer is about nothing.
    package static let span = Duration.hours(24)
    /// Of more rounds the earliest are forgotten.
    package static let capacity = 16

    private struct Round: Codable, Equatable, Sendable {
        let alarms: [WaitingAlarmID]
        /// Of the last alarm in the journal, once it is there.
        var last: SequenceNumber?
        /// Which have not answered.
        var numbers: [String]
        var lastSent: BootTime
    }

    private var rounds: [Round] = []

    package init() {}

    /// A text leaves.
    package mutating func sent(
        to number: String, about alarms: [WaitingAlarmID], upTo last: SequenceNumber?, at now: BootTime
    ) {
        if let index = rounds.firstIndex(where: { $0.alarms == alarms }) {
            if !rounds[index].numbers.contains(number) { rounds[index].numbers.append(number) }
            rounds[index].last = [rounds[index].last, last].compactMap { $0 }.max()
            rounds[index].lastSent = now
        } else {
            rounds.append(Round(alarms: alarms, last: last, numbers: [number], lastSent: now))
            if rounds.count > Self.capacity { rounds.removeFirst() }
        }
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
        rounds.removeAll { $0.lastSent + Self.span <= now }
        let meant = rounds.filter { $0.numbers.contains(number) }
        for index in rounds.indices { rounds[index].numbers.removeAll { $0 == number } }
        rounds.removeAll { $0.numbers.isEmpty }
        return meant.isEmpty ? nil : (meant.flatMap(\.alarms), meant.compactMap(\.last).max())
    }
}
