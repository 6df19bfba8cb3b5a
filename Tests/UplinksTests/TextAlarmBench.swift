import AlarmModel
import Testing
import Uplinks

/// Alarms that wait, and a clock that only the test moves.
struct TextAlarmBench {
    var alarm: TextAlarm
    var seconds = 0
    var actions: [TextAlarmAction] = []

    init(
        numbers: [String] = ["+1"], title: String = "", ready: Bool = true, patience: Duration = .minutes(5),
        unless: TextAlarmSettings.Unless = .taken
    ) {
        let settings = TextAlarmSettings(numbers: numbers, patience: patience, unless: unless, title: title)
        alarm = TextAlarm(settings: settings, firstID: TextID(1), at: ModemBench.moment(0))
        if ready { alarm.ready(true, at: now, into: &actions) }
    }

    var now: Moment { ModemBench.moment(seconds) }
    var texts: [TextMessage] {
        actions.compactMap { if case .sendText(let message) = $0 { message } else { nil } }
    }
    var notes: [TextAlarmNote] {
        actions.compactMap { if case .note(let note, _) = $0 { note } else { nil } }
    }

    mutating func waits(_ id: UInt64, _ words: String, duress: Bool = false) {
        actions = []
        alarm.alarmWaits(WaitingAlarmID(id), words: words, isDuress: duress, since: now.boot, at: now, into: &actions)
    }
    mutating func delivered(_ id: UInt64) {
        actions = []
        alarm.delivered(WaitingAlarmID(id), at: now, into: &actions)
    }
    mutating func taken(_ id: UInt64) {
        actions = []
        alarm.taken(WaitingAlarmID(id), until: now.boot + .seconds(60), at: now, into: &actions)
    }
    mutating func confirmed(_ numbers: ClosedRange<Int64>, as word: AlarmWord = .receipt) {
        actions = []
        let range = SequenceNumber(numbers.lowerBound)...SequenceNumber(numbers.upperBound)
        alarm.confirmed(range, as: word, at: now, into: &actions)
    }
    mutating func unaccepted(_ id: UInt64, _ isUnaccepted: Bool = true) {
        actions = []
        alarm.unaccepted([WaitingAlarmID(id)], isUnaccepted, at: now, into: &actions)
    }
    mutating func cameBack(_ id: UInt64) {
        actions = []
        alarm.cameBack(WaitingAlarmID(id), at: now, into: &actions)
    }
    mutating func ready(_ isReady: Bool) {
        actions = []
        alarm.ready(isReady, at: now, into: &actions)
    }
    mutating func sent(_ id: UInt64) {
        actions = []
        alarm.sent(TextID(id), at: now, into: &actions)
    }
    mutating func failed(_ id: UInt64) {
        actions = []
        alarm.failed(TextID(id), why: ModemFailure(.other, "no credit"), at: now, into: &actions)
    }
    /// Lets time pass by the timer's own deadlines, and by nothing else.
    mutating func pass(_ span: Int) {
        actions = []
        let end = seconds + span
        var rounds = 0
        while let due = alarm.nextDeadline, due <= ModemBench.moment(end).boot {
            seconds = max(seconds, Int((due.nanoseconds + 999_999_999) / 1_000_000_000))
            alarm.timerFired(at: now, into: &actions)
            rounds += 1
            if rounds > 1000 {
                Issue.record("the timer is due for ever")
                break
            }
        }
        seconds = end
    }
}
