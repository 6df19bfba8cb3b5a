extension HouseLog {
    /// As many as the box gives at once.
    public static let pageLimit: Int64 = 20

    /// The lowest number that is wanted.
    var floor: Int64 { max(1, oldestKept, newest - depth + 1) }

    /// Numbers that exist, are wanted and are not held; ascending.
    public var missing: [ClosedRange<Int64>] {
        var result: [ClosedRange<Int64>] = []
        var next = floor
        for event in events {
            guard let seq = event.position?.seq, seq >= next else { continue }
            if seq > next { result.append(next...(seq - 1)) }
            next = seq + 1
        }
        if next <= newest { result.append(next...newest) }
        return result
    }

    /// Up to here nothing is missing: the position that a `ping` tells. nil until the box has named its journal.
    public var contiguous: LogPosition? {
        guard let log else { return nil }
        var next = floor
        for event in events {
            guard let seq = event.position?.seq, seq >= next else { continue }
            guard seq == next else { break }
            next += 1
        }
        return LogPosition(log: log, seq: next - 1)
    }

    /// What to ask for next, the newest first, because that is what is looked at.
    public var nextPage: ClosedRange<Int64>? {
        guard let gap = missing.last else { return nil }
        return max(gap.lowerBound, gap.upperBound - Self.pageLimit + 1)...gap.upperBound
    }

    /// The highest number that is known to exist; nil until the box has named its journal.
    public var newestPosition: LogPosition? { log.map { LogPosition(log: $0, seq: newest) } }

    /// How many numbers are missing.
    public var missingCount: Int64 { missing.reduce(0) { $0 + Int64($1.count) } }

    /// Whether something of these numbers is missing.
    func lacks(_ range: ClosedRange<Int64>) -> Bool { missing.contains { $0.overlaps(range) } }
}
