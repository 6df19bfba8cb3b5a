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

    /// The newest event that is held and knows the state of the house.
    var newestWithState: HouseEvent? { events.last?.state == nil ? nil : events.last }
}
