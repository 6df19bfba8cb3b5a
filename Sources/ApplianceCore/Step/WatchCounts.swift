import AlarmModel

/// How often each watcher took a sign of life, in this month and the last one.
///
/// The disk gets it once an hour and when the daemon stops, so a crash costs an hour of it at most.
struct WatchCounts: Codable, Equatable, Sendable {
    private var kept: [WatchRecord] = []
    private var records: [WatchRecord] = []
    private var keptAt = BootTime.zero

    static let pace: Duration = .hours(1)
    /// Records of both months.
    static let limit = 128

    mutating func start(_ stored: [WatchRecord], at now: BootTime) {
        kept = Array(stored.filter(Self.isSound).prefix(Self.limit))
        records = kept
        keptAt = now
    }

    /// A damaged file holds what no box has counted, and what would overflow.
    private static func isSound(_ record: WatchRecord) -> Bool {
        (0...1 << 40).contains(record.count) && (0...1 << 50).contains(record.last.milliseconds)
    }

    /// - Returns: whether the disk is to have it
    mutating func took(_ watcher: Watcher, at now: Moment) -> Bool {
        // Without the time nobody knows which month it is, nor how long it has been.
        guard now.isWallTrusted else { return false }
        let (name, month) = (watcher.text, now.wall.month)
        records.removeAll { $0.month < month - 1 || $0.month > month }
        let before = records.filter { $0.watcher == name }.map(\.last).max()
        let gap = before.map { max(0, (now.wall - $0).milliseconds / 1000) } ?? 0
        if let index = records.firstIndex(where: { $0.watcher == name && $0.month == month }) {
            records[index].count += 1
            records[index].longestGap = max(records[index].longestGap, gap)
            records[index].last = now.wall
        } else if records.count < Self.limit {
            records.append(WatchRecord(watcher: name, month: month, longestGap: gap, last: now.wall))
        }
        guard now.boot >= keptAt + Self.pace else { return false }
        kept = records
        keptAt = now.boot
        return true
    }

    /// What the disk has, or is given with the next batch; nil: nobody watches.
    func stored(isLast: Bool) -> [WatchRecord]? {
        let stored = isLast ? records : kept
        return stored.isEmpty ? nil : stored
    }
}

extension Step {
    /// A watcher has taken a sign of life.
    mutating func tookSignOfLife(_ watcher: Watcher) {
        if watch.took(watcher, at: now) { writes.writesState = true }
    }
}
