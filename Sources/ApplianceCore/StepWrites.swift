import AlarmModel

/// What one step of the core wants stored; it becomes one batch when the step ends.
struct StepWrites: Codable, Hashable, Sendable {
    var events: [Event] = []
    var ledger: [LedgerRow] = []
    var retention: RetentionStep?
    var continuations: [Continuation.Step] = []
}
