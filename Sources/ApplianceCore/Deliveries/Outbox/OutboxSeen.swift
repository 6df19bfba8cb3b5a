package import AlarmModel

/// Alarms that a person has seen.
package enum OutboxSeen: Codable, Equatable, Sendable {
    case event(SequenceNumber)
    case mark(UnstoredMark)
    /// Every alarm up to this number; duress only by its mark, so that nobody in the house can silence it. Of one
    /// person: nobody's word silences anybody else; nil: of everybody, said at the box.
    case alarms(upTo: SequenceNumber, of: PersonID? = nil)
}
