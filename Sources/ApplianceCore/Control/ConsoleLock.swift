import AlarmModel

/// The lock of the serial console: a PIN, and waits after wrong tries that outlive power cuts.
///
/// Guarantees: a try is counted, and that is stored, before it is checked, so that cutting the power saves no try; one
/// try is checked at a time.
struct ConsoleLock: Codable, Equatable, Sendable {
    /// nil while there is nothing to store.
    private(set) var record: ConsoleRecord?
    /// False while the store has not told whether there is a PIN: then none may be set.
    private(set) var isReadable = true
    private(set) var work: Work?
    private var waitUntil: BootTime?
    private var tellAt: BootTime?
    private var nextDerivation: UInt64 = 1

    /// What the worker thread was asked for, or is about to be.
    struct Work: Codable, Equatable, Sendable {
        enum Purpose: Codable, Equatable, Sendable {
            /// `new`: the PIN that takes the place of the one that is checked.
            case check(new: Secret?)
            case make
        }
        var client: ConnectionID
        var purpose: Purpose
        var derivation: DeriveID?
    }

    /// What became of a checked try.
    enum Verdict: Equatable {
        /// So many wrong tries went before it, that nobody was told of.
        case right(untold: Int)
        case wrong
        /// In a row so many, and none is taken for so long.
        case lockedOut(tries: Int, Duration)
    }

    /// Wrong tries in a row that cost nothing but themselves.
    static let freeTries = 5
    /// A burst of wrong tries is told when so long no other has come.
    static let burstPause: Duration = .minutes(1)
    /// After so long without a change an unlocked console is locked again.
    static let idleLimit: Duration = .minutes(5)

    init() {}

    /// A wait that was under way begins again: boot time knows nothing of the time before.
    init(stored: ConsoleRecord?, isReadable: Bool, at now: Moment) {
        record = stored
        self.isReadable = isReadable
        guard var record = stored else { return }
        // Stored numbers may be damaged.
        record.wrongTries = min(max(0, record.wrongTries), 1_000_000)
        record.untoldTries = min(max(0, record.untoldTries), record.wrongTries)
        self.record = record
        waitUntil = Self.wait(after: record.wrongTries).map { now.boot + $0 }
        if record.untoldTries > 0 { tellAt = now.boot }
    }

    /// 1, 5, 15 and then always 60 minutes, from the fifth wrong try in a row on.
    static func wait(after wrongTries: Int) -> Duration? {
        switch wrongTries - freeTries {
        case ..<0: nil
        case 0: .minutes(1)
        case 1: .minutes(5)
        case 2: .minutes(15)
        default: .minutes(60)
        }
    }

    var pin: ConsolePIN? { record?.pin }
    var triesLeft: Int { max(0, Self.freeTries - (record?.wrongTries ?? 0)) }

    func wait(at now: BootTime) -> Duration? {
        guard let waitUntil, waitUntil > now else { return nil }
        return waitUntil - now
    }

    /// When a burst of wrong tries is to be told.
    var nextDeadline: BootTime? { work == nil ? tellAt : nil }

    /// A try begins: it counts as wrong until it proves right.
    mutating func tryBegan(by client: ConnectionID, new: Secret?) {
        precondition(work == nil && pin != nil, "one try at a time is checked against a PIN that is set")
        record?.wrongTries += 1
        record?.untoldTries += 1
        work = Work(client: client, purpose: .check(new: new))
    }

    mutating func makingBegan(by client: ConnectionID) {
        work = Work(client: client, purpose: .make)
    }

    /// Names the derivation of the work under way.
    mutating func derivation() -> DeriveID {
        let id = DeriveID(nextDerivation)
        nextDerivation += 1
        work?.derivation = id
        return id
    }

    /// The work that this derivation was for; it is over then.
    mutating func derived(_ id: DeriveID) -> Work? {
        guard let done = work, done.derivation == id else { return nil }
        work = nil
        return done
    }

    /// The try could not be checked: it was none.
    mutating func tryFailed() {
        work = nil
        record?.wrongTries -= 1
        record?.untoldTries -= 1
    }

    mutating func tryChecked(isRight: Bool, at now: Moment) -> Verdict {
        guard var record else { return .wrong }
        defer { self.record = record }
        if isRight {
            let untold = record.untoldTries - 1
            record.wrongTries = 0
            record.untoldTries = 0
            waitUntil = nil
            tellAt = nil
            return .right(untold: max(0, untold))
        }
        guard let wait = Self.wait(after: record.wrongTries) else {
            tellAt = now.boot + Self.burstPause
            return .wrong
        }
        waitUntil = now.boot + wait
        record.untoldTries = 0
        tellAt = nil
        return .lockedOut(tries: record.wrongTries, wait)
    }

    #if SABOTAGE
        mutating func forgetTries() {
            record?.wrongTries = 0
            waitUntil = nil
        }
    #endif

    /// How many wrong tries are to be told now; they count as told then.
    mutating func takeUntold(at now: BootTime) -> Int {
        guard let tellAt, tellAt <= now, work == nil else { return 0 }
        self.tellAt = nil
        let count = record?.untoldTries ?? 0
        record?.untoldTries = 0
        return count
    }

    mutating func set(_ pin: ConsolePIN) {
        record = ConsoleRecord(pin: pin)
        waitUntil = nil
        tellAt = nil
    }

    /// Whoever holds the card may do this.
    mutating func reset() {
        record = ConsoleRecord()
        isReadable = true
        waitUntil = nil
        tellAt = nil
    }
}
