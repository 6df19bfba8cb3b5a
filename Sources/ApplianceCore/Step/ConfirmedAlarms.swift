import AlarmModel

/// Alarms that somebody has: by a mark, or all of these numbers.
enum ConfirmedAlarms: Codable, Hashable, Sendable {
    case mark(UnstoredMark)
    case numbers(ClosedRange<SequenceNumber>)
}
