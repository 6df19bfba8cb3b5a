import AlarmModel

/// A client's way through the journal: a cursor, not a queue; a slow reader costs one page of memory.
///
/// The newest events are found from the top downwards; where they are more than one page, only their lowest number is
/// kept on the way down, and the events are read once more upwards from there.
struct EventCursor: Codable, Equatable, Sendable {
    /// The way down.
    struct Descent: Codable, Equatable, Sendable {
        var wanted: Int
        var found = 0
        var lowest: SequenceNumber?
        /// Everything up to here belongs to the answer or is passed over; nil before the first page.
        var top: SequenceNumber?
    }

    /// What becomes of a page.
    struct Taken: Equatable {
        var events: [StoredEvent]
        var isOver: Bool
        /// False when the page brought nothing at all: another try at once would not either.
        var mayGoOn = true
    }

    private var query: EventQuery
    let follows: Bool
    /// Events that may still be listed; without meaning while following.
    private var remaining: Int
    private var descent: Descent?
    /// The page that was ordered and has not come.
    var read: QueryID?

    static let pageSize = 200

    init(_ query: EventQuery, follows: Bool) {
        self.query = query
        self.follows = follows
        remaining = query.limit
        switch query.order {
        case .oldestFirst: break
        case .newest: descent = Descent(wanted: query.limit)
        }
    }

    /// The page to order now; nil while one is under way, or while nothing new is in the journal.
    func nextQuery(last: SequenceNumber) -> EventQuery? {
        guard read == nil else { return nil }
        var next = query
        if let descent {
            next.limit = min(descent.wanted - descent.found, Self.pageSize)
            return next
        }
        if follows, query.after >= last { return nil }
        next.limit = follows ? Self.pageSize : min(remaining, Self.pageSize)
        return next
    }

    mutating func take(_ page: EventPage) -> Taken {
        read = nil
        guard let descent else { return takeUpwards(page) }
        return take(page, on: descent)
    }

    private mutating func takeUpwards(_ page: EventPage) -> Taken {
        let moves = page.cursor > query.after
        query.after = max(query.after, page.cursor)
        let isEmpty = !moves && page.events.isEmpty
        if follows { return Taken(events: page.events, isOver: false, mayGoOn: !isEmpty) }
        remaining -= page.events.count
        return Taken(events: page.events, isOver: !page.hasMore || remaining <= 0 || isEmpty)
    }

    private mutating func take(_ page: EventPage, on path: Descent) -> Taken {
        var path = path
        let isFirst = path.top == nil
        let top = path.top ?? page.cursor
        path.found += page.events.count
        path.lowest = page.events.first?.seq ?? path.lowest
        path.top = top
        let descends = query.before.map { page.bottom < $0 } ?? true
        if page.hasMore, path.found < path.wanted, descends {
            query.before = page.bottom
            descent = path
            return Taken(events: [], isOver: false)
        }
        descent = nil
        query.before = nil
        query.order = .oldestFirst
        guard !isFirst, let lowest = path.lowest else {
            query.after = max(query.after, top)
            return Taken(events: isFirst ? page.events : [], isOver: !follows)
        }
        query.after = max(query.after, SequenceNumber(lowest.number - 1))
        remaining = path.found
        return Taken(events: [], isOver: false)
    }

    /// Whether the client asked for such an event.
    func wants(_ event: Event) -> Bool {
        if let since = query.since, event.time < since { return false }
        if let zone = query.zone, event.zone != zone { return false }
        if let partition = query.partition, event.partition != partition { return false }
        return query.types.isEmpty || query.types.contains(event.type)
    }
}
