import AlarmModel

extension TextAlarm {
    /// An alarm that nothing has delivered.
    struct Waiting: Codable, Equatable, Sendable {
        var id: WaitingAlarmID
        /// For those whose language is not known.
        var words: String
        /// For all others; nil: one text for all.
        var inLanguages: InLanguages<String>?
        var since: BootTime
        /// In the journal, once it is there.
        var number: SequenceNumber?
        /// When what data paths took, and may send back, counts as delivered; one for each.
        var takenUntil: [BootTime] = []
        /// Where that somebody took it is not enough: when the first of those did that have not sent it back.
        var takenAt: BootTime?
        var takings = 0
        /// No service has accepted it for anybody, for longer than one needs.
        var isUnaccepted: Bool?
        /// When the next round may begin for its sake; nil: none was in vain.
        var again: BootTime?
        var pause = TextAlarm.gap

        func words(in language: NoticeLanguage?) -> String { language.flatMap { inLanguages?[$0] } ?? words }

        /// When it begins a round; nil while a data path has it.
        func due(_ patience: Duration) -> BootTime? { ripe(patience).map { max($0, again ?? $0) } }

        /// From when on it shares one that begins.
        func ripe(_ patience: Duration) -> BootTime? {
            guard takenUntil.isEmpty else { return nil }
            let patience = isUnaccepted == true ? min(patience, TextAlarm.unacceptedPatience) : patience
            return max(since + patience, takenAt.map { $0 + TextAlarm.lookSpan } ?? .zero)
        }

        mutating func wasTaken(at now: BootTime) {
            takings += 1
            takenAt = takenAt ?? now
        }

        mutating func cameBack() {
            if !takenUntil.isEmpty { takenUntil.removeFirst() }
            takings = max(0, takings - 1)
            if takings == 0 { takenAt = nil }
        }

        mutating func wasInVain(at now: BootTime) {
            again = now + pause
            pause = min(pause * 2, TextAlarm.longestPause)
        }
    }
}
