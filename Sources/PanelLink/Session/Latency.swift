import AlarmModel

/// From a command to its acknowledgement, in this session.
struct Latency: Codable, Equatable, Sendable {
    private(set) var last: Duration?
    private(set) var largest: Duration?
    private var total = Duration.zero
    private var count = 0

    var mean: Duration? { count == 0 ? nil : total / count }

    mutating func note(_ span: Duration) {
        last = span
        largest = max(largest ?? span, span)
        total += span
        count += 1
    }
}
