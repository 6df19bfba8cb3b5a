import AlarmModel

/// A status report while it runs: which of its items came already (docs/envisalink.md 2.1, docs/ARCHITECTURE.md 5).
///
/// The first line for an item is the report's; a second one is news, because the report says everything once.
struct StatusReport: Codable, Equatable, Sendable {
    /// The transaction that asked.
    let transaction: UInt64
    /// When it is taken as ended although no poll answered; set by 500001.
    private(set) var capAt: BootTime?
    var closingPollIsOut = false
    /// Ascending.
    private var seen: [Int] = []

    init(transaction: UInt64) { self.transaction = transaction }

    mutating func acknowledged(cap: BootTime) {
        if capAt == nil { capAt = cap }
    }

    /// Whether a poll has to be sent to mark its end.
    var wantsClosingPoll: Bool { capAt != nil && !closingPollIsOut }

    /// Whether this line is the report's and not news.
    mutating func claims(_ message: DSCMessage) -> Bool {
        guard let item = Self.item(of: message), !seen.contains(item) else { return false }
        seen.append(item)
        return true
    }

    /// A number for what the line speaks of; nil for lines that are never part of a report.
    private static func item(of message: DSCMessage) -> Int? {
        switch message {
        case .zoneOpen(let zone, _): zone
        case .partition(let number, _): 1000 + number
        case .busy(let number): 1100 + number
        case .troubleLED(let number, _): 1200 + number
        case .chime(let number, _): 1300 + number
        case .leds: 1400
        case .flashingLEDs: 1401
        case .acknowledged, .commandError, .systemError, .login, .time, .phoneRing, .temperature, .zoneAlarm,
            .zoneTamper, .zoneFault, .zoneTimers, .bypassed, .duress, .keyAlarm, .smoke, .keypadLockout,
            .failedToArm, .outputInProgress, .invalidCode, .functionNotAvailable, .failureToArm, .autoArming,
            .installerMode, .userClosing, .specialClosing, .partialClosing, .userOpening, .specialOpening,
            .trouble, .eventBufferNearlyFull, .zoneLowBattery, .troubles, .codeRequired, .outputPressed,
            .serialModule, .unknown:
            nil
        }
    }
}
