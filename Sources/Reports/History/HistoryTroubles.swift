import AlarmModel

/// Outages and troubles: what is open now, how long each kind lasted in all, and the newest of them.
struct HistoryTroubles {
    private struct Open {
        var trouble: HistoryTrouble
        /// 0: of no zone.
        var zone: Int
        var zoneName: String?
        /// Of a link or channel.
        var about: EventSubject?
        var since: WallTime
    }

    private let from: WallTime
    private let until: WallTime
    /// At most one of each kind, zone, link and channel.
    private var open: [Open] = []
    private var sums: [HistoryReport.Sum] = HistoryTrouble.allCases.map { HistoryReport.Sum(trouble: $0) }
    private var spans: [HistoryReport.Span] = []
    private var leftOut = 0
    /// Links are configured: without any nobody knows whether the internet was there.
    private var areLinksWatched = false
    /// Of every zone several, and links and channels that an owner has long renamed.
    private static let mostOpen = 512

    init(from: WallTime, until: WallTime) {
        self.from = from
        self.until = until
    }

    mutating func take(_ change: HistoryTrouble.Change, of event: Event) {
        let zone = (1...64).contains(event.zone ?? 0) ? event.zone ?? 0 : 0
        let about = change.trouble.isNamed ? event.about : nil
        let index = open.firstIndex { $0.trouble == change.trouble && $0.zone == zone && $0.about == about }
        if change.begins {
            guard index == nil, open.count < Self.mostOpen else { return }
            open.append(
                Open(
                    trouble: change.trouble, zone: zone, zoneName: event.zoneName, about: about, since: event.time))
        } else if let index {
            end(open.remove(at: index), at: event.time)
        }
    }

    /// An event about links: they are probed.
    mutating func sawLinks() { areLinksWatched = true }

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
        count(entry, span)
        if spans.count == HistoryReport.mostSpans {
            spans.removeFirst()
            leftOut += 1
        }
        spans.append(
            HistoryReport.Span(
                trouble: entry.trouble, zone: entry.zone == 0 ? nil : entry.zone, zoneName: entry.zoneName,
                about: entry.about, since: entry.since, until: end))
    }

    private mutating func count(_ entry: Open, _ span: Duration) {
        let known = sums.firstIndex { $0.trouble == entry.trouble && $0.about == entry.about }
        guard known != nil || sums.count < HistoryTrouble.allCases.count + HistoryReport.mostWays else { return }
        let index = known ?? sums.count
        if known == nil { sums.append(HistoryReport.Sum(trouble: entry.trouble, about: entry.about)) }
        sums[index].count += 1
        sums[index].total += span
        sums[index].longest = max(sums[index].longest, span)
    }

    mutating func finish() -> (sums: [HistoryReport.Sum], spans: [HistoryReport.Span], leftOut: Int) {
        for entry in open { end(entry, at: nil) }
        open = []
        let shown = sums.filter { sum in
            if sum.count > 0 { return true }
            return sum.trouble.isWay && !sum.trouble.isOptional && (sum.trouble != .internet || areLinksWatched)
        }
        return (
            shown.sorted { ($0.trouble.rawValue, $0.about?.text ?? "") < ($1.trouble.rawValue, $1.about?.text ?? "") },
            spans.sorted { $0.since < $1.since }, leftOut
        )
    }
}
