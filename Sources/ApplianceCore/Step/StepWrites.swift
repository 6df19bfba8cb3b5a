import AlarmModel

/// What one step of the core wants stored; it becomes one batch when the step ends.
struct StepWrites: Codable, Equatable, Sendable {
    var events: [Event] = []
    var ledger: [LedgerRow] = []
    var retention: RetentionStep?
    var continuations: [Continuation.Step] = []
    /// Events that are told to phones in another way than their class says.
    var announcements: [Announcement] = []
    /// What events are about, where their code does not say it.
    var subjects: [Subject] = []
    var phoneLedger: [PhoneLedgerRow] = []
    var phoneLedgerOwners: [PhoneLedgerOwner] = []
    /// The phone book has changed.
    var writesPhoneBook = false
    /// The journal gets this log number.
    var newLog: UInt32?
    var outboxChanges: [OutboxChange] = []
    /// The state alone is worth a write.
    var writesState = false

    /// Whether there is something to store.
    var isEmpty: Bool {
        events.isEmpty && ledger.isEmpty && retention == nil && phoneLedger.isEmpty && phoneLedgerOwners.isEmpty
            && !writesPhoneBook && !writesState && newLog == nil && outboxChanges.isEmpty
    }
}

extension StepWrites {
    struct Subject: Codable, Equatable, Sendable {
        /// Index in `events`.
        var event: Int
        var about: EventAbout
    }
}

/// Tells an event to phones, whatever its class.
struct Announcement: Codable, Equatable, Sendable {
    /// Index in `StepWrites.events`.
    var event: Int
    var audience: OutboxAudience
    /// What phones are told instead of the event.
    var picture: PictureReference?
}
