import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// An event in words, for those who have no app of ours. One table for each language: `EnglishWords`, `GermanWords`.
struct NoticeText {
    var siteName: String
    var names: SiteNames
    var timeZone: TimeZoneRules
    var language: NoticeLanguage

    /// - Parameter partitions: as they are now: nothing that ends is told as if all were well while one is in alarm
    func notice(_ event: Event, partitions: [PartitionState]) -> Notice {
        let (words, subject) = said(of: event, partitions)
        return Notice(
            title: Self.line("\(site): \(words.title)"), text: Self.line(words.text), subject: subject, time: event.time
        )
    }

    /// The same to be spoken, without the house's name.
    func speech(of event: Event, partitions: [PartitionState]) -> String {
        let words = said(of: event, partitions).words
        return "\(words.title). \(words.text)"
    }

    /// What happened, where and when, for a text message: the title with the place, without the house's name.
    func line(of event: Event, partitions: [PartitionState]) -> String {
        let title = said(of: event, partitions).words.title
        return event.isTimeTrusted ? "\(title) (\(clock(event.time)))" : title
    }

    private func said(of event: Event, _ partitions: [PartitionState]) -> (words: NoticeWords, NoticeSubject) {
        var subject = event.subject(names, partitions: partitions)
        let facts = facts(event, subject, partitions)
        var words = words(subject, facts)
        if subject.isGoodNews, let partition = facts.alarmOn {
            words = stillInAlarm(words, in: partition, since: facts.since)
            subject = .otherAlarm
        }
        words.title += facts.place.map { ", \($0)" } ?? ""
        return (words, subject)
    }

    /// A call that only tries out whether it comes.
    var speechOfTest: String {
        switch language {
        case .english: EnglishWords.speechOfTest
        case .german: GermanWords.speechOfTest
        }
    }

    /// - Parameter hasKeys: a pressed key is heard of
    func speechWords(hasKeys: Bool) -> SpeechWords {
        let (more, ending) =
            switch language {
            case .english: (EnglishWords.moreAlarms, EnglishWords.pressKey)
            case .german: (GermanWords.moreAlarms, GermanWords.pressKey)
            }
        return SpeechWords(more: more, ending: hasKeys ? ending : "")
    }

    /// Around alarms in a text message.
    var textWords: TextWords {
        switch language {
        case .english: EnglishWords.textWords
        case .german: GermanWords.textWords
        }
    }

    /// What is not about an event.
    func notice(title: String, text: String, at time: WallTime) -> Notice {
        Notice(title: Self.line("\(site): \(title)"), text: text, subject: .news, time: time)
    }

    /// Beside a picture of a camera: whose it is.
    static func pictureTitle(_ camera: String, _ language: NoticeLanguage) -> String {
        switch language {
        case .english: "Picture: \(camera)"
        case .german: "Bild: \(camera)"
        }
    }

    /// That notices arrive at a phone from now on.
    func probe(at time: WallTime) -> Notice {
        let words =
            switch language {
            case .english: EnglishWords.probe
            case .german: GermanWords.probe
            }
        return notice(title: words.title, text: words.text, at: time)
    }

    /// - Parameter event: beside which the button is shown
    func label(_ verb: ContactVerb, for event: Event) -> String {
        let declines = verb == .disarm && event.code == EventCode.scheduleSoon.rawValue
        return switch language {
        case .english: declines ? EnglishWords.decline : EnglishWords.label(verb)
        case .german: declines ? GermanWords.decline : GermanWords.label(verb)
        }
    }

    private var site: String { siteName.isEmpty ? "HowAlarming" : siteName }

    private func words(_ subject: NoticeSubject, _ facts: NoticeFacts) -> NoticeWords {
        switch language {
        case .english: EnglishWords.words(subject, facts)
        case .german: GermanWords.words(subject, facts)
        }
    }

    private func stillInAlarm(_ words: NoticeWords, in partition: String, since: String?) -> NoticeWords {
        switch language {
        case .english: EnglishWords.stillInAlarm(words, in: partition, since: since)
        case .german: GermanWords.stillInAlarm(words, in: partition, since: since)
        }
    }

    private func facts(_ event: Event, _ subject: NoticeSubject, _ partitions: [PartitionState]) -> NoticeFacts {
        let own = partitions.first { $0.number == event.partition }
        let inAlarm = partitions.filter { $0.status.last?.isInAlarm ?? false }
        let alarm = inAlarm.first { $0.number == event.partition } ?? inAlarm.first
        var facts = NoticeFacts(message: event.message)
        facts.zone = event.zone.map { event.zoneName ?? NoticeFacts.zone($0, language) }
        facts.partition = event.partition.map(partition)
        facts.user = event.userName == Actor.schedule.name ? NoticeFacts.schedule(language) : event.userName
        facts.time = event.isTimeTrusted ? clock(event.time) : nil
        facts.alarmOn = alarm.map { partition($0.number) }
        facts.since = alarm?.alarmSince.map(clock)
        switch own?.status.last {
        case .alarm(let mode), .armed(let mode), .exitDelay(let mode), .entryDelay(let mode): facts.mode = mode
        case .disarmed, .ready, .readyForce, .notReady, .notEnabled, nil: break
        }
        if subject == .alarmEnded, let past = own?.pastAlarm, past.until == event.time {
            facts.user = event.userName ?? past.endedBy
            facts.since = clock(past.since)
            facts.lasted = past.until - past.since
        }
        if subject == .alarmEnded || event.zone == nil && subject.isAlarm && own?.alarmSince != nil {
            facts.causes = (own?.alarmZones ?? []).map { names.zone($0)?.name ?? NoticeFacts.zone($0, language) }
        }
        return facts
    }

    private func partition(_ number: Int) -> String {
        names.partition(number) ?? NoticeFacts.partition(number, language)
    }

    private func clock(_ time: WallTime) -> String { timeZone.civilTime(at: time).time }

    private static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}

/// What is said of an event.
struct NoticeWords {
    var title: String
    var text: String
}

/// What the words of an event are made of. Names are the owner's own.
struct NoticeFacts {
    /// The event's sentence in the journal, English.
    var message: String
    var zone: String?
    var partition: String?
    /// Who armed or disarmed.
    var user: String?
    /// How the partition is armed, or was before the alarm.
    var mode: ArmMode?
    /// When it happened, `16:40:21` in the house; nil while the clock is not trusted.
    var time: String?
    /// A partition that is in alarm now, the event's own before others.
    var alarmOn: String?
    /// When that alarm, or the one that ended, began.
    var since: String?
    /// How long the alarm was that ended.
    var lasted: Duration?
    /// The zones that caused the alarm of the partition.
    var causes: [String] = []

    init(message: String) { self.message = message }

    var place: String? { zone ?? partition }

    /// What stands behind the first colon of the sentence: names.
    var detail: String? {
        message.firstIndex(of: ":").map { String(message[message.index(after: $0)...].trimmed(\.isWhitespace)) }
    }

    /// The last word of the sentence.
    var lastWord: String { message.split(separator: " ").last.map(String.init) ?? "" }

    static func schedule(_ language: NoticeLanguage) -> String {
        switch language {
        case .english: "the schedule"
        case .german: "den Zeitplan"
        }
    }

    static func zone(_ number: Int, _ language: NoticeLanguage) -> String {
        switch language {
        case .english: "zone \(number)"
        case .german: "Zone \(number)"
        }
    }

    static func partition(_ number: Int, _ language: NoticeLanguage) -> String {
        switch language {
        case .english: "partition \(number)"
        case .german: "Bereich \(number)"
        }
    }
}

extension PartitionStatus {
    var isInAlarm: Bool {
        if case .alarm = self { true } else { false }
    }
}
