import AlarmModel

/// How long to wait before the next attempt: for ever, never in a tight loop (docs/envisalink.md 1.5).
struct ReconnectPolicy: Codable, Equatable, Sendable {
    /// Attempts since the last session that lasted; the delay does not grow beyond the maximum, so it stops counting.
    private var attempts = 0
    private var refusals = 0
    /// Connections in a row that the module did not take.
    private var slotRefusals = 0

    static let stableAfter = Duration.seconds(60)
    /// A module that has just begun to listen, or has just ended another session, refuses for a moment only.
    static let firstSlotWaits = [Duration.seconds(2), .seconds(4), .seconds(8)]

    /// - Parameters:
    ///   - isRefusal: the module will refuse again until a person changes something
    ///   - isSlotTaken: the module holds another session and has to forget it first
    ///   - longest: not longer than that, but for a refusal; nil: as long as usual
    mutating func delay(
        isRefusal: Bool, isSlotTaken: Bool, longest: Duration? = nil, settings: PanelSettings, jitter: inout Jitter
    ) -> Duration {
        if isRefusal {
            let span = Self.doubled(settings.refusedWait, times: refusals, limit: max(.hours(1), settings.refusedWait))
            refusals = min(refusals + 1, 30)
            return span
        }
        let usual = usualDelay(isSlotTaken: isSlotTaken, settings: settings, jitter: &jitter)
        return longest.map { min(usual, $0) } ?? usual
    }

    private mutating func usualDelay(isSlotTaken: Bool, settings: PanelSettings, jitter: inout Jitter) -> Duration {
        if isSlotTaken, slotRefusals < Self.firstSlotWaits.count {
            let base = min(Self.firstSlotWaits[slotRefusals], settings.slotHeldWait)
            slotRefusals += 1
            return jitter.duration(in: (base * 4 / 5)..<(base * 6 / 5))
        }
        let base = Self.doubled(settings.reconnectMinimum, times: attempts, limit: settings.reconnectMaximum)
        attempts = min(attempts + 1, 30)
        let span = jitter.duration(in: (base * 4 / 5)..<(base * 6 / 5))
        guard isSlotTaken else { return span }
        return max(span, jitter.duration(in: settings.slotHeldWait..<(settings.slotHeldWait * 6 / 5)))
    }

    mutating func loggedIn() {
        slotRefusals = 0
        refusals = 0
    }

    mutating func sessionEnded(after span: Duration) {
        if span >= Self.stableAfter { attempts = 0 }
    }

    /// A person changed something: everything may be tried at once.
    mutating func reset() { self = ReconnectPolicy() }

    private static func doubled(_ base: Duration, times: Int, limit: Duration) -> Duration {
        var span = min(base, limit)
        for _ in 0..<times where span < limit { span = min(span * 2, limit) }
        return span
    }
}
