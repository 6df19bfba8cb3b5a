import AlarmModel
import Testing
import Uplinks

private typealias Bench = TextAlarmBench

/// The modem is registered, and the network takes no text: a congested cell, an account without credit.
@Suite("Text messages that nobody took")
struct TextAlarmRetryTests {
    /// A round of three tries that are refused at once, which begins now.
    private static func refuse(_ bench: inout Bench) {
        for number in 0..<3 {
            if number > 0 { bench.pass(30) }
            for text in bench.texts { bench.failed(text.id.number) }
        }
    }

    @Test("they are tried again after 2 min, doubling to an hour, for a day, and that is told once")
    func theyAreTriedAgainAfter2Min() {
        var bench = Bench()
        bench.waits(7, "Burglary")
        var tries: [Int] = []
        var notes: [TextAlarmNote] = []
        for _ in 0..<(2 * 8640) {
            bench.pass(10)
            notes += bench.notes
            for text in bench.texts {
                tries.append(bench.seconds)
                bench.failed(text.id.number)
                notes += bench.notes
            }
        }
        let rounds = stride(from: 0, to: tries.count, by: 3).map { tries[$0] }
        #expect(rounds.prefix(8) == [300, 480, 780, 1320, 2340, 4320, 7980, 11_640])
        #expect(rounds.count > 20 && rounds.allSatisfy { $0 < 86_400 }, "what is refused is none of the ten of a day")
        #expect(notes == [.failed([WaitingAlarmID(7)]), .givenUp([WaitingAlarmID(7)])])
    }

    @Test("a round without an answer may have reached somebody: there are ten of them in a day")
    func aRoundWithoutAnAnswerMayHaveReachedSomebody() {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(2 * 86_400)
        #expect(bench.texts.count == 30)
        let id = [WaitingAlarmID(7)]
        #expect(bench.notes == [.failed(id), .heldBack(id), .givenUp(id)])
    }

    @Test("an alarm that comes meanwhile shares its text with them")
    func anAlarmThatComesMeanwhileSharesItsTextWithThem() {
        var bench = Bench()
        bench.waits(1, "Burglary")
        bench.pass(130)
        bench.waits(2, "Fire")
        bench.pass(170)
        Self.refuse(&bench)
        #expect(bench.notes == [.failed([WaitingAlarmID(1)])])
        bench.pass(70)
        #expect(bench.texts.map(\.text) == ["2 ALARMS: Burglary; Fire"])
        Self.refuse(&bench)
        #expect(bench.notes == [.failed([WaitingAlarmID(2)])])
    }

    @Test("when the network takes the modem in anew they leave at once")
    func whenTheNetworkTakesTheModemInAnewTheyLeaveAtOnce() {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(300)
        Self.refuse(&bench)
        bench.pass(100)
        bench.ready(false)
        bench.ready(true)
        #expect(bench.texts.map(\.text) == ["Burglary"])
    }

    @Test("one that a data path delivers between two rounds is not tried again")
    func oneThatADataPathDeliversBetweenTwoRoundsIsNotTriedAgain() {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(300)
        Self.refuse(&bench)
        bench.delivered(7)
        bench.pass(2 * 86_400)
        #expect(bench.actions.isEmpty)
    }

    @Test("a text that waits for its modem a day long is no news any more")
    func aTextThatWaitsForItsModemADayLongIsNoNewsAnyMore() {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(300)
        bench.failed(1)
        bench.ready(false)
        bench.pass(86_400)
        #expect(bench.notes == [.givenUp([WaitingAlarmID(7)])])
        bench.ready(true)
        #expect(bench.texts.isEmpty && !bench.alarm.isSending)
    }

    @Test("what a data path takes while a text is retried waits for what becomes of it", arguments: [true, false])
    func whatADataPathTakesWhileATextIsRetriedWaitsForWhatBecomes(comesBack: Bool) {
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(300)
        bench.failed(1)
        bench.taken(7)
        bench.pass(40)
        #expect(bench.texts.isEmpty)
        if comesBack {
            bench.cameBack(7)
            #expect(bench.texts.count == 1)
        } else {
            bench.pass(86_400)
            #expect(bench.actions.isEmpty && !bench.alarm.isSending)
        }
    }
}
