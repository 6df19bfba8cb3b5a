import AlarmModel
import PhoneLink

/// Wrong codes of one person, or by one of the house's channels: five since the last right one lock, each time for twice
/// as long. It is stored, so that a restart gives no new tries; a wait that was under way then begins again.
///
/// It keeps nobody else out, and its owner from no other channel.
struct CodeLock: Codable, Equatable, Sendable {
    enum Owner: Codable, Equatable, Sendable {
        case person(PersonID)
        /// The broker or the tube.
        case channel(ChannelKind)
    }

    let owner: Owner
    /// Since the last right code, or since it locked.
    private var wrong = 0
    /// How often it has locked since the last right code.
    private var locks = 0
    private var lockedUntil: BootTime?

    static let tries = 5
    static let firstSpan: Duration = .minutes(15)
    static let longestSpan: Duration = .hours(24)

    init(of owner: Owner) { self.owner = owner }

    init?(_ record: CodeLockRecord, at now: BootTime) {
        if let person = record.person {
            owner = .person(person)
        } else if let channel = record.channel.flatMap(ChannelKind.init(rawValue:)) {
            owner = .channel(channel)
        } else {
            return nil
        }
        // Stored numbers may be damaged.
        wrong = min(max(0, record.wrong), Self.tries - 1)
        locks = min(max(0, record.locks), 1_000_000)
        if record.isLocked, locks > 0 { lockedUntil = now + Self.span(locks) }
    }

    func record(at now: BootTime) -> CodeLockRecord {
        let isLocked = !mayTry(at: now)
        return switch owner {
        case .person(let person): CodeLockRecord(person: person, wrong: wrong, locks: locks, isLocked: isLocked)
        case .channel(let kind): CodeLockRecord(channel: kind.rawValue, wrong: wrong, locks: locks, isLocked: isLocked)
        }
    }

    func mayTry(at now: BootTime) -> Bool { lockedUntil.map { $0 <= now } ?? true }

    /// - Returns: for how long it locks; nil: it does not
    mutating func failed(at now: BootTime) -> Duration? {
        wrong += 1
        guard wrong >= Self.tries else { return nil }
        wrong = 0
        locks += 1
        let span = Self.span(locks)
        lockedUntil = now + span
        return span
    }

    private static func span(_ locks: Int) -> Duration { min(firstSpan * (1 << min(locks - 1, 20)), longestSpan) }
}

/// All locks. Guarantees: one for each owner at most, and none of whoever gave a right code since.
struct CodeLocks: Codable, Equatable, Sendable {
    private var locks: [CodeLock]

    init(_ records: [CodeLockRecord], at now: BootTime) { locks = records.compactMap { CodeLock($0, at: now) } }

    /// What is stored; nil: nothing.
    func records(at now: BootTime) -> [CodeLockRecord]? {
        locks.isEmpty ? nil : locks.map { $0.record(at: now) }
    }

    func mayTry(_ owner: CodeLock.Owner, at now: BootTime) -> Bool {
        locks.first { $0.owner == owner }?.mayTry(at: now) ?? true
    }

    func contains(_ owner: CodeLock.Owner) -> Bool { locks.contains { $0.owner == owner } }

    mutating func end(_ owner: CodeLock.Owner) { locks.removeAll { $0.owner == owner } }

    /// A code was wrong.
    ///
    /// - Returns: for how long none counts; nil: the next may be tried
    mutating func failed(_ owner: CodeLock.Owner, at now: BootTime) -> Duration? {
        var lock = locks.first { $0.owner == owner } ?? CodeLock(of: owner)
        let span = lock.failed(at: now)
        end(owner)
        locks.append(lock)
        return span
    }

    /// The configuration was read anew: what was tried against another code is over.
    mutating func houseChanged(from old: [PhoneSettings.HouseVerbs], to new: [PhoneSettings.HouseVerbs]) {
        for verbs in new where verbs.code != old.first(where: { $0.channel == verbs.channel })?.code {
            end(.channel(verbs.channel))
        }
    }
}
