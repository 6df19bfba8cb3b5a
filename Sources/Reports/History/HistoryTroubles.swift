import AlarmModel

/// Outages and troubles: what is open now, how long each kind lasted in all, and the newest of them.
struct HistoryTroubles {
    private struct Open {
        var trouble: HistoryTrouble
        /// 0: of no zone.
        var zone: Int
        var zoneName: String?
        var since: WallTime
    }

    private let from: WallTime
    private let until: WallTime
    /// At most one of each kind and zone.
    private var open: [Open] = []
    private var sums: [HistoryReport.Sum] = HistoryTrouble.allCases.map { HistoryReport.Sum(trouble: $0) }
    private var spans: [HistoryReport.Span] = []
    private var leftOut = 0

    init(from: WallTime, until: WallTime) {
        self.from = from
        self.until = until
    }

    mutating func take(_ change: HistoryTrouble.Change, of event: Event) {
        let zone = (1...64).contains(event.zone ?? 0) ? event.zone ?? 0 : 0
        let index = open.firstIndex { $0.trouble == change.trouble && $0.zone == zone }
        if change.begins {
            guard index == nil else { return }
            open.append(Open(trouble: change.trouble, zone: zone, zoneName: event.zoneName, since: event.time))
        } else if let index {
            end(open.remove(at: index), at: event.time)
        }
    }

    /// - Returns: whether it had been stopped before
    mutating func hasStarted(at time: WallTime) -> Bool {
        let wasStopped = open.contains { $0.trouble == .box }
        for entry in open where entry.trouble == .box || entry.trouble.endsWithStart { end(entry, at: time) }
        open.removeAll { $0.trouble == .box || $0.trouble.endsWithStart }
        return wasStopped
    }

    private mutating func end(_ entry: Open, at end: WallTime?) {
        let until = end ?? self.until
        guard until >= from else { return }
        let span = max(.zero, until - max(entry.since, from))
        let kind = Int(entry.trouble.rawValue)
        sums[kind].count += 1
        sums[kind].total += span
        sums[kind].longest = max(sums[kind].longest, span)
        if spans.count == HistoryReport.mostSpans {
            spans.removeFirst()
            leftOut += 1
        }
        spans.append(
            HistoryReport.Span(
                trouble: entry.trouble, zone: entry.zone == 0 ? nil : entry.zone, zoneName: entry.zoneName,
                since: entry.since, until: end))
    }

    mutating func finish() -> (sums: [HistoryReport.Sum], spans: [HistoryReport.Span], leftOut: Int) {
        for entry in open { end(entry, at: nil) }
        open = []
        return (
            sums.filter { $0.count > 0 || $0.trouble.isWay && !$0.trouble.isOptional },
            spans.sorted { $0.since < $1.since }, leftOut
        )
    }
}
