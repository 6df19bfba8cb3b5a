import AlarmModel

/// How much may be written now, so that a line of 115 200 baud, which carries 11 520 bytes a second, never falls behind.
///
/// Guarantees: in any second at most 11 520 bytes are allowed.
struct OutputBudget: Equatable, Sendable {
    /// Saved up at most, and gained in a second.
    static let burst = 3840
    static let rate = 7680

    private var saved = OutputBudget.burst
    private var countedUntil: BootTime?

    /// Bytes that may be written at this time.
    mutating func available(at now: BootTime) -> Int {
        guard let before = countedUntil else {
            countedUntil = now
            return saved
        }
        guard now > before else { return saved }
        let span = min((now - before).nanoseconds, 1_000_000_000)
        let gained = Int(span) * Self.rate / 1_000_000_000
        if gained > 0 || saved >= Self.burst {
            saved = min(Self.burst, saved + gained)
            countedUntil = now
        }
        return saved
    }

    mutating func spend(_ count: Int) { saved -= count }
}
