import AlarmModel
import ApplianceCore
import Uplinks

/// What the world remembers of texts that came in, to hold the promise about them against.
///
/// Guarantees: no OK is passed over that comes to nothing, none that nobody has sent, and nothing of what texts say
/// otherwise in the journal. Knows nothing of why there was an alarm.
struct AnswerChecks: Sendable {
    /// Numbers to which a text of this run has left, and that have not answered since.
    private var open: [String] = []
    /// Numbers that have answered an open text in any run.
    private var everAnswered: [String] = []
    /// An OK was heard about an open text, and no event says so.
    private var heardAt: BootTime?
    /// Answers to open texts over all runs.
    private(set) var count = 0

    mutating func restarted() { (open, heardAt) = ([], nil) }

    mutating func left(_ message: TextMessage) {
        if !open.contains(message.number) { open.append(message.number) }
    }

    /// - Returns: whether it is somebody's word about the texts to his number
    mutating func heard(_ text: IncomingText?, at now: BootTime) -> Bool {
        guard let text, text.isOK, let number = text.sender.number, open.contains(number) else { return false }
        open.removeAll { $0 == number }
        if !everAnswered.contains(number) { everAnswered.append(number) }
        heardAt = heardAt ?? now
        count += 1
        return true
    }

    /// A batch leaves the core, perhaps not for the first time.
    mutating func ordered(_ batch: Batch, from here: Standpoint) throws(Violation) {
        for event in batch.events {
            guard !event.message.contains(IncomingText.secret) else {
                throw here.broken(.secretsStay, "what a text said is in '\(event.message)'")
            }
            guard event.code == EventCode.textAnswer.rawValue, event.message.contains("answered OK to") else {
                continue
            }
            guard everAnswered.contains(where: { event.message.contains($0.suffix(4)) }) else {
                throw here.broken(.answersAreHeard, "'\(event.message)', and nobody has")
            }
            heardAt = nil
        }
    }

    /// Every few seconds.
    func look(_ store: SimulatedStore, from here: Standpoint) throws(Violation) {
        // While the store takes nothing, the event waits in the core.
        guard let heardAt, store.isSound(at: here.now) else { return }
        if here.now - max(heardAt, store.goodSince) > .seconds(20) {
            throw here.broken(.answersAreHeard, "OK came \(here.now - heardAt) ago, and nothing says so")
        }
    }
}
