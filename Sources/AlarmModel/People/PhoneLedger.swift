/// The life of one signed command: written when its counter is spent, and again when its outcome is known
/// (docs/pairing.md 7.3). The newest 256 of each phone are kept.
package struct PhoneLedgerRow: Codable, Equatable, Sendable {
    package var phone: PhoneID
    package var counter: UInt64
    /// SHA-256 of the signed bytes.
    package var digest: [UInt8]
    package var time: WallTime
    /// As it goes to the phone; nil while it is only accepted.
    package var result: PhoneResult?

    package init(phone: PhoneID, counter: UInt64, digest: [UInt8], time: WallTime, result: PhoneResult? = nil) {
        self.phone = phone
        self.counter = counter
        self.digest = digest
        self.time = time
        self.result = result
    }

    package static let kept = 256
}

/// The wire's words for an outcome (docs/pairing.md 6, kind 3).
package struct PhoneResult: Codable, Equatable, Sendable {
    package enum Word: String, Codable, Hashable, Sendable, CaseIterable {
        case ok, denied, failed, expired, timeout, pending
    }
    package var out: Word
    /// One of the words of docs/pairing.md 7.4, or of `Reason.wireWord`.
    package var why: String?

    package init(_ out: Word, why: String? = nil) {
        self.out = out
        self.why = why
    }
}

/// What the store knows of a phone's counters when the box starts.
package struct PhoneCounters: Codable, Equatable, Sendable {
    package var phone: PhoneID
    /// Ascending by counter; empty for a phone that was paired and has commanded nothing.
    package var rows: [PhoneLedgerRow]

    package init(phone: PhoneID, rows: [PhoneLedgerRow]) {
        self.phone = phone
        self.rows = rows
    }
}
