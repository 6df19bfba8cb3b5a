import AlarmModel

/// How long the newest 1024 events took from the line to the commit.
struct LatencyRing: Codable, Equatable, Sendable {
    private var samples: [Duration] = []
    private var next = 0
    private static let capacity = 1024

    mutating func add(_ sample: Duration) {
        if samples.count < Self.capacity {
            samples.append(sample)
        } else {
            samples[next] = sample
            next = (next + 1) % Self.capacity
        }
    }

    var summary: StoreReport.Latency? {
        guard !samples.isEmpty else { return nil }
        let sorted = samples.sorted()
        func percentile(_ share: Int) -> Duration { sorted[min(sorted.count - 1, sorted.count * share / 100)] }
        return StoreReport.Latency(
            count: sorted.count, p50: percentile(50), p90: percentile(90), p99: percentile(99),
            max: sorted[sorted.count - 1])
    }
}
