package import AlarmModel

/// What `howalarming panel` shows.
package struct SessionReport: Codable, Equatable, Sendable {
    package enum Phase: String, Codable, Equatable, Sendable {
        case idle, waiting, connecting, loggingIn, resynchronising, up, stopped
    }
    package var phase: Phase
    package var since: BootTime?
    /// When the next attempt is due, while `waiting`.
    package var nextAttempt: BootTime?
    /// Why there is no session, in words that say what to do; nil while all is well.
    package var problem: String?
    package var counters: PanelCounters
    /// Command to 500: the last, the mean and the largest of this session.
    package var answerLast: Duration?
    package var answerMean: Duration?
    package var answerMax: Duration?
    package var waitingOrders: Int
    package var lastLineAt: BootTime?

    package init(phase: Phase, counters: PanelCounters, waitingOrders: Int) {
        self.phase = phase
        self.counters = counters
        self.waitingOrders = waitingOrders
    }
}

/// Counted since the daemon started; every rejected input is one of these.
package struct PanelCounters: Codable, Equatable, Sendable {
    package var linesReceived: UInt64 = 0
    package var linesSent: UInt64 = 0
    package var bytesReceived: UInt64 = 0
    package var bytesSent: UInt64 = 0
    package var badChecksum: UInt64 = 0
    /// Longer than the cap, dropped up to the next line end.
    package var overlong: UInt64 = 0
    /// Too short, no code, or not printable.
    package var malformed: UInt64 = 0
    package var unknownCode: UInt64 = 0
    package var wrongData: UInt64 = 0
    package var unexpectedAck: UInt64 = 0
    package var commandErrors: UInt64 = 0
    package var systemErrors: UInt64 = 0
    package var retries: UInt64 = 0
    package var missedAnswers: UInt64 = 0
    package var connects: UInt64 = 0
    package var connectFailures: UInt64 = 0
    package var sessions: UInt64 = 0

    package init() {}
}
