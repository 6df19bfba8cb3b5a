/// A status as the box tells it: where its journal is, how the house is, and that it lives (docs/pairing.md 6).
public struct BoxStatus: Equatable, Sendable {
    public var position: LogPosition
    /// `st`; nil where the box does not know.
    public var state: String?
    /// The partition that `state` speaks of where it names none.
    public var partition: Int?
    /// Seconds since 1970 by the clock of the box, which may be wrong.
    public var now: Int64
    /// Counts the starts of the box.
    public var boot: Int64
    /// Seconds since that start.
    public var up: Int64
    /// The count of this start is not on the card yet: the next start may have the same.
    public var isStartUnstored: Bool
    /// The lowest number that the box still has, where it tells.
    public var oldestKept: Int64?
    /// Seconds within which the next sign of life follows; nil where none is promised.
    public var heartbeat: Int64?
    /// The subscription that this phone had told has ended; the app subscribes anew.
    public var isPushGone: Bool

    public init(
        position: LogPosition, state: String?, partition: Int? = nil, now: Int64, boot: Int64, up: Int64,
        isStartUnstored: Bool = false, oldestKept: Int64? = nil, heartbeat: Int64? = nil, isPushGone: Bool = false
    ) {
        self.position = position
        self.state = state
        self.partition = partition
        self.now = now
        self.boot = boot
        self.up = up
        self.isStartUnstored = isStartUnstored
        self.oldestKept = oldestKept
        self.heartbeat = heartbeat
        self.isPushGone = isPushGone
    }
}

/// When a message was made, seen from the box: it only grows while there is one box, whose card takes the count of
/// each start.
struct BoxAge: Codable, Equatable, Comparable, Sendable {
    var log: UInt32
    var boot: Int64
    var up: Int64
    /// Whether another start may have the same count; nil: no.
    var isStartUnstored: Bool?

    init(_ status: BoxStatus) {
        log = status.position.log
        boot = status.boot
        up = status.up
        isStartUnstored = status.isStartUnstored ? true : nil
    }

    /// Of one start of the box.
    func isSameStart(as other: BoxAge) -> Bool { log == other.log && boot == other.boot }

    /// Whether it can be the age of another start with the same count, however low its time is.
    func mayBeginAnew(as later: BoxAge) -> Bool { isStartUnstored == true && isSameStart(as: later) }

    static func < (a: BoxAge, b: BoxAge) -> Bool { (a.log, a.boot, a.up) < (b.log, b.boot, b.up) }
}
