import AlarmModel
import PhoneLink
import Uplinks

/// Who is told in which language by text and call: a person in the own one, a number of nobody in the house's. Calls do so
/// only where the provider is told the language: its voice is set for one, and would read the other's words wrongly.
extension Step {
    func settings(of kind: LastResort.Kind) -> TextAlarmSettings? {
        switch kind {
        case .texts: textSettings
        case .calls: callSettings
        }
    }

    /// Without a modem of ours there is nothing that could send a text.
    var textSettings: TextAlarmSettings? {
        guard configuration.modem != nil, var settings = configuration.texts else { return nil }
        settings.title = configuration.siteName
        settings.language = houseLanguage
        settings.people = settings.people?.map(reading)
        settings.text = InLanguages { noticeText(in: $0).textWords }
        return settings
    }

    var callSettings: TextAlarmSettings? {
        guard let calls = configuration.calls, calls.provider != nil || configuration.modem != nil else { return nil }
        var settings = TextAlarmSettings(
            numbers: calls.people.map(\.number), patience: calls.patience, unless: calls.unless,
            title: configuration.siteName)
        settings.speech = speechWords(in: houseLanguage)
        settings.isOneByOne = calls.provider == nil
        guard speaksToEach else { return settings }
        settings.language = houseLanguage
        settings.people = calls.people.map(reading)
        settings.speechIn = InLanguages { speechWords(in: $0) }
        return settings
    }

    func words(of event: Event, _ kind: LastResort.Kind, in language: NoticeLanguage) -> String {
        let text = noticeText(in: language)
        return switch kind {
        case .texts: text.line(of: event, partitions: panel.partitions)
        case .calls: text.speech(of: event, partitions: panel.partitions)
        }
    }

    /// Of a test call to this person.
    func speechOfTest(to person: PersonNumber) -> SpokenWords {
        let language = (speaksToEach ? reading(person).language : nil) ?? houseLanguage
        let words = noticeText(in: language).speechOfTest
        let text = speechWords(in: language).compose(title: configuration.siteName, alarms: [words])
        return SpokenWords(text, in: language)
    }

    /// In the own language: the box itself speaks, or the provider is told which voice it is to take.
    private var speaksToEach: Bool { configuration.calls?.provider?.namesLanguage ?? true }

    private func speechWords(in language: NoticeLanguage) -> SpeechWords {
        noticeText(in: language).speechWords(hasKeys: configuration.calls?.hasKeys ?? false)
    }

    /// With the language that the phone book has now.
    private func reading(_ person: PersonNumber) -> PersonNumber {
        var person = person
        person.language = book.person(named: person.name).map { NoticeLanguage(code: $0.language) }
        return person
    }
}
