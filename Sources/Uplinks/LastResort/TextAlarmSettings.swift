package import AlarmModel

/// Settings of text messages: to whom, and when. In `TextAlarm` the numbers are those of one recipient.
package struct TextAlarmSettings: Codable, Equatable, Sendable {
    /// Phone numbers, best with + and the country's code. Empty: no text is ever sent.
    package var numbers: [String]
    /// Whose they are; nil: nobody has said so.
    package var people: [PersonNumber]?
    /// An alarm that nothing has delivered for so long goes out as text.
    package var patience: Duration
    /// What makes a text needless.
    package enum Unless: String, Codable, Equatable, Sendable {
        /// A phone's own receipt, or a person.
        case confirmed = "confirmed"
        /// That a service took the alarm, which says nothing of the phone.
        case taken = "taken"
        /// A person alone: by "seen", a button, a key or an answer. A phone's receipt gives time to look.
        case seen = "seen"
    }
    package var unless: Unless {
        get { wanted ?? .taken }
        set { wanted = newValue }
    }
    /// nil: from before there was a choice.
    private var wanted: Unless?
    /// Begins each text, such as the site's name; may be empty.
    package var title: String
    /// In which each number gets them that is nobody's whose language is known, such as the house's; nil: one text for all.
    package var language: NoticeLanguage?
    /// What stands around them in a text message.
    package var text: InLanguages<TextWords>?
    /// They are spoken in a call; nil: text messages.
    package var speech: SpeechWords?
    /// The same where each person hears it in the own language.
    package var speechIn: InLanguages<SpeechWords>?

    /// Numbers are called one after the other; nil: all at once.
    package var isOneByOne: Bool?
    /// Numbers of all recipients that take turns with these; nil: these alone.
    package var turns: Int?

    private enum CodingKeys: String, CodingKey {
        case isOneByOne = "isOneByOne", turns = "turns", numbers = "numbers", patience = "patience", wanted = "unless",
            title = "title",
            speech = "speech",
            people = "people", language = "language", text = "text", speechIn = "speechIn"
    }

    /// From a try until its answer counts as missing.
    var answerPatience: Duration {
        if isOneByOne == true { return ModemCaller.longest * max(1, numbers.count, turns ?? 0) + .seconds(30) }
        return speech == nil ? TextAlarm.answerPatience : TextAlarm.callPatience
    }
    var sentWords: String { speech == nil ? "text sent to" : "heard at" }

    /// nil: the one for all.
    func language(of number: String) -> NoticeLanguage? {
        guard let language else { return nil }
        return people?.first { $0.number == number }?.language ?? language
    }

    func compose(_ alarms: [TextAlarm.Waiting], in language: NoticeLanguage?) -> String {
        let words = alarms.map { $0.words(in: language) }
        guard let speech else {
            return (language.flatMap { text?[$0] } ?? TextWords()).compose(title: title, alarms: words)
        }
        return (language.flatMap { speechIn?[$0] } ?? speech).compose(title: title, alarms: words)
    }

    package init(
        numbers: [String], patience: Duration = .minutes(5), unless: Unless = .confirmed, title: String = ""
    ) {
        self.numbers = numbers
        self.patience = patience
        wanted = unless
        self.title = title
    }
}

/// A telephone number and whose it is.
package struct PersonNumber: Codable, Equatable, Sendable {
    /// Of the person, as in `people` or at the console.
    package var name: String
    /// With + and the country's code.
    package var number: String
    /// In which the person reads; nil: not known here.
    package var language: NoticeLanguage?

    package init(name: String, number: String, language: NoticeLanguage? = nil) {
        self.name = name
        self.number = number
        self.language = language
    }
}

/// Kind of a recipient's word about an alarm.
package enum AlarmWord: Codable, Equatable, Sendable {
    /// A phone says by itself that it has the alarm.
    case receipt
    /// A person says so.
    case seen
}

/// Names an alarm that waits for its delivery. Whoever tells of alarms chooses the numbers, each once.
package struct WaitingAlarmID: Codable, Equatable, Comparable, Sendable {
    package var number: UInt64
    package init(_ number: UInt64) { self.number = number }
    package static func < (a: WaitingAlarmID, b: WaitingAlarmID) -> Bool { a.number < b.number }
}

/// What `TextAlarm` orders or reports.
package enum TextAlarmAction: Codable, Equatable, Sendable {
    /// Answered by `sent` or `failed`.
    case sendText(TextMessage)
    /// To be journalled.
    case note(TextAlarmNote, words: String)
}

/// What became of alarms as text.
package enum TextAlarmNote: Codable, Equatable, Sendable {
    /// At least one number got them.
    case sent([WaitingAlarmID])
    /// Numbers were called and nobody pressed a key. They are not called about these alarms again.
    case unheard([WaitingAlarmID])
    /// No number got them, with three tries each; it is tried again. Told once of each.
    case failed([WaitingAlarmID])
    /// They wait: the day's texts are used up. Told once until a text leaves again.
    case heldBack([WaitingAlarmID])
    /// Nobody got them within a day, and they are given up.
    case givenUp([WaitingAlarmID])
}
