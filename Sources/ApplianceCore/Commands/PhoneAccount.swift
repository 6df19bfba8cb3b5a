import AlarmModel
import PhoneProtocol

/// What the box remembers of one phone's speaking: counters and outcomes (stored), locks and rates (until a restart).
struct PhoneAccount: Codable, Equatable, Sendable {
    let phone: PhoneID
    /// The newest commands, ascending by counter.
    private(set) var rows: [PhoneLedgerRow]
    private(set) var last: UInt64
    /// The ledger was lost while the keys survived: only a challenge proves that a command is new.
    private(set) var isResync: Bool
    private var badSignatures: [BadSignature] = []
    private(set) var lockedUntil: BootTime?
    private var rids: [[UInt8]] = []
    private var commands = Allowance()
    private var requests = Allowance()
    private var repeatAnsweredAt: BootTime?
    private var newestRefused: UInt64 = 0
    var lastHeard: WallTime?

    private struct BadSignature: Codable, Equatable, Sendable {
        var digest: [UInt8]
        var at: BootTime
    }

    static let ridsKept = 64
    static let farAhead: UInt64 = 1_000_000
    static let lockSpan: Duration = .minutes(15)
    static let badSignatureLimit = 5
    /// So many must differ before one of them counts again.
    static let badSignaturesKept = 64
    static let requestsAMinute = 30
    static let commandBurst = 10
    static let repeatPause: Duration = .seconds(10)

    /// nil counters: the store does not know the phone.
    init(phone: PhoneID, counters: PhoneCounters?) {
        self.phone = phone
        rows = counters?.rows ?? []
        last = rows.last?.counter ?? 0
        isResync = counters == nil
    }

    // MARK: Requests

    /// Whether a request is new and there are not too many.
    mutating func takesRequest(_ rid: [UInt8], at now: BootTime) -> Bool {
        guard !rids.contains(rid) else { return false }
        guard requests.take(rate: Self.requestsAMinute, burst: Self.requestsAMinute, at: now) else { return false }
        rids.append(rid)
        if rids.count > Self.ridsKept { rids.removeFirst() }
        return true
    }

    // MARK: Signatures

    /// Notes a bad signature. A repeated one does not count, because anybody can repeat it.
    mutating func noteBadSignature(_ digest: [UInt8], at now: BootTime) -> (isNew: Bool, locks: Bool) {
        // While locked nothing more is gained by writing down each: who holds the phone could fill the journal.
        guard !isLocked(at: now) else { return (false, false) }
        badSignatures.removeAll { now - $0.at > Self.lockSpan }
        guard !badSignatures.contains(where: { $0.digest == digest }) else { return (false, false) }
        badSignatures.append(BadSignature(digest: digest, at: now))
        guard badSignatures.count >= Self.badSignatureLimit else { return (true, false) }
        badSignatures = Array(badSignatures.suffix(Self.badSignaturesKept))
        let wasLocked = isLocked(at: now)
        lockedUntil = now + Self.lockSpan
        return (true, !wasLocked)
    }

    func isLocked(at now: BootTime) -> Bool { lockedUntil.map { now < $0 } ?? false }

    mutating func lift() {
        lockedUntil = nil
        badSignatures = []
    }

    // MARK: Counters

    enum Place: Equatable, Sendable {
        case new
        /// The very same command: it is not done again.
        case known(PhoneLedgerRow)
        case stale
        /// The same number with other content, or too far ahead.
        case wrong
    }

    func place(of counter: UInt64, digest: [UInt8]) -> Place {
        if let row = rows.first(where: { $0.counter == counter }) { return row.digest == digest ? .known(row) : .wrong }
        if isResync { return counter <= UInt64(Int64.max) ? .new : .wrong }
        guard counter > last else { return .stale }
        return counter - last <= Self.farAhead && counter <= UInt64(Int64.max) ? .new : .wrong
    }

    /// Takes over a row as it is stored; the newest 256 stay.
    mutating func store(_ row: PhoneLedgerRow) {
        if let index = rows.firstIndex(where: { $0.counter == row.counter }) {
            rows[index] = row
            return
        }
        // After a lost ledger the first accepted command sets the count, whatever came before.
        if isResync { rows = [] }
        isResync = false
        last = row.counter
        rows.append(row)
        if rows.count > PhoneLedgerRow.kept { rows.removeFirst() }
    }

    func row(_ counter: UInt64) -> PhoneLedgerRow? { rows.first { $0.counter == counter } }

    /// Repeats are answered at most once in ten seconds: a relay can repeat a true command for ever.
    mutating func mayAnswerRepeat(at now: BootTime) -> Bool {
        if let answered = repeatAnsweredAt, now - answered < Self.repeatPause { return false }
        repeatAnsweredAt = now
        return true
    }

    /// A refusal is answered at once for a command that is newer than all refused before: what a relay repeats has an old
    /// number, and keeps no phone from hearing why its own was refused.
    mutating func mayAnswerRefusal(of counter: UInt64, at now: BootTime) -> Bool {
        guard counter > newestRefused else { return mayAnswerRepeat(at: now) }
        newestRefused = counter
        return true
    }

    /// `rate` a minute, 0 without limit.
    mutating func mayCommand(rate: Int, at now: BootTime) -> Bool {
        rate == 0 || commands.take(rate: rate, burst: Self.commandBurst, at: now)
    }
}

/// So many at once, and so many a minute after that.
struct Allowance: Codable, Equatable, Sendable {
    /// In thousandths; nil before the first use: full.
    private var left: Int64?
    private var countedAt = BootTime.zero

    mutating func take(rate: Int, burst: Int, at now: BootTime) -> Bool {
        let full = Int64(burst) * 1000
        let gained = min(full, (now - countedAt).milliseconds * Int64(rate) / 60)
        var left = min(full, (self.left ?? full) + gained)
        // Time that bought nothing yet is not lost.
        if gained > 0 || self.left == nil { countedAt = now }
        defer { self.left = left }
        guard left >= 1000 else { return false }
        left -= 1000
        return true
    }
}
