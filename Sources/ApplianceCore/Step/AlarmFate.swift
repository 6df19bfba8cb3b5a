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

/// Fate of an alarm at channels to people. The person is nil where the phone book has none.
enum AlarmFate: Codable, Equatable, Sendable {
    /// An alarm of an earlier run waits for this person. `isAccepted`: some service has accepted it for another.
    case waits(Event, SequenceNumber?, for: PersonID?, isAccepted: Bool)
    /// Word of a person's phone that it has these, or of the person to have seen them; nil: somebody at the box.
    case confirmed(ConfirmedAlarms, by: PersonID?, as: AlarmWord)
    /// A service has it for this person, and may send it back until then.
    case taken(Event, SequenceNumber?, for: PersonID?, until: BootTime?)
    case cameBack(Event, SequenceNumber?, for: PersonID?)
}
