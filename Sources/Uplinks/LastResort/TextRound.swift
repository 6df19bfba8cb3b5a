import AlarmModel

/// One text on its way to all numbers, to each in its person's language.
struct TextRound: Codable, Equatable, Sendable {
    /// What became of a try.
    enum End {
        case sent
        case failed(String, mayBeThere: Bool)
    }

    struct Letter: Codable, Equatable, Sendable {
        let number: String
        /// nil: the one for all.
        let language: NoticeLanguage?
        /// nil: the round's.
        let text: String?
        var id: TextID?
        /// Of the answer while it is under way, of the next try otherwise.
        var due: BootTime?
        var tries = 0
        var isSent = false
        /// A try without an answer may have got there.
        var isUnsure = false
        var why: String?

        init(number: String, language: NoticeLanguage?, text: String?) {
            self.number = number
            self.language = language
            self.text = text
        }

        var isUnderWay: Bool { id != nil }
        var isFinished: Bool { isSent || (id == nil && tries >= TextAlarm.triesPerNumber) }

        func isDue(at now: BootTime) -> Bool {
            guard !isFinished, !isUnderWay else { return false }
            return due.map { now >= $0 } ?? true
        }

        mutating func begin(_ id: TextID, deadline: BootTime) {
            self.id = id
            due = deadline
            tries += 1
        }

        mutating func end(_ end: End, at now: BootTime) {
            id = nil
            due = now + TextAlarm.pauseBetweenTries
            switch end {
            case .sent: (isSent, why) = (true, nil)
            case .failed(let words, let mayBeThere):
                why = words
                if mayBeThere { isUnsure = true }
            }
        }
    }

    let alarms: [WaitingAlarmID]
    /// Those of them that no data path has delivered since.
    var undelivered: [TextAlarm.Waiting]
    /// For the numbers that have none of their own.
    let text: String
    let begin: BootTime
    var letters: [Letter]

    init(alarms: [TextAlarm.Waiting], by settings: TextAlarmSettings, at now: BootTime) {
        self.alarms = alarms.map(\.id)
        undelivered = alarms
        text = settings.compose(alarms, in: settings.language)
        begin = now
        letters = settings.numbers.map { number in
            let language = settings.language(of: number)
            let isOwn = language != settings.language
            return Letter(
                number: number, language: language, text: isOwn ? settings.compose(alarms, in: language) : nil)
        }
    }

    mutating func answered(_ id: TextID, _ end: End, at now: BootTime) {
        guard let index = letters.firstIndex(where: { $0.id == id }) else { return }
        letters[index].end(end, at: now)
    }

    mutating func expire(at now: BootTime) {
        for index in letters.indices where letters[index].isUnderWay {
            guard let due = letters[index].due, now >= due else { continue }
            letters[index].end(.failed(ModemFailure(.timedOut).description, mayBeThere: true), at: now)
        }
    }

    var isUnderWay: Bool { letters.contains { $0.isUnderWay } }

    /// Nothing is under way, and nothing is left to try or worth it.
    var isOver: Bool { !isUnderWay && (undelivered.isEmpty || letters.allSatisfy { $0.isFinished }) }

    var mayHaveReached: Bool { letters.contains { $0.isSent || $0.isUnsure } }

    func deadlines(isReady: Bool) -> [BootTime] {
        letters.filter { !$0.isFinished && ($0.isUnderWay || isReady) }.compactMap(\.due)
    }
}
