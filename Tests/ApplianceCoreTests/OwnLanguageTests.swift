import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Testing
import Uplinks

@testable import ApplianceCore

@Suite("Texts and calls come in each person's own language")
struct OwnLanguageTests {
    private static let anna = "+431234567"
    private static let ben = "+437654321"
    private static let nobody = "+439999999"

    /// Anna reads German, Ben English, and nobody knows whose the third number is.
    private static func bench(_ change: (inout Configuration) -> Void = { _ in }) -> Bench {
        var bench = Bench.withLinks { configuration in
            configuration.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            // A day of probes takes long.
            configuration.uplinks = nil
            configuration.texts = TextAlarmSettings(numbers: [anna, ben, nobody])
            configuration.texts?.people = people
            let zones = (3...12).map { SiteNames.Zone(number: $0, name: "Cellar \($0)", partition: 1, isFire: true) }
            configuration.panel.names = SiteNames(zones: zones)
            change(&configuration)
        }
        LastResortTests.plugIn(&bench)
        bench.ask(.people(.add(name: "Anna", PersonChange(language: "de"))), as: 60)
        bench.ask(.people(.add(name: "Ben", PersonChange(language: "en"))), as: 61)
        bench.advance(.seconds(30))
        return bench
    }

    private static var people: [PersonNumber] {
        [.init(name: "anna", number: anna), .init(name: "Ben", number: ben), .init(name: "Cleo", number: nobody)]
    }

    private static func texts(_ bench: Bench, to number: String) -> [String] {
        bench.net.texts.filter { $0.number == number }.map(\.text)
    }

    /// Of the last alarm, as a text has it.
    private static func time(_ bench: Bench) throws -> String {
        let alarm = try #require(bench.stored.map(\.event).last { $0.priority == .alarm })
        #expect(alarm.isTimeTrusted)
        return "(\(bench.configuration.panel.timeZone.civilTime(at: alarm.time).time))"
    }

    @Test("each gets what, where, when and how it is answered in his language, a number of nobody in the house's")
    func eachGetsItInHisLanguage() throws {
        for house in [nil] + NoticeLanguage.allCases {
            var bench = Self.bench { $0.language = house }
            bench.panel("6011003")
            bench.advance(.minutes(5) + .seconds(5))
            let time = try Self.time(bench)
            let german = "Mill: FEUER, Cellar 3 \(time). Mit OK antworten = gesehen."
            let english = "Mill: FIRE, Cellar 3 \(time). Answer OK if seen."
            #expect(Self.texts(bench, to: Self.anna) == [german])
            #expect(Self.texts(bench, to: Self.ben) == [english])
            #expect(Self.texts(bench, to: Self.nobody) == [house == .german ? german : english])
        }
    }

    @Test("numbers without names get it in the language of the house", arguments: NoticeLanguage.allCases)
    func numbersWithoutNamesGetItInTheLanguageOfTheHouse(house: NoticeLanguage) {
        var bench = Self.bench {
            $0.language = house
            $0.texts?.people = nil
        }
        bench.panel("6011003")
        bench.advance(.minutes(5) + .seconds(5))
        let word = house == .german ? "FEUER" : "FIRE"
        #expect(bench.net.texts.map { $0.text.includes("Mill: \(word), Cellar 3 (") } == [true, true, true])
    }

    @Test("several alarms are counted in his language, those that are named and those that are not")
    func severalAlarmsAreCountedInHisLanguage() throws {
        var bench = Self.bench()
        for zone in ["003", "004", "005", "006", "007", "008", "009", "010", "011", "012"] {
            bench.panel("6011\(zone)")
        }
        bench.advance(.minutes(5) + .seconds(5))
        let german = try #require(Self.texts(bench, to: Self.anna).first)
        let english = try #require(Self.texts(bench, to: Self.ben).first)
        #expect(german.hasPrefix("Mill: 10 ALARME: FEUER, Cellar 3 ("), "\(german)")
        #expect(german.hasSuffix(" weitere") && !german.includes("FIRE") && !german.includes("more"), "\(german)")
        #expect(english.hasPrefix("Mill: 10 ALARMS: FIRE, Cellar 3 ("), "\(english)")
        #expect(english.hasSuffix(" more") && !english.includes("FEUER") && !english.includes("weitere"), "\(english)")
        #expect(Self.texts(bench, to: Self.nobody) == [english])
    }

    @Test("while the clock is not trusted no time is told")
    func whileTheClockIsNotTrustedNoTimeIsTold() {
        let text = NoticeText(
            siteName: "Mill", names: SiteNames(), timeZone: Bench.configuration().panel.timeZone, language: .german)
        let event = Self.event("Cellar", isTimeTrusted: false)
        #expect(text.line(of: event, partitions: []) == "ALARM, Cellar")
    }

    @Test(
        "a person's language that is changed while an alarm waits is that of the whole text, once another alarm comes")
    func aPersonsLanguageThatIsChanged() throws {
        var bench = Self.bench { $0.language = .german }
        bench.panel("6011003")
        let time = try Self.time(bench)
        bench.advance(.seconds(30))
        bench.ask(.people(.set(name: "Anna", PersonChange(language: "en"))), as: 62)
        bench.panel("6011004")
        bench.advance(.seconds(35))
        #expect(Self.texts(bench, to: Self.anna) == ["Mill: FIRE, Cellar 3 \(time). Answer OK if seen."])
        #expect(Self.texts(bench, to: Self.nobody) == ["Mill: FEUER, Cellar 3 \(time). Mit OK antworten = gesehen."])
    }

    @Test("a house's language that is changed while an alarm waits is that of the whole text, and changes no person's")
    func aHousesLanguageThatIsChanged() throws {
        var bench = Self.bench { $0.language = .english }
        bench.panel("6011003")
        let time = try Self.time(bench)
        bench.advance(.seconds(30))
        var configuration = bench.configuration
        configuration.language = .german
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.seconds(35))
        let german = "Mill: FEUER, Cellar 3 \(time). Mit OK antworten = gesehen."
        #expect(Self.texts(bench, to: Self.anna) == [german])
        #expect(Self.texts(bench, to: Self.nobody) == [german])
        #expect(Self.texts(bench, to: Self.ben) == ["Mill: FIRE, Cellar 3 \(time). Answer OK if seen."])
    }

    // MARK: Calls

    private static func called(_ names: Bool, _ house: NoticeLanguage?, at line: String?) throws -> [String: [String]] {
        var bench = Self.bench {
            $0.language = house
            $0.texts = nil
            $0.calls = try? CallTests.settings()
            $0.calls?.people = people
            if names {
                $0.calls?.provider?.body = .form([
                    .init("To", Secret("{number}")),
                    .init("Parameters", Secret(#"{"words":"{language}: {words}"}"#)),
                ])
            }
        }
        if let line { bench.panel(line) } else { bench.ask(.phones(.testAlarm(phone: nil)), as: 70) }
        bench.advance(.minutes(3) + .seconds(5))
        return Dictionary(grouping: bench.caller.calls, by: \.number).mapValues { $0.map(\.words) }
    }

    @Test("a call whose provider hears the language is in each person's own", arguments: NoticeLanguage.allCases)
    func aCallWhoseProviderHearsTheLanguage(house: NoticeLanguage) throws {
        let calls = try Self.called(true, house, at: "6011003")
        let german = try #require(calls[Self.anna]?.first)
        let english = try #require(calls[Self.ben]?.first)
        #expect(german.hasPrefix("de: Mill. FEUER, Cellar 3. ") && german.hasSuffix(" Taste drücken."), "\(german)")
        #expect(english.hasPrefix("en: Mill. FIRE, Cellar 3. ") && english.hasSuffix(" heard this."), "\(english)")
        #expect(calls[Self.nobody] == [house == .german ? german : english])
    }

    @Test("a call whose provider does not hear it is in the house's, for everybody", arguments: NoticeLanguage.allCases)
    func aCallWhoseProviderDoesNotHearIt(house: NoticeLanguage) throws {
        let calls = try Self.called(false, house, at: "6011003")
        let words = calls.values.flatMap { $0 }
        let start = house == .german ? "Mill. FEUER, Cellar 3. " : "Mill. FIRE, Cellar 3. "
        #expect(words.count == 3 && Set(words).count == 1)
        #expect(words.allSatisfy { $0.hasPrefix(start) }, "\(words)")
    }

    @Test("a test call is in the same language as one about an alarm", arguments: [true, false])
    func aTestCallIsInTheSameLanguage(names: Bool) throws {
        let calls = try Self.called(names, .english, at: nil)
        let german = calls[Self.anna]?.first?.includes("Dies ist ein Testanruf")
        #expect(german == names)
        #expect(calls[Self.ben]?.first?.includes("This is a test call") == true)
        #expect(calls[Self.nobody] == calls[Self.ben])
        #expect(calls[Self.ben]?.first?.hasPrefix(names ? "en: Mill" : "Mill") == true)
    }

    // MARK: 160 letters

    private static func event(_ zone: String, isTimeTrusted: Bool = true) -> Event {
        Event(
            type: .alarm, code: "601", raw: "6011003", message: "Alarm: zone 3", time: WallTime(milliseconds: 7),
            isTimeTrusted: isTimeTrusted, partition: 1, partitionName: "House", zone: 3, zoneName: zone)
    }

    @Test(
        "both languages keep to 160 letters, whatever names are long and however many alarms there are, and cut neither count nor hint",
        arguments: NoticeLanguage.allCases)
    func bothLanguagesKeepTo160Letters(language: NoticeLanguage) {
        let (alarms, more, hint) =
            switch language {
            case .english: (" ALARMS", " more", "Answer OK if seen.")
            case .german: (" ALARME", " weitere", "Mit OK antworten = gesehen.")
            }
        var hinted = 0
        for letter in ["x", "ß", "€"] {
            for length in 0...170 {
                let name = String(repeating: letter, count: length)
                let text = NoticeText(
                    siteName: name, names: SiteNames(), timeZone: Bench.configuration().panel.timeZone,
                    language: language)
                let words = text.line(of: Self.event(name), partitions: [])
                for count in [1, 2, 3, 11, 1000] {
                    // Words are kept of 32.
                    let told = (0..<count).map { $0 < TextAlarm.wordsKept ? words : "" }
                    let made = text.textWords.compose(title: name, alarms: told)
                    #expect(TextWords.length(made) <= TextWords.limit, "\(made)")
                    // In the alphabet of texts; a cut may leave a space at the end.
                    #expect(TextWords.fold(made + ".") == made + ".")
                    #expect(count == 1 || made.includes("\(count)\(alarms): "), "\(made)")
                    if made.hasSuffix(". \(hint)") { hinted += 1 }
                    #expect(count < 33 || made.hasSuffix(more) || made.hasSuffix(". \(hint)"), "\(made)")
                }
            }
        }
        #expect(hinted > 100)
    }

    @Test("alarms whose words are not kept are counted in each language, one of them named as an alarm")
    func alarmsWhoseWordsAreNotKept() {
        for words in [EnglishWords.textWords, GermanWords.textWords] {
            #expect(words.compose(title: "Mill", alarms: [""]).hasPrefix("Mill: ALARM. "))
            #expect(words.compose(title: "Mill", alarms: ["", ""]).hasPrefix("Mill: 2 ALARM"))
        }
        #expect(GermanWords.textWords.compose(title: "", alarms: ["", ""]).hasPrefix("2 ALARME. Mit OK"))
    }
}
