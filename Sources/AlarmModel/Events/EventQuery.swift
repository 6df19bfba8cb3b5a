/// Which events a reader wants. Duress events lie elsewhere and are never among them.
package struct EventQuery: Codable, Equatable, Sendable {
    package enum Order: String, Codable, Hashable, Sendable, CaseIterable {
        /// From `after` upwards.
        case oldestFirst = "oldest-first"
        /// The newest that match; handed over oldest first all the same.
        case newest
    }

    /// Only events with a higher sequence number.
    package var after: SequenceNumber
    /// Only events with a lower sequence number: below a page of `newest` that ended early.
    package var before: SequenceNumber?
    package var since: WallTime?
    package var types: [EventType]
    package var zone: Int?
    package var partition: Int?
    package var order: Order
    /// 1…1000
    package var limit: Int

    package init(
        after: SequenceNumber = .zero, before: SequenceNumber? = nil, since: WallTime? = nil, types: [EventType] = [],
        zone: Int? = nil, partition: Int? = nil, order: Order = .oldestFirst, limit: Int = 100
    ) {
        self.after = after
        self.before = before
        self.since = since
        self.types = types
        self.zone = zone
        self.partition = partition
        self.order = order
        self.limit = limit
    }
}

/// A page of events with the cursor behind it.
package struct EventPage: Codable, Equatable, Sendable {
    package var events: [StoredEvent]
    /// Continue after this one; not less than the last event's number, because rows that were filtered out are passed.
    package var cursor: SequenceNumber
    /// Events between `after` and `before` have not been looked at yet: above `cursor` for `oldestFirst`, below
    /// `bottom` for `newest`. A page can have fewer events than its limit and more all the same: its time was over.
    package var hasMore: Bool
    /// The lowest number that was looked at; a page of `newest` is continued with `before` this one.
    package var bottom: SequenceNumber

    package init(
        events: [StoredEvent], cursor: SequenceNumber, hasMore: Bool, bottom: SequenceNumber = .zero
    ) {
        self.events = events
        self.cursor = cursor
        self.hasMore = hasMore
        self.bottom = bottom
    }
}
