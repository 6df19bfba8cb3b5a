import AlarmModel

/// Alarms that somebody has: by a mark, or all of these numbers.
enum ConfirmedAlarms: Codable, Equatable, Sendable {
    case mark(UnstoredMark)
    case numbers(ClosedRange<SequenceNumber>)
}

/// What becomes of an alarm at channels to people.
enum AlarmFate: Codable, Equatable, Sendable {
    /// One of an earlier run waits for everybody.
    case waits(Event, SequenceNumber?)
    /// A phone says itself that it has these, or a person has seen them.
    case confirmed(ConfirmedAlarms)
    /// A service has it, and may send it back until then.
    case taken(Event, SequenceNumber?, until: BootTime?)
    case cameBack(Event, SequenceNumber?)
}
