package import AlarmModel

/// What opening the journal found.
package struct OpenReport: Codable, Equatable, Sendable {
    package enum Outcome: Codable, Equatable, Sendable {
        /// There was no journal.
        case fresh
        /// `quickCheckCompleted` is false when its time was over: nothing wrong was found as far as it went.
        case opened(quickCheckCompleted: Bool)
        /// The damaged file is kept under this name in the state directory; a new journal was begun, into which so
        /// many events could be taken over. Reported at each start until an event of code `storeDamaged` is committed.
        case damagedSetAside(file: String, why: String, salvagedEvents: Int)

        private enum CodingKeys: String, CodingKey {
            case fresh = "fresh", opened = "opened", damagedSetAside = "damagedSetAside"
        }
    }

    package var outcome: Outcome
    /// Commits were in the write-ahead log that can no longer be read, and why; a copy of the log is kept.
    package var logDamage: String?
    /// The files come from a backup, or from another card: the log number is ahead of the journal's.
    package var isRestored: Bool
    /// The identity of this journal, higher than that of any before.
    package var log: LogNumber
    /// Why `log.number` could not be written, if so.
    package var logNumberProblem: String?
    /// A newer program has written this file; it is used as far as this one knows it.
    package var isSchemaNewer: Bool
    package var lastSequence: SequenceNumber
    /// The latest time among the newest events whose clock was trusted: wall time is never believed to be before it. A
    /// clock that was wrong and not trusted leaves no trace here.
    package var newestTrustedTime: WallTime?
    package var snapshot: Snapshot?
    /// The lock of the serial console, also where the snapshot is ignored or cannot be read.
    package var console: ConsoleRecord?
    /// The mark of the PIN that the SIM card has refused, also then.
    package var refusedPIN: UInt64?
    /// What is known of the host of `updates`, also then.
    package var offer: OfferRecord?
    /// Why there is no snapshot though one was written.
    package var snapshotProblem: String?
    /// Commands that were accepted and have no outcome, ascending.
    package var unfinished: [LedgerRow]
    /// The highest command of the ledger: with the snapshot lost, numbers go on above it.
    package var lastCommand: CommandID?
    /// The number of the oldest event that is kept; when none is, that of the next one.
    package var oldestSequence: SequenceNumber
    /// Messages that are open or were given up; duress is counted nowhere.
    package var outboxCounts: OutboxCounts
    /// Phones whose counter is surely known, ascending. After a restored backup and after lost commits there is none: a
    /// paired phone that is missing here is asked to prove itself anew (docs/pairing.md 7.3).
    package var phoneCounters: [PhoneCounters]
}
