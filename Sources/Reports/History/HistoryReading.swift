package import AlarmModel
import ApplianceCore
package import EventStore

/// Reads a history out of the state directory, beside the daemon or without one.
package struct HistoryReading {
    let stateDirectory: String
    let now: WallTime
    let rules: TimeZoneRules
    /// Pages of the journal that were read.
    package private(set) var pages = 0

    package init(stateDirectory: String, now: WallTime, rules: TimeZoneRules) {
        self.stateDirectory = stateDirectory
        self.now = now
        self.rules = rules
    }

    /// - Parameter days: 1…366, today included
    package mutating func report(days: Int) throws(StoreError) -> HistoryReport {
        let reader = try JournalReader(directory: stateDirectory)
        let oldest = try reader.page(EventQuery(limit: 1)).events.first?.event.time
        var accumulator = HistoryAccumulator(
            until: now, days: min(max(days, 1), HistoryReport.mostDays), rules: rules, journalFrom: oldest)
        let query = EventQuery(since: accumulator.wantedFrom, limit: .max)
        var count = 0
        try StoredEvents(reader: reader).read(query, isBrief: true) { events in
            for event in events { accumulator.take(event) }
            count += 1
            return true
        }
        pages = count
        let snapshot = try reader.snapshot()
        var report = accumulator.finish(snapshot)
        let book = PhoneFile.book(in: stateDirectory) ?? PhoneBook()
        report.watched = Self.watched(snapshot?.watch ?? [], book)
        try tellDeliveries(in: &report, book, reader)
        return report
    }

    /// By month, the newer one first, then as they began.
    static func watched(_ records: [WatchRecord], _ book: PhoneBook) -> [HistoryReport.Watch] {
        let months = Set(records.map(\.month)).filter { $0 >= 0 }.sorted(by: >)
        return months.flatMap { month in
            records.filter { $0.month == month }.prefix(HistoryReport.mostWays).map { record in
                HistoryReport.Watch(
                    who: name(of: record.watcher, book), month: "\(month / 12)-\((month % 12 + 1).padded())",
                    count: record.count, longestGap: .seconds(record.longestGap))
            }
        }
    }

    private static func name(of watcher: String, _ book: PhoneBook) -> String {
        switch Watcher(watcher) {
        case .phone(let id): book.name(of: id)
        case .service: "the service at heartbeat.url"
        case .receiver: "the alarm receiver"
        case nil: watcher
        }
    }

    private func tellDeliveries(
        in report: inout HistoryReport, _ book: PhoneBook, _ reader: JournalReader
    ) throws(StoreError) {
        for index in report.told.indices {
            let found = try reader.deliveries(of: report.told[index].seq, limit: HistoryReport.mostWays)
            report.told[index].deliveries = found.map { delivery in
                HistoryReport.Delivery(
                    way: book.name(of: delivery.address), state: delivery.state, after: delivery.after)
            }
        }
        report.ways = Self.ways(try reader.deliverySums(), book)
    }

    /// - Parameter sums: by address
    static func ways(_ sums: [JournalReader.DeliverySum], _ book: PhoneBook) -> [HistoryReport.Way] {
        var ways: [(address: AddressID, way: HistoryReport.Way)] = []
        for sum in sums {
            if ways.last?.address != sum.address {
                guard ways.count < HistoryReport.mostWays else { break }
                ways.append((sum.address, HistoryReport.Way(name: book.name(of: sum.address))))
            }
            ways[ways.count - 1].way.add(sum)
        }
        return ways.map(\.way)
    }
}

extension HistoryReport.Way {
    fileprivate mutating func add(_ sum: JournalReader.DeliverySum) {
        switch sum.state {
        case .received: received += sum.count
        case .accepted: accepted += sum.count
        case .seen: seen += sum.count
        case .waiting, .overdue: waiting += sum.count
        case .dead, .expired: failed += sum.count
        // Another way was quicker, so that this one was not needed.
        case .spared: return
        }
        // When somebody looked says nothing about the way.
        guard sum.state == .received || sum.state == .accepted else { return }
        let before = received + accepted - sum.count
        average = ((average ?? .zero) * before + sum.average * sum.count) / max(1, before + sum.count)
        longest = max(longest ?? .zero, sum.longest)
    }
}
