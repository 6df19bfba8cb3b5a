import AlarmModel
import PhoneProtocol

/// What the world remembers of alarms and texts, to hold the promises about text messages against.
struct TextChecks: Sendable {
    struct Alarm: Equatable, Sendable {
        var mark: UnstoredMark?
        var messages: [MessageID]
        /// Since when it waits, as the daemon of this run knows it: not before, as far as its date tells, …
        var since: BootTime
        /// … and not after: then its batch left.
        var sinceAtLatest: BootTime
        /// A phone has said that it has it, or a person has seen it, as far as the core listened: it needs no text, and
        /// may cause one.
        var mayBeConfirmed = false
        /// It is of an earlier run.
        var isOld = false
        var isTexted = false
        var words: String
    }

    struct Receiver: Equatable, Sendable {
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
    private(set) var readySince: BootTime?

    /// The daemon starts: what the disk still holds for somebody waits anew.
    /// - Parameter waiting: the messages of each event
    mutating func restarted(_ waiting: [[MessageID]], at now: BootTime) {
        let all = count
        self = TextChecks()
        count = all
        open = waiting.map {
            Alarm(mark: nil, messages: $0, since: now, sinceAtLatest: now, isOld: true, words: "old")
        }
    }

    /// A batch leaves the core.
    /// - Parameter made: when the core made an event at the earliest; the batch may leave later
    mutating func ordered(_ batch: Batch, at now: BootTime, made: (Event) -> BootTime) {
        for (index, event) in batch.events.enumerated()
        where event.priority == .alarm && !event.flags.contains(.maintenance) && !event.flags.contains(.duress) {
            let messages = batch.outbox.filter { $0.event == index }.map(\.message)
            let known = open.firstIndex { alarm in
                alarm.mark != nil && alarm.mark == event.unstored || alarm.messages.contains { messages.contains($0) }
            }
            if let known {
                open[known].messages += messages
            } else if event.unstored.map({ marks.insert($0).inserted }) ?? true {
                open.append(
                    Alarm(
                        mark: event.unstored, messages: messages, since: made(event), sinceAtLatest: now,
                        words: event.message))
            }
        }
        for change in batch.outboxChanges {
            switch change.state {
            case .accepted, .received, .seen, .overdue: delivered(change.message)
            case .waiting, .dead, .expired, .spared: break
            }
        }
    }

    /// The core hears from the push service, which is the only channel in houses with a modem. That it has taken an alarm again
    /// which is overdue already changes nothing on the disk, and makes a text needless all the same.
    mutating func heard(_ bytes: [UInt8]) {
        guard !open.isEmpty, bytes.starts(with: "<message".utf8) else { return }
        let words = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).dropFirst().dropLast()
        guard words.contains(where: { $0.elementsEqual("ack".utf8) }) else { return }
        open.removeAll { alarm in
            alarm.messages.contains { message in words.contains { $0.elementsEqual(message.text.utf8) } }
        }
    }

    /// The core opens what a phone says: which alarms it has, or that a person has seen them.
    mutating func heard(_ message: PhoneMessage, _ disk: SimulatedDisk, log: String) {
        guard open.contains(where: { !$0.mayBeConfirmed }) else { return }
        switch message {
        case .command(let command): if command.verb == "seen" { confirmed { _ in true } }
        case .request(let request):
            if let mark = request.arguments["u"] { confirmed { $0.mark?.text == mark } }
            guard request.arguments["log"] == log else { return }
            let numbers = (request.arguments["seq"]?.split(separator: ",") ?? []).compactMap { Int64($0) }
            switch request.verb {
            case "ping": confirmed { Self.number(of: $0, disk).map { $0 <= numbers.first ?? 0 } ?? false }
            case "got": confirmed { Self.number(of: $0, disk).map { numbers.contains($0) } ?? false }
            default: break
            }
        }
    }

    /// In the journal.
    private static func number(of alarm: Alarm, _ disk: SimulatedDisk) -> Int64? {
        let (messages, rows) = (disk.phones.messages, disk.rows)
        let index = messages.indices.last { alarm.messages.contains(messages[$0].row.message) }
        if let index { return messages[index].number }
        guard let mark = alarm.mark else { return nil }
        return rows.indices.last { rows[$0].event.unstored == mark }.map { rows[$0].seq.number }
    }

    private mutating func confirmed(_ isMeant: (Alarm) -> Bool) {
        for index in open.indices where !open[index].mayBeConfirmed && isMeant(open[index]) {
            open[index].mayBeConfirmed = true
        }
    }

    /// In a call about some of them.
    mutating func keyPressed() { confirmed { _ in true } }

    /// By a number that got a text about some of them.
    mutating func answeredOK() { confirmed { $0.isTexted } }

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

    mutating func setReady(_ isReady: Bool, at now: BootTime) { readySince = isReady ? readySince ?? now : nil }

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
