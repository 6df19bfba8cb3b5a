import AlarmModel
import Testing
import Uplinks

private typealias Bench = TextAlarmBench

@Suite("Text messages as the last resort")
struct TextAlarmTests {
    @Test("an alarm that nothing delivers goes out after five minutes, once")
    func anAlarmThatNothingDeliversGoesOutAfterFiveMinutes() {
        var bench = Bench()
        bench.waits(7, "07:42 Burglary, Kitchen")
        #expect(bench.texts.isEmpty)
        bench.pass(299)
        #expect(bench.texts.isEmpty)
        bench.pass(1)
        #expect(bench.texts == [TextMessage(id: TextID(1), number: "+1", text: "07:42 Burglary, Kitchen")])
        bench.sent(1)
        #expect(bench.notes == [.sent([WaitingAlarmID(7)])])
        bench.pass(2 * 86_400)
        #expect(bench.actions.isEmpty)
    }

    @Test("an alarm that was delivered is never sent")
    func anAlarmThatWasDeliveredIsNeverSent() {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(299)
        bench.delivered(7)
        bench.pass(86_400)
        #expect(bench.actions.isEmpty)
    }

    @Test("what a data path took is no text while it may come back, nor when it has not")
    func whatADataPathTookIsNoTextWhileItMayComeBack() {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(299)
        bench.taken(7)
        bench.pass(86_400)
        #expect(bench.actions.isEmpty)
        #expect(bench.alarm.waitingCount == 0)
    }

    @Test("what every data path sent back goes out at once when its time has come", arguments: [1, 2])
    func whatEveryDataPathSentBackGoesOutAtOnceWhenItsTimeHasCome(paths: Int) {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(280)
        for _ in 0..<paths { bench.taken(7) }
        bench.pass(50)
        for _ in 1..<paths {
            bench.cameBack(7)
            #expect(bench.texts.isEmpty)
        }
        bench.cameBack(7)
        #expect(bench.texts.map(\.text) == ["Burglary"])
        bench.cameBack(7)
        #expect(bench.actions.isEmpty)
    }

    @Test("of two data paths one is enough, whichever took it first")
    func ofTwoDataPathsOneIsEnough() {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.taken(7)
        bench.pass(30)
        bench.taken(7)
        bench.cameBack(7)
        bench.pass(86_400)
        #expect(bench.actions.isEmpty)
    }

    @Test("duress never goes out as text")
    func duressNeverGoesOutAsText() {
        var bench = Bench()
        bench.waits(7, "Duress", duress: true)
        bench.pass(86_400)
        #expect(bench.actions.isEmpty)
    }

    @Test("nothing happens where no number is configured")
    func nothingHappensWhereNoNumberIsConfigured() {
        var bench = Bench(numbers: [])
        bench.waits(7, "Burglary")
        bench.pass(86_400)
        #expect(bench.actions.isEmpty)
        #expect(bench.alarm.nextDeadline == nil)
    }

    @Test("alarms that are due share one text; one that may still be delivered is not in it")
    func alarmsThatAreDueShareOneText() {
        var bench = Bench(title: "Home")
        bench.waits(1, "Burglary")
        bench.waits(2, "Fire")
        bench.pass(200)
        bench.waits(3, "Panic")
        bench.pass(100)
        #expect(bench.texts.map(\.text) == ["Home: 2 ALARMS: Burglary; Fire"])
        bench.sent(1)
        bench.pass(199)
        #expect(bench.texts.isEmpty)
        bench.pass(1)
        #expect(bench.texts.map(\.text) == ["Home: Panic"])
    }

    @Test("two minutes lie between rounds, and ten of them in a day are the end")
    func twoMinutesLieBetweenRounds() {
        var bench = Bench()
        var times: [Int] = []
        var held = 0
        for second in stride(from: 0, to: 26 * 3600, by: 10) {
            bench.seconds = second
            bench.actions = []
            if second % 30 == 0, second < 3600 { bench.waits(UInt64(second + 1), "Burglary") }
            bench.alarm.timerFired(at: bench.now, into: &bench.actions)
            held += bench.notes.count { if case .heldBack = $0 { true } else { false } }
            for text in bench.texts {
                times.append(second)
                bench.sent(text.id.number)
            }
        }
        #expect(times.prefix(10).allSatisfy { $0 <= 300 + 9 * 120 })
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 120 })
        #expect(times.count { $0 < 300 + 86_400 } == 10)
        #expect(held == 1)
    }

    @Test("a text that fails is tried three times, half a minute apart, and the failure is told")
    func aTextThatFailsIsTriedThreeTimes() {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(300)
        bench.failed(1)
        bench.pass(29)
        #expect(bench.texts.isEmpty)
        bench.pass(1)
        #expect(bench.texts.map(\.id) == [TextID(2)])
        bench.pass(120)
        #expect(bench.texts.isEmpty, "no answer is a failure as well")
        bench.pass(30)
        #expect(bench.texts.map(\.id) == [TextID(3)])
        bench.sent(1)
        #expect(bench.notes.isEmpty, "the late answer to an old try")
        bench.failed(3)
        #expect(bench.notes == [.failed([WaitingAlarmID(7)])])
        bench.pass(119)
        #expect(bench.actions.isEmpty)
        bench.pass(1)
        #expect(bench.texts.map(\.id) == [TextID(4)], "and once more")
        bench.sent(4)
        #expect(bench.notes == [.sent([WaitingAlarmID(7)])])
        bench.pass(86_400 * 2)
        #expect(bench.actions.isEmpty)
    }

    @Test("one number that got it is enough; the other is tried by itself")
    func oneNumberThatGotItIsEnough() {
        var bench = Bench(numbers: ["+1", "+2"])
        bench.waits(7, "Burglary")
        bench.pass(300)
        #expect(bench.texts.map(\.number) == ["+1", "+2"])
        bench.sent(2)
        bench.failed(1)
        bench.pass(30)
        #expect(bench.texts.map(\.number) == ["+1"])
        bench.failed(3)
        bench.pass(30)
        bench.failed(4)
        #expect(bench.notes == [.sent([WaitingAlarmID(7)])])
    }

    @Test("what a data path delivers while a text is retried is not tried again")
    func whatADataPathDeliversWhileATextIsRetriedIsNotTriedAgain() {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(300)
        bench.failed(1)
        bench.delivered(7)
        bench.pass(86_400)
        #expect(bench.actions.isEmpty)
        #expect(!bench.alarm.isSending)
    }

    @Test("a flood of alarms is one text that counts them")
    func aFloodOfAlarmsIsOneTextThatCountsThem() {
        var bench = Bench()
        for id in 0..<2000 { bench.waits(UInt64(id), "Burglary, zone \(id)") }
        bench.pass(300)
        #expect(bench.texts.count == 1)
        #expect(bench.texts.first?.text.hasPrefix("1000 ALARMS: Burglary, zone 0; ") == true)
        #expect(bench.texts.first?.text.hasSuffix(" more") == true)
    }

    @Test("without a modem the alarm waits for one, a day long")
    func withoutAModemTheAlarmWaitsForOne() {
        var bench = Bench(ready: false)
        bench.waits(7, "Burglary")
        bench.pass(3600)
        #expect(bench.actions.isEmpty)
        bench.ready(true)
        #expect(bench.texts.count == 1)

        var other = Bench(ready: false)
        other.waits(7, "Burglary")
        other.pass(86_400)
        #expect(other.notes == [.givenUp([WaitingAlarmID(7)])])
        other.ready(true)
        #expect(other.texts.isEmpty)
    }

    @Test("any number of alarms with any words fits into 160 letters of the alphabet of text messages")
    func anyNumberOfAlarmsWithAnyWordsFitsInto160Letters() {
        var random = Jitter(seed: 5)
        let letters = Array("abcXYZ 0189äÄß€[]~çéłŠ日本😀\n\u{202E}\"@…")
        for _ in 0..<300 {
            let alarms = (0..<Int(random.next() % 12)).map { _ in
                String((0..<Int(random.next() % 200)).map { _ in letters[Int(random.next() % UInt64(letters.count))] })
            }
            let title = String(repeating: "€", count: Int(random.next() % 40))
            let text = TextWords().compose(title: title, alarms: alarms)
            #expect(TextWords.length(text) <= 160, "\(text)")
            #expect(!text.unicodeScalars.contains { "日\u{202E}\n@".unicodeScalars.contains($0) })
        }
    }

    @Test("a count of any length has its place")
    func aCountOfAnyLengthHasItsPlace() {
        for count in [2, 10, 11, 100, 101, 1000] {
            for letters in 100...160 {
                let alarms = [String(repeating: "x", count: letters)] + Array(repeating: "Burglary", count: count - 1)
                let text = TextWords().compose(title: "", alarms: alarms)
                #expect(TextWords.length(text) <= TextWords.limit, "\(text)")
            }
        }
    }

    @Test("what does not fit is counted, and accents that texts do not have are left out")
    func whatDoesNotFitIsCounted() {
        let long = String(repeating: "x", count: 50)
        let text = TextWords().compose(title: "", alarms: [long, long, long, long])
        #expect(text == "4 ALARMS: \(long); \(long); +2 more")
        #expect(TextWords.fold("Š\u{FA}bor\nčidla – Kø") == "Subor cidla - Kø")
        let one = TextWords().compose(title: "", alarms: [String(repeating: "y", count: 300)])
        #expect(one.hasPrefix("yyy"))
    }
}
