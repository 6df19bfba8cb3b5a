import AlarmModel

/// The time of the simulated world, which goes from event to event.
///
/// Guarantees: it does not go back, and does not stand still for ever without being noticed.
struct WorldTime: Equatable, Sendable {
    private static let atOnceLimit = 20_000

    private(set) var now = BootTime.zero
    /// Happenings since it stands where it stands.
    private var atOnce = 0

    /// - Returns: false when too much has happened at one moment
    mutating func reach(_ time: BootTime) -> Bool {
        atOnce = time > now ? 0 : atOnce + 1
        now = max(now, time)
        return atOnce < Self.atOnceLimit
    }
}
