import AlarmModel

/// What waits for a batch to be durable. While the store fails nothing waits.
struct Continuation: Codable, Hashable, Sendable {
    enum Step: Codable, Hashable, Sendable {
        case submit(PanelOrder)
        case replyOutcome(ConnectionID, Outcome)
        case replyMaintenance(ConnectionID, Bool)
    }
    var batch: BatchID
    var step: Step
}
