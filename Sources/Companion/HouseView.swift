/// What the phone knows of the house and of its contact to the box.
///
/// A message that was held back, repeated or came late never changes what is shown (docs/pairing.md 6, phone rules).
public struct HouseView: Codable, Equatable, Sendable {
    /// nil: unknown.
    public internal(set) var state: HouseState?
    /// What the state was told with.
    public internal(set) var position: LogPosition?
    /// Seconds since 1970 by the phone's clock: the state is not older than this.
    public internal(set) var asOf: Int64?
    /// Seconds since 1970 by the phone's clock: since then the box was alive.
    public internal(set) var lastContact: Int64?
    /// Seconds within which the box promised its next sign of life; nil: it promised none.
    public internal(set) var heartbeat: Int64?
    /// While the box is overdue: the last contact before, as it was told to the owner.
    public internal(set) var overdueSince: Int64?
    /// Two boxes write under one key: somebody runs a copy of the card. Stays until the phone is paired again.
    public internal(set) var isTwoBoxes = false
    var newestAge: BoxAge?
    /// When the box of `newestAge` was started: milliseconds since 1970 by the phone's clock, at the earliest that was
    /// seen.
    var startedAt: Int64?
    var timesBackwards = 0

    public init() {}

    /// The sentence for the screen when `isTwoBoxes`.
    public static let twoBoxesText =
        "Two boxes use this key. Somebody may run a copy of the card: go to the box, revoke this phone and pair it again."

    /// The start of the box that was heard of last, counted by the box: its names may have changed with each.
    public var boot: Int64? { newestAge?.boot }

    /// Seconds after which what is shown is called old.
    public static let staleAfter: Int64 = 300

    /// Whether the banner "not up to date" belongs on the screen.
    public func isStale(at time: PhoneTime) -> Bool {
        guard let asOf else { return true }
        return time.wall - asOf > Self.staleAfter
    }

    /// What is known at the moment in which a request is made; its answer can only be newer.
    func anchor(at time: PhoneTime) -> Anchor { Anchor(age: newestAge, wall: time.wall) }

    struct Anchor: Equatable, Sendable {
        var age: BoxAge?
        /// When the request was made, by the phone's clock.
        var wall: Int64
    }

    /// A status came. `anchor` is that of the open request that it answers; `held` is the newest place that the log
    /// knew before. Returns whether it counted.
    mutating func heard(_ status: BoxStatus, answering anchor: Anchor?, held: LogPosition?, at time: PhoneTime) -> Bool
    {
        let age = BoxAge(status)
        if let before = anchor?.age, age < before, !before.mayBeginAnew(as: age) {
            // Only an answer proves it: everything else may just be old. Once may be a slip of the box.
            timesBackwards += 1
            if timesBackwards >= 2 { isTwoBoxes = true }
            return false
        }
        let isNotLower = held.map { status.position >= $0 } ?? true
        guard anchor != nil || isNotLower else { return false }
        let made = min(anchor?.wall ?? status.now, time.wall)
        // An answer is newer than what was known when it was asked for.
        let isNewer = newestAge.map { $0 < age || anchor?.age == $0 && $0.mayBeginAnew(as: age) } ?? true
        if isNewer {
            touched(anchor?.wall ?? madeAt(status, age, at: time) ?? made, at: time)
            noteStart(status, age, isAnswer: anchor != nil, at: time)
            newestAge = age
            heartbeat = status.heartbeat
        } else if anchor == nil {
            // The same heartbeat again says nothing about now.
            return false
        }
        // A sign of life may be too small for the state of a big house; what is known stays as old as it is.
        guard isNotLower, status.state != nil || status.position.log != position?.log else { return true }
        adopt(
            status.state.flatMap { HouseState($0, partition: status.partition ?? 1) }, at: status.position, asOf: made)
        return true
    }

    /// An event was taken in; `held` is the newest place that the log knew before.
    mutating func heard(_ event: HouseEvent, held: LogPosition?, at time: PhoneTime) {
        // What is new to the phone and no repeat left the box when it was written down.
        if event.position != nil, !event.isRepeat { touched(event.timestamp, at: time) }
        guard let position = event.position, let text = event.state else { return }
        guard held.map({ position >= $0 }) ?? true else { return }
        if let known = self.position, position <= known { return }
        let told = HouseState(text, partition: event.partition ?? 1)
        adopt(told, at: position, asOf: min(event.timestamp, time.wall))
    }

    /// The box was alive at this time, by the phone's clock.
    mutating func touched(_ made: Int64, at time: PhoneTime) {
        let made = min(made, time.wall)
        // Where the phone's own clock was set back, what it said before is no measure.
        lastContact = max(lastContact.map { min($0, time.wall) } ?? made, made)
    }

    /// An unasked status of a known start was made so long after that start, whatever the box's wall clock says, and
    /// however long somebody has held it back.
    private func madeAt(_ status: BoxStatus, _ age: BoxAge, at time: PhoneTime) -> Int64? {
        guard let newestAge, let startedAt, newestAge.isSameStart(as: age) else { return nil }
        let seen = Self.start(status, at: time)
        return (min(seen, startedAt + Self.drift(from: newestAge, to: age)) + status.up * 1000) / 1000
    }

    private mutating func noteStart(_ status: BoxStatus, _ age: BoxAge, isAnswer: Bool, at time: PhoneTime) {
        let seen = Self.start(status, at: time)
        guard !isAnswer, let newestAge, let known = startedAt, newestAge.isSameStart(as: age) else {
            startedAt = seen
            return
        }
        startedAt = min(seen, known + Self.drift(from: newestAge, to: age))
    }

    private static func start(_ status: BoxStatus, at time: PhoneTime) -> Int64 { (time.wall - status.up) * 1000 }

    /// Milliseconds by which the two clocks may have come apart since: 200 parts in a million.
    private static func drift(from old: BoxAge, to new: BoxAge) -> Int64 { max(0, new.up - old.up) / 5 }

    /// Seconds without contact after which the box is overdue: two intervals, and a minute for the channel (less where
    /// the intervals are shorter). nil: it promised no sign of life.
    public var overdueAfter: Int64? { heartbeat.map { 2 * $0 + min(60, $0) } }

    /// One place in the journal came with two contents.
    mutating func contradicted() { isTwoBoxes = true }

    private mutating func adopt(_ told: HouseState?, at place: LogPosition, asOf made: Int64) {
        if place.log != position?.log {
            // A new journal knows nothing of the old one.
            state = told
            asOf = made
        } else {
            if let told, state != nil { state?.update(with: told) } else { state = told }
            asOf = max(asOf ?? made, made)
        }
        position = place
    }
}
