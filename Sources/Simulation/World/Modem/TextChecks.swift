import AlarmModel

/// What the world remembers of alarms and texts, to hold the promises about text messages against.
struct TextChecks: Sendable {
    struct Alarm: Hashable, Sendable {
        var mark: UnstoredMark?
        var messages: [MessageID]
        /// Since when it waits, as the daemon of this run knows it.
        var since: BootTime
        /// It is of an earlier run.
        var isOld = false
        var isTexted = false
        var words: String
    }

    struct Receiver: Hashable, Sendable {
        var number: String
        /// Of the round under way.
        var tries = 0
        var lastAt: BootTime?
        var isSent = false
    }

    /// Alarms of this run that nobody has got, as far as the world can see.
    private(set) var open: [Alarm] = []
    /// Alarms that were taken once: a batch that the disk refused comes again.
    private var marks: Set<UnstoredMark> = []
    private(set) var roundAt: BootTime?
    private(set) var lastAt: BootTime?
    private(set) var rounds = 0
    private var text = ""
    private var receivers: [Receiver] = []
    /// Of the round under way, without an answer.
    private var underWay: [(id: TextID, number: String)] = []
    /// Texts that left, over all runs.
    private(set) var count = 0
    /// Since when the daemon of this run knows that a text could leave.
    var readySince: BootTime?

    /// The daemon starts: what the disk still holds for somebody waits anew.
    /// - Parameter waiting: the messages of each event
    mutating func restarted(_ waiting: [[MessageID]], at now: BootTime) {
        let all = count
        self = TextChecks()
        count = all
        open = waiting.map { Alarm(mark: nil, messages: $0, since: now, isOld: true, words: "old") }
    }

    /// A batch leaves the core.
    /// - Parameter made: when the core made an event; the batch may leave later
    mutating func ordered(_ batch: Batch, made: (Event) -> BootTime) {
        for (index, event) in batch.events.enumerated()
        where event.priority == .alarm && !event.flags.contains(.maintenance) && !event.flags.contains(.duress) {
            let messages = batch.outbox.filter { $0.event == index }.map(\.message)
            let known = open.firstIndex { alarm in
                alarm.mark != nil && alarm.mark == event.unstored || alarm.messages.contains { messages.contains($0) }
            }
            if let known {
                open[known].messages += messages
            } else if event.unstored.map({ marks.insert($0).inserted }) ?? true {
                open.append(Alarm(mark: event.unstored, messages: messages, since: made(event), words: event.message))
            }
        }
        for change in batch.outboxChanges {
            switch change.state {
            case .accepted, .received, .seen, .overdue: delivered(change.message)
            case .waiting, .dead, .expired, .spared: break
            }
        }
    }

    /// The core hears from the push service, which is the only way in houses with a modem. That it has taken an alarm again
    /// which is overdue already changes nothing on the disk, and makes a text needless all the same.
    mutating func heard(_ bytes: [UInt8]) {
        guard !open.isEmpty, bytes.starts(with: "<message".utf8) else { return }
        let words = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).dropFirst().dropLast()
        guard words.contains(where: { $0.elementsEqual("ack".utf8) }) else { return }
        open.removeAll { alarm in
            alarm.messages.contains { message in words.contains { $0.elementsEqual(message.text.utf8) } }
        }
    }

    mutating func delivered(_ message: MessageID) { open.removeAll { $0.messages.contains(message) } }

    /// The next text to this number that is not another try begins a round: why it may not; nil when it may.
    mutating func leaves(_ message: TextMessage, at now: BootTime, gap: Duration, pause: Duration) -> String? {
        count += 1
        lastAt = now
        let place = receivers.firstIndex { $0.number == message.number }
        let last = place.map { receivers[$0] }
        let isNewRound = message.text != text || (last.map { $0.isSent || $0.tries >= 3 } ?? false)
        // What every number was refused reached nobody: such a round is none of the day's.
        if isNewRound, roundAt != nil, underWay.isEmpty, !receivers.contains(where: \.isSent) { rounds -= 1 }
        if isNewRound { underWay = [] }
        underWay.append((message.id, message.number))
        if isNewRound {
            let before = roundAt
            text = message.text
            roundAt = now
            rounds += 1
            receivers = [Receiver(number: message.number, tries: 1, lastAt: now)]
            if rounds > 10 { return "round \(rounds) within a day" }
            if let before, now - before < gap { return "a round \(now - before) after the last" }
            return nil
        }
        guard let place, let last, let lastAt = last.lastAt else {
            receivers.append(Receiver(number: message.number, tries: 1, lastAt: now))
            return nil
        }
        receivers[place].tries += 1
        receivers[place].lastAt = now
        return now - lastAt < pause ? "another try \(now - lastAt) after the last" : nil
    }

    mutating func answered(_ id: TextID, isSent: Bool) {
        guard let place = underWay.firstIndex(where: { $0.id == id }) else { return }
        let number = underWay.remove(at: place).number
        if let receiver = receivers.firstIndex(where: { $0.number == number }) { receivers[receiver].isSent = isSent }
    }

    /// All that are due share the text.
    mutating func texted(_ isDue: (Alarm) -> Bool) {
        for index in open.indices where isDue(open[index]) { open[index].isTexted = true }
    }
}
