import AlarmModel
import PhoneProtocol

/// What the world remembers of alarms and texts, to hold the promises about text messages against. The numbers of simulated
/// houses are nobody's: no phone's word ends texts to them.
struct TextChecks: Sendable {
    struct Alarm: Equatable, Sendable {
        var mark: UnstoredMark?
        var messages: [MessageID]
        /// Since when it waits, as the daemon of this run knows it: not before, as far as its date tells, …
        var since: BootTime
        /// … and not after: then its batch left.
        var sinceAtLatest: BootTime
        /// A phone has said that it has it, perhaps before its service did, or somebody has heard a call or answered a text:
        /// it needs no text, and may cause one.
        var mayBeConfirmed = false
        /// It is of an earlier run.
        var isOld = false
        /// Numbers that a text about it has left for.
        var textedTo: [String] = []
        var words: String
    }

    /// Telephone number that has rounds of its own.
    struct Receiver: Equatable, Sendable {
        var number: String
        /// Of the round under way.
        var text = ""
        var tries = 0
        var roundAt: BootTime?
        var lastAt: BootTime?
        var rounds = 0
        var isSent = false
        /// Text that has no answer yet.
        var underWay: TextID?
    }

    /// Alarms of this run that nobody has got, as far as the world can see.
    private(set) var open: [Alarm] = []
    /// Alarms that were taken once: a batch that the disk refused comes again.
    private var marks: Set<UnstoredMark> = []
    private var receivers: [Receiver] = []
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

    /// The core opens what a phone says: which alarms it has.
    mutating func heard(_ message: PhoneMessage, _ disk: SimulatedDisk, log: String) {
        guard open.contains(where: { !$0.mayBeConfirmed }) else { return }
        switch message {
        case .command: break
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
    mutating func answeredOK() { confirmed { !$0.textedTo.isEmpty } }

    mutating func delivered(_ message: MessageID) { open.removeAll { $0.messages.contains(message) } }

    func receiver(at number: String) -> Receiver {
        receivers.first { $0.number == number } ?? Receiver(number: number)
    }

    /// The next text to this number that is not another try begins a round: why it may not; nil when it may.
    mutating func leaves(_ message: TextMessage, at now: BootTime, gap: Duration, pause: Duration) -> String? {
        count += 1
        var receiver = receiver(at: message.number)
        defer {
            receivers.removeAll { $0.number == message.number }
            receivers.append(receiver)
        }
        let before = receiver
        receiver.lastAt = now
        receiver.underWay = message.id
        guard message.text != before.text || before.isSent || before.tries >= 3 else {
            receiver.tries += 1
            guard let last = before.lastAt, now - last < pause else { return nil }
            return "another try \(now - last) after the last"
        }
        // A refused text reached nobody: such a round is none of the day's.
        if before.roundAt != nil, before.underWay == nil, !before.isSent { receiver.rounds -= 1 }
        receiver.text = message.text
        (receiver.tries, receiver.roundAt, receiver.isSent) = (1, now, false)
        receiver.rounds += 1
        if receiver.rounds > 10 { return "round \(receiver.rounds) within a day" }
        guard let round = before.roundAt, now - round < gap else { return nil }
        return "a round \(now - round) after the last"
    }

    mutating func setReady(_ isReady: Bool, at now: BootTime) { readySince = isReady ? readySince ?? now : nil }

    mutating func answered(_ id: TextID, isSent: Bool) {
        guard let place = receivers.firstIndex(where: { $0.underWay == id }) else { return }
        receivers[place].underWay = nil
        receivers[place].isSent = isSent
    }

    /// All that are due share the text.
    mutating func texted(_ number: String, _ isDue: (Alarm) -> Bool) {
        for index in open.indices where isDue(open[index]) { open[index].textedTo.append(number) }
    }
}
