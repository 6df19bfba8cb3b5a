/// The counters that each transaction carries on.
struct JournalMeta {
    var lastSequence: Int64
    var lastDuress: Int64
    var run: String
    var lastBatch: Int64

    static let selection = "SELECT last_seq, last_duress, run, last_batch FROM meta"

    /// Far beyond what a panel can say in the life of a house: a higher number is damage.
    static let highest: Int64 = 1 << 53

    /// From a row of `selection`; nil when it makes no sense.
    init?(_ row: Statement) {
        guard let sequence = row.integer(0), let duress = row.integer(1), let run = row.text(2),
            let batch = row.integer(3), (0...Self.highest).contains(sequence), (0...Self.highest).contains(duress)
        else { return nil }
        lastSequence = sequence
        lastDuress = duress
        self.run = run
        lastBatch = batch
    }

    static func damage(_ detail: String) -> StoreError {
        StoreError(kind: .corrupt, activity: "reading the journal's counters", detail: detail)
    }
}
