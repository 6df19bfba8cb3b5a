import AlarmModel
import Testing

@Suite("What is typed about people and phones")
struct PersonNameTests {
    @Test("a name has 1 to 32 bytes, can be shown, and has no blank at an end")
    func aNameHas1To32Bytes() {
        for name in ["A", "Änne B.", "日本", String(repeating: "x", count: 32)] {
            #expect(PersonName(name)?.text == name)
        }
        for name in ["", " A", "A ", "A\u{1B}[2J", "a\u{7F}", "a\u{9F}", String(repeating: "ä", count: 17)] {
            #expect(PersonName(name) == nil, "\(name)")
        }
    }

    @Test("a language that there are no words in is read as English")
    func aLanguageThatThereAreNoWordsInIsReadAsEnglish() {
        #expect(NoticeLanguage(code: "de") == .german && NoticeLanguage(rawValue: "de") == .german)
        for text in ["", "d", "fr", "DE"] {
            #expect(NoticeLanguage(code: text) == .english && NoticeLanguage(rawValue: text) == nil, "\(text)")
        }
    }

    @Test("a registration token has 8 to 4096 characters that can be typed")
    func aRegistrationTokenHas8To4096CharactersThatCanBeTyped() {
        #expect(RegistrationToken("fV1x:APA91bF_-")?.text == "fV1x:APA91bF_-")
        #expect(RegistrationToken(String(repeating: "x", count: 4096)) != nil)
        for text in ["", "1234567", "1234 5678", "1234567ä", String(repeating: "x", count: 4097)] {
            #expect(RegistrationToken(text) == nil, "\(text.prefix(20))")
        }
    }

    @Test("the digits of a pairing are six, with blanks and hyphens as people put them")
    func theDigitsOfAPairingAreSix() {
        for text in ["123456", "123 456", "12-34-56", " 123456 "] {
            #expect(PairingDigits(text)?.code == Secret("123456"), "\(text)")
        }
        for text in ["", "12345", "1234567", "12345a", "１２３４５６"] { #expect(PairingDigits(text) == nil, "\(text)") }
    }

    @Test("nobody is kept from alarms by a slip")
    func nobodyIsKeptFromAlarmsByASlip() {
        #expect(PriorityClass.withAlarm([]) == [.alarm])
        #expect(PriorityClass.withAlarm([.fault, .info]) == [.alarm, .fault, .info])
        #expect(PriorityClass.withAlarm([.alarm, .state]) == [.alarm, .state])
    }
}
