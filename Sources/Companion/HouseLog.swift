/// The phone's copy of the journal.
///
/// Numbered events are in the order of their numbers however they came, duplicates change nothing, and what is missing
/// is known. An event without a number is told apart by its mark and becomes the numbered one when its row arrives.
/// Nothing is ever thrown away: a new journal moves the old list to the archive.
public struct HouseLog: Codable, Equatable, Sendable {
    /// What an event meant to the log.
    public enum Arrival: String, Codable, Hashable, Sendable {
        case new
        /// Known already.
        case duplicate
        /// The row of an event that was shown before it had a number.
        case merged
        /// Of a journal that is no more.
        case outdated
        /// The same place with other content: two boxes write under one key. The first is kept.
        case contradiction
        /// Neither number nor mark.
        case unplaceable
    }

    /// A list of a former journal.
    public struct Archived: Codable, Equatable, Sendable {
        public var log: UInt32
        /// Ascending by number.
        public var events: [HouseEvent]
    }

    /// An event without a number, with its place among the numbered ones.
    public struct Unnumbered: Codable, Equatable, Sendable {
        public var event: HouseEvent
        /// It came when this was the newest number held.
        public var after: Int64
    }

    /// nil until the box has named it.
    public internal(set) var log: UInt32?
    /// Numbered, ascending.
    public internal(set) var events: [HouseEvent] = []
    /// As they came.
    public internal(set) var unnumbered: [Unnumbered] = []
    /// Oldest first.
    public internal(set) var archive: [Archived] = []
    /// The highest number that is known to exist, held or not; 0 before the first.
    public internal(set) var newest: Int64 = 0
    /// The lowest number that the box still has.
    public internal(set) var oldestKept: Int64 = 1
    /// How many of the newest events are wanted; older ones are kept when they are there, but not asked for.
    public let depth: Int64

    public init(depth: Int64 = 5000) {
        precondition(depth > 0, "a log holds something")
        self.depth = depth
    }

    /// For the screen: oldest first, events without a number where they came.
    public var rows: [HouseEvent] {
        var result: [HouseEvent] = []
        result.reserveCapacity(events.count + unnumbered.count)
        var waiting = unnumbered.sorted { $0.after < $1.after }[...]
        for event in events {
            while let first = waiting.first, let seq = event.position?.seq, first.after < seq {
                result.append(first.event)
                waiting.removeFirst()
            }
            result.append(event)
        }
        return result + waiting.map { $0.event }
    }

    /// Takes an event in.
    public mutating func add(_ event: HouseEvent) -> Arrival {
        guard let position = event.position else { return addUnnumbered(event) }
        guard position.seq > 0, begin(position.log) else { return .outdated }
        newest = max(newest, position.seq)
        let index = place(of: position.seq)
        if index < events.count, events[index].position == position {
            return events[index].isSame(as: event) ? .duplicate : .contradiction
        }
        events.insert(event, at: index)
        guard let mark = event.mark, let known = unnumbered.firstIndex(where: { $0.event.mark == mark }) else {
            return .new
        }
        if events[index].state == nil { events[index].state = unnumbered[known].event.state }
        unnumbered.remove(at: known)
        return .merged
    }

    /// The box has said how far its journal goes, and perhaps where it begins. False when it is a journal that is no more.
    public mutating func heard(_ position: LogPosition, oldestKept from: Int64? = nil) -> Bool {
        guard begin(position.log) else { return false }
        newest = max(newest, position.seq)
        if let from { oldestKept = max(oldestKept, from) }
        return true
    }

    /// Makes it the current journal unless it is older than the one that is known.
    private mutating func begin(_ number: UInt32) -> Bool {
        guard let log else {
            self.log = number
            return true
        }
        guard number > log else { return number == log }
        archive.append(Archived(log: log, events: events))
        self.log = number
        events = []
        newest = 0
        oldestKept = 1
        // Their rows may still come, in the new journal.
        for index in unnumbered.indices { unnumbered[index].after = 0 }
        return true
    }

    private mutating func addUnnumbered(_ event: HouseEvent) -> Arrival {
        guard let mark = event.mark else { return .unplaceable }
        let isKnown =
            unnumbered.contains { $0.event.mark == mark } || events.contains { $0.mark == mark }
            || archive.contains { $0.events.contains { $0.mark == mark } }
        guard !isKnown else { return .duplicate }
        unnumbered.append(Unnumbered(event: event, after: events.last?.position?.seq ?? 0))
        return .new
    }

    /// The row of this place; nil where it is not held.
    public func event(at position: LogPosition) -> HouseEvent? {
        guard position.log == log else { return nil }
        let index = place(of: position.seq)
        return index < events.count && events[index].position == position ? events[index] : nil
    }

    /// Index of the first event with this number or a higher one.
    private func place(of seq: Int64) -> Int {
        // Mostly it is the newest.
        if let last = events.last?.position?.seq, last < seq { return events.count }
        var low = 0
        var high = events.count
        while low < high {
            let middle = low + (high - low) / 2
            if let at = events[middle].position?.seq, at < seq { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
