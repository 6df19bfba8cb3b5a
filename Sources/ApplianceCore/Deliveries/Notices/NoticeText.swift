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
            // Good news about something else keeps its title and does not ring.
            let isOfAlarm = subject.isRestoredAlarm && event.partition == facts.alarmPartition
            words = stillInAlarm(words, in: partition, facts, isOfAlarm: isOfAlarm)
            if isOfAlarm { subject = facts.sirenStopped ? .sirenStopped : .otherAlarm }
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

    private func stillInAlarm(
        _ words: NoticeWords, in partition: String, _ facts: NoticeFacts, isOfAlarm: Bool
    ) -> NoticeWords {
        let still =
            switch language {
            case .english: EnglishWords.stillInAlarm(words, in: partition, facts)
            case .german: GermanWords.stillInAlarm(words, in: partition, facts)
            }
        return isOfAlarm ? still : NoticeWords(title: words.title, text: still.text)
    }

    private func facts(_ event: Event, _ subject: NoticeSubject, _ partitions: [PartitionState]) -> NoticeFacts {
        let own = partitions.first { $0.number == event.partition }
        let inAlarm = partitions.filter(\.isInAlarm)
        let alarm = inAlarm.first { $0.number == event.partition } ?? inAlarm.first
        var facts = NoticeFacts(message: event.message)
        facts.zone = event.zone.map { event.zoneName ?? NoticeFacts.zone($0, language) }
        facts.partition = event.partition.map(partition)
        facts.user = event.userName == Actor.schedule.name ? NoticeFacts.schedule(language) : event.userName
        if subject.isArming, facts.user == nil { facts.user = own.flatMap { recentUser($0, event) } }
        if subject == .armed {
            facts.open = (own?.openAtArming ?? []).map { names.zone($0)?.name ?? NoticeFacts.zone($0, language) }
        }
        // A change that a status report found happened at an unknown time before.
        facts.time = event.isTimeTrusted && !event.flags.contains(.whileAway) ? clock(event.time) : nil
        facts.alarmOn = alarm.map { partition($0.number) }
        facts.alarmPartition = alarm?.number
        facts.since = alarm?.openIncident.flatMap(since)
        facts.sirenStopped = alarm?.openIncident?.sirenStopped != nil
        facts.isAlarmShown = alarm?.openIncident.map { $0.isShown && $0.sirenStopped == nil } ?? true
        facts.mode = own?.status.last?.mode
        if let own, let incident = own.incident { add(incident, of: own, subject, event, &facts) }
        return facts
    }

    private func add(
        _ incident: Incident, of partition: PartitionState, _ subject: NoticeSubject, _ event: Event,
        _ facts: inout NoticeFacts
    ) {
        switch subject {
        case .alarmEnded, .alarmNoLongerReported, .alarmEndedByArming:
            guard let end = incident.end, end.time == event.time else { return }
            // The other endings are without a disarming.
            if end.ending == .disarmed { facts.user = event.userName ?? end.person ?? recentUser(partition, event) }
            facts.since = since(incident)
            if incident.isSinceTrusted, incident.unheardSince == nil { facts.lasted = end.time - incident.since }
            facts.causes = causes(incident)
        case .sirenStopped: facts.causes = causes(incident)
        case .missedAlarm:
            guard event.zone == nil, let from = incident.unheardSince, from < incident.since, incident.isSinceTrusted
            else { return }
            facts.window = (clock(from), clock(incident.since))
        default: if event.zone == nil, subject.isAlarm, incident.isOpen { facts.causes = causes(incident) }
        }
    }

    /// The user whom the panel named (700, 750) about the time of the event.
    private func recentUser(_ partition: PartitionState, _ event: Event) -> String? {
        guard let time = partition.lastChangedAt, abs((time - event.time).milliseconds) < 5000,
            case .user(let number)? = partition.lastChangedBy
        else { return nil }
        return partition.lastChangedByName ?? NoticeFacts.user(number, language)
    }

    /// Names of the zones that raised it, in the order of their alarms.
    private func causes(_ incident: Incident) -> [String] {
        incident.zones.map { names.zone($0.number)?.name ?? NoticeFacts.zone($0.number, language) }
    }

    /// nil while the time is not to be trusted, or of an alarm that nobody heard.
    private func since(_ incident: Incident) -> String? {
        incident.isSinceTrusted && incident.unheardSince == nil ? clock(incident.since) : nil
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
    /// Zones that stood open as the partition was armed.
    var open: [String] = []
    /// How the partition is armed, or was before the alarm.
    var mode: ArmMode?
    /// When it happened, `16:40:21` in the house; nil while the clock is not trusted.
    var time: String?
    /// A partition that is in alarm now, the event's own before others.
    var alarmOn: String?
    var alarmPartition: Int?
    /// When that alarm, or the one that ended, began.
    var since: String?
    /// The panel has stopped the siren of that alarm.
    var sirenStopped = false
    /// The panel shows that alarm at its keypads: it is no silent one, and its siren's time is not over.
    var isAlarmShown = false
    /// An alarm that nobody heard happened between these times.
    var window: (from: String, to: String)?
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

    static func user(_ number: Int, _ language: NoticeLanguage) -> String {
        switch language {
        case .english: "user \(number)"
        case .german: "Benutzer \(number)"
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

extension NoticeSubject {
    fileprivate var isArming: Bool {
        switch self {
        case .armed, .disarmed: true
        default: false
        }
    }

    /// A part of an alarm has ended, and the alarm may go on.
    fileprivate var isRestoredAlarm: Bool {
        switch self {
        case .zoneRestored, .keyRestored, .tamperRestored: true
        default: false
        }
    }
}
