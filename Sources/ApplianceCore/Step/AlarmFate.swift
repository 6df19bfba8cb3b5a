import AlarmModel
import Uplinks

/// Alarms that somebody has: by a mark, or all of these numbers.
enum ConfirmedAlarms: Codable, Equatable, Sendable {
    case mark(UnstoredMark)
    case numbers(ClosedRange<SequenceNumber>)

    func include(_ item: OutboxItem) -> Bool {
        switch self {
        case .mark(let mark): item.event.unstored == mark
        case .numbers(let numbers): item.seq.map { numbers.contains($0) } ?? false
        }
    }
}

/// What becomes of an alarm at channels to people. A person is nil where it is nobody of the phone book.
enum AlarmFate: Codable, Equatable, Sendable {
    /// One of an earlier run waits for this person. `isAccepted`: some service has accepted it for another.
    case waits(Event, SequenceNumber?, for: PersonID?, isAccepted: Bool)
    /// This person's phone says itself that it has these, or the person has seen them; nil: somebody at the box.
    case confirmed(ConfirmedAlarms, by: PersonID?, as: AlarmWord)
    /// A service has it for this person, and may send it back until then.
    case taken(Event, SequenceNumber?, for: PersonID?, until: BootTime?)
    case cameBack(Event, SequenceNumber?, for: PersonID?)
}
