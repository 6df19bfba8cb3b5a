package import AlarmModel
package import EventStore

/// Reads the journal page by page, as the daemon does for its clients.
package struct StoredEvents {
    let reader: JournalReader

    package init(reader: JournalReader) {
        self.reader = reader
    }

    /// Hands over all that match, oldest first, until `take` returns false.
    ///
    /// - Parameter isBrief: of those from the oldest upwards: without sentences and names of mere news
    package func read(
        _ query: EventQuery, isBrief: Bool = false, _ take: ([StoredEvent]) -> Bool
    ) throws(StoreError) {
        switch query.order {
        case .oldestFirst: try readUpwards(query, isBrief, take)
        case .newest: _ = take(try newest(query))
        }
    }

    private func readUpwards(
        _ query: EventQuery, _ isBrief: Bool, _ take: ([StoredEvent]) -> Bool
    ) throws(StoreError) {
        var query = query
        var left = query.limit
        while left > 0 {
            query.limit = min(left, 1000)
            let page = try reader.page(query, isBrief: isBrief)
            if !page.events.isEmpty, !take(page.events) { return }
            guard page.hasMore else { return }
            left -= page.events.count
            query.after = page.cursor
        }
    }

    private func newest(_ query: EventQuery) throws(StoreError) -> [StoredEvent] {
        var query = query
        var events: [StoredEvent] = []
        let wanted = query.limit
        while events.count < wanted {
            query.limit = wanted - events.count
            let page = try reader.page(query)
            events = page.events + events
            guard page.hasMore else { break }
            query.before = page.bottom
        }
        return events
    }
}

/// What is said when a command reads the store because no daemon runs.
package enum OfflineText {
    package static func remark(isMissingNewest: Bool) -> String {
        "no daemon runs here; this is what the journal holds"
            + (isMissingNewest ? " (the newest events are missing: run this as the daemon's user)" : "")
    }

    package static func failure(_ error: StoreError, _ stateDirectory: String) -> String {
        error.kind == .missing
            ? "no daemon runs here and there is no journal in \(stateDirectory); name the state directory with --state"
            : "no daemon runs here and the journal cannot be read: \(error)"
    }
}
