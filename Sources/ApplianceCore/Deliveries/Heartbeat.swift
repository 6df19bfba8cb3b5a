import AlarmModel
import PhoneLink

/// When the next sign of life goes to the paired phones.
struct Heartbeat: Codable, Equatable, Sendable {
    /// nil: none are sent.
    private(set) var nextAt: BootTime?
    /// Signs of life since the start.
    private(set) var count: Int64 = 0
    /// Channels that were down at the last one: they carry it once they are up again.
    var missed: [ChannelKind] = []
    private var jitter: Jitter

    /// After a start phones are to know soon that the box lives, but not before the count of starts is on the disk.
    private static let firstWait: Range<Duration> = .seconds(5)..<(.seconds(15))

    init(seed: UInt64) { jitter = Jitter(seed: seed ^ 0x6865_6172_7462_6561) }

    mutating func begin(every interval: Duration?, at now: BootTime) {
        missed = []
        nextAt = interval.map { now + min($0, jitter.duration(in: Self.firstWait)) }
    }

    /// The next one follows within the interval that phones were told, but not all boxes of a service at once.
    mutating func went(every interval: Duration?, at now: BootTime) {
        count += 1
        nextAt = interval.map { now + jitter.duration(in: ($0 * 9 / 10)..<$0) }
    }

    /// The interval as phones are told it: whole seconds, rounded up.
    static func seconds(_ interval: Duration) -> Int64 { max(1, (interval.milliseconds + 999) / 1000) }
}
