import AlarmModel
import Testing
import Uplinks

@Suite("Answers to texts: what counts, from whom, about what")
struct TextAnswerTests {
    @Test(
        "one word in any case, with spaces and one sign behind it, means that the alarm was seen",
        arguments: [
            ("OK", true), ("ok", true), (" Ok.\n", true), ("ok !", true), ("Gesehen", true), ("SEEN!", true),
            ("ok..", false), ("ok?", false), ("okay", false), ("not ok", false), ("", false), (".", false),
            ("ok disarm", false), ("disarm 1234", false), ("arm", false), ("О\u{41A}", false),
        ])
    func oneWordMeansThatTheAlarmWasSeen(text: String, isSeen: Bool) {
        #expect(TextAnswer.isSeen(text) == isSeen)
    }

    @Test(
        "a sender is known with his country, without it, and by nothing shorter than eight digits",
        arguments: [
            ("+43 664 123-4567", "+436641234567"), ("00436641234567", "+436641234567"),
            ("06641234567", "+436641234567"), ("436641234567", "+436641234567"), ("41234567", "+436641234567"),
            ("+49", nil), ("1234567", nil), ("+496641234568", nil), ("BANK 6641234567", nil), ("", nil), ("0", nil),
            ("٠٦٦٤١٢٣٤٥٦٧", nil),
        ])
    func aSenderIsKnownWithHisCountryAndWithoutIt(sender: String, number: String?) {
        #expect(TextAnswer.number(of: sender, among: ["+436641234567", "+437"]) == number)
    }

    @Test("a sender without a country who could be two of the numbers is none of them")
    func aSenderWhoCouldBeTwoOfTheNumbersIsNone() {
        let numbers = ["+436641234567", "+496641234567"]
        #expect(TextAnswer.number(of: "06641234567", among: numbers) == nil)
        #expect(TextAnswer.number(of: "+496641234567", among: numbers) == "+496641234567")
    }

    @Test("whatever a network hands on as a text or a sender is looked at to its end")
    func whateverANetworkHandsOn() {
        var random = Jitter(seed: 9)
        let letters = Array("0123456789+-/(). okOKseng!\n\u{300}\u{202E}é😀\u{0}")
        for _ in 0..<3000 {
            let count = Int(random.next() % 40)
            let text = String((0..<count).map { _ in letters[Int(random.next() % UInt64(letters.count))] })
            let numbers = ["+436641234567", "+0", "", "+1234567"]
            if let number = TextAnswer.number(of: text, among: numbers) { #expect(numbers.contains(number)) }
            _ = TextAnswer.isSeen(text)
        }
    }

    private static func time(_ hours: Int) -> BootTime { .zero + .hours(hours) }
    private static let alarms = [WaitingAlarmID(1), WaitingAlarmID(2)]

    @Test("an answer is about all texts of the last 24 hours to its number, and counts once")
    func anAnswerIsAboutAllTextsOfTheLast24Hours() {
        var texts = OpenTexts()
        texts.sent(to: "+1", about: Self.alarms, upTo: SequenceNumber(8), at: Self.time(0))
        texts.sent(to: "+2", about: Self.alarms, upTo: SequenceNumber(8), at: Self.time(0))
        texts.sent(to: "+1", about: [WaitingAlarmID(3)], upTo: nil, at: Self.time(1))
        texts.numbered(WaitingAlarmID(3), SequenceNumber(11))
        #expect(texts.answered(by: "+3", at: Self.time(2)) == nil)
        let one = texts.answered(by: "+1", at: Self.time(2))
        #expect(one?.alarms == Self.alarms + [WaitingAlarmID(3)] && one?.last == SequenceNumber(11))
        #expect(texts.answered(by: "+1", at: Self.time(2)) == nil)
        let two = texts.answered(by: "+2", at: Self.time(23))
        #expect(two?.alarms == Self.alarms && two?.last == SequenceNumber(8))
        texts.sent(to: "+1", about: Self.alarms, upTo: SequenceNumber(8), at: Self.time(30))
        #expect(texts.answered(by: "+1", at: Self.time(54)) == nil)
    }

    @Test("of more rounds of texts to a number than are kept the earliest are forgotten, and none to another number")
    func ofMoreRoundsTheEarliestAreForgotten() {
        var texts = OpenTexts()
        for round in 0...OpenTexts.capacity {
            if round == 0 { texts.sent(to: "+2", about: [WaitingAlarmID(0)], upTo: nil, at: Self.time(0)) }
            texts.sent(to: "+1", about: [WaitingAlarmID(UInt64(round))], upTo: nil, at: Self.time(0))
        }
        let kept = (1...OpenTexts.capacity).map { WaitingAlarmID(UInt64($0)) }
        #expect(texts.answered(by: "+1", at: Self.time(1))?.alarms == kept)
        #expect(texts.answered(by: "+2", at: Self.time(1))?.alarms == [WaitingAlarmID(0)])
    }

    @Test("how a text is answered stands at its end where there is room, and takes none from the alarms")
    func howATextIsAnsweredStandsAtItsEnd() {
        let hint = "Mit OK antworten = gesehen."
        for count in 1...4 {
            for letters in 1...160 {
                let alarms = Array(repeating: String(repeating: "x", count: letters), count: count)
                let plain = TextWords().compose(title: "Mill", alarms: alarms)
                let text = TextWords(hint: hint).compose(title: "Mill", alarms: alarms)
                #expect(TextWords.length(text) <= TextWords.limit)
                let hasRoom = TextWords.length(plain) + 2 + hint.count <= TextWords.limit
                #expect(text == (hasRoom ? "\(plain). \(hint)" : plain))
            }
        }
    }
}
