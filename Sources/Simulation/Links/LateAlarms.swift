import AlarmModel
import ApplianceCore

/// Alarms that no service has taken, in a house with two links: none waits for long while all is well.
struct LateAlarms: Equatable, Sendable {
    struct Alarm: Equatable, Sendable {
        var message: MessageID
        /// When it was seen first.
        var since: BootTime
    }

    static let patience = Duration.seconds(60)
    /// On the disk one that a service has taken waits until it is overdue, and that is written.
    private static let shown = patience + OutboxPolicy().receiptDelay + .seconds(3)

    private var waiting: [Alarm] = []
    /// Since when all is well in one run of the daemon; nil while it is not.
    private var soundSince: BootTime?
    private var run = -1

    /// - Parameter isSound: the daemon runs, the store works, and a link is good
    mutating func look(at messages: [MessageID], isSound: Bool, run: Int, at now: BootTime) {
        if !isSound || self.run != run { soundSince = nil }
        self.run = run
        if isSound { soundSince = soundSince ?? now }
        waiting.removeAll { !messages.contains($0.message) }
        for message in messages where !waiting.contains(where: { $0.message == message }) {
            waiting.append(Alarm(message: message, since: now))
        }
    }

    /// Those that wait longer than they must.
    func overdue(at now: BootTime) -> [Alarm] {
        guard let soundSince else { return [] }
        return waiting.filter { now - max($0.since, soundSince) > Self.shown }
    }
}
