import AlarmModel
import Testing
import Uplinks

private typealias Bench = TextAlarmBench

@Suite("Text messages unless somebody has confirmed the alarm")
struct TextAlarmConfirmedTests {
    private func texts(
        patience: Int = 300, unless: TextAlarmSettings.Unless = .confirmed, _ happens: (inout Bench) -> Void
    ) -> [Int] {
        var bench = Bench(patience: .seconds(patience), unless: unless)
        bench.waits(7, "Burglary")
        bench.alarm.numbered(WaitingAlarmID(7), SequenceNumber(40))
        happens(&bench)
        var times: [Int] = []
        while bench.seconds < 3600 {
            let before = bench.seconds
            bench.pass(1)
            for text in bench.texts {
                times.append(bench.seconds)
                bench.alarm.sent(text.id, at: bench.now, into: &bench.actions)
            }
            if bench.seconds == before { break }
        }
        return times
    }

    @Test("an alarm that services took and nobody confirmed goes out when one that nobody took would, not sooner")
    func anAlarmThatServicesTookAndNobodyConfirmedGoesOut() {
        #expect(texts { _ in } == [300])
        #expect(texts { $0.taken(7) } == [300])
        #expect(texts(unless: .taken) { $0.taken(7) } == [])
    }

    @Test("a person has two minutes to look at the phone, however short the owner's waiting time is")
    func aPersonHasTwoMinutesToLookAtThePhone() {
        #expect(texts(patience: 10) { _ in } == [10])
        #expect(texts(patience: 10) { $0.taken(7) } == [120])
        let late = texts(patience: 300) { bench in
            bench.pass(290)
            bench.taken(7)
        }
        #expect(late == [410])
        let twice = texts(patience: 10) { bench in
            bench.taken(7)
            bench.pass(60)
            bench.taken(7)
        }
        #expect(twice == [120], "who takes it again and again does not put it off")
    }

    @Test("what all services sent back waits for nobody to look")
    func whatAllServicesSentBackWaitsForNobodyToLook() {
        let back = texts(patience: 10) { bench in
            bench.taken(7)
            bench.taken(7)
            bench.cameBack(7)
            bench.pass(30)
            bench.cameBack(7)
            #expect(bench.texts.count == 1)
            bench.sent(1)
        }
        #expect(back == [])
    }

    @Test("a phone or a person that has the alarm's number ends it, another number does not", arguments: [39, 40, 41])
    func aPhoneOrAPersonThatHasTheAlarmsNumberEndsIt(_ upTo: Int64) {
        for unless in [TextAlarmSettings.Unless.confirmed, .taken] {
            #expect(texts(unless: unless) { $0.confirmed(0...upTo) }.isEmpty == (upTo >= 40))
            #expect(texts(unless: unless) { $0.confirmed(upTo...upTo) }.isEmpty == (upTo == 40))
        }
    }

    @Test("where only a person's word counts, a phone's receipt gives two minutes to look and ends nothing")
    func whereOnlyAPersonsWordCountsAReceiptGivesTwoMinutes() {
        #expect(texts(unless: .seen) { $0.confirmed(40...40) } == [300])
        #expect(texts(patience: 10, unless: .seen) { $0.confirmed(40...40) } == [120])
        #expect(texts(patience: 10, unless: .seen) { $0.taken(7) } == [120])
        #expect(texts(unless: .seen) { $0.confirmed(40...40, as: .seen) } == [])
        let again = texts(patience: 10, unless: .seen) { bench in
            for _ in 0..<10 {
                bench.confirmed(40...40)
                bench.pass(10)
            }
        }
        #expect(again == [120], "who has it again and again does not put it off")
    }

    @Test("what no service accepts for anybody goes out after a minute, or sooner where the owner says so")
    func whatNoServiceAcceptsGoesOutAfterAMinute() {
        for unless in [TextAlarmSettings.Unless.confirmed, .seen, .taken] {
            func times(patience: Int, _ then: (inout Bench) -> Void = { _ in }) -> [Int] {
                texts(patience: patience, unless: unless) { bench in
                    bench.unaccepted(7)
                    then(&bench)
                }
            }
            #expect(times(patience: 300) == [60])
            #expect(times(patience: 20) == [20])
            #expect(times(patience: 300) { $0.unaccepted(7, false) } == [300])
        }
    }

    @Test("another recipient gets what waits, with its number, and in tries of its own")
    func anotherRecipientGetsWhatWaits() {
        var bench = Bench(numbers: ["+1"], unless: .confirmed)
        bench.waits(7, "Burglary")
        bench.alarm.numbered(WaitingAlarmID(7), SequenceNumber(40))
        bench.pass(300)
        #expect(bench.texts.map(\.number) == ["+1"])
        let settings = TextAlarmSettings(numbers: ["+2"], unless: .confirmed)
        bench.alarm = bench.alarm.copy(for: settings, firstID: TextID(1 << 32), at: bench.now)
        bench.actions = []
        bench.alarm.timerFired(at: bench.now, into: &bench.actions)
        #expect(bench.texts.map(\.number) == ["+2"] && bench.texts.map(\.id.number) == [1 << 32])
        bench.confirmed(40...40)
        bench.failed(1 << 32)
        bench.pass(7200)
        #expect(bench.texts.isEmpty)
    }

    @Test("what somebody has, or went out as text, does not wait again when the store brings it once more")
    func whatSomebodyHasDoesNotWaitAgain() {
        for unless in [TextAlarmSettings.Unless.confirmed, .taken] {
            let confirmed = texts(unless: unless) { bench in
                bench.confirmed(40...40)
                bench.waits(7, "Burglary")
            }
            #expect(confirmed == [])
        }
        var bench = Bench()
        bench.waits(7, "Burglary")
        bench.pass(300)
        bench.sent(1)
        bench.waits(7, "Burglary")
        bench.pass(7200)
        #expect(bench.texts.isEmpty && bench.alarm.waitingCount == 0)
    }

    @Test("a confirmation in the middle of a round ends its tries; an owner who is content with less ends the wait")
    func aConfirmationInTheMiddleOfARoundEndsItsTries() {
        var bench = Bench(unless: .confirmed)
        bench.waits(7, "Burglary")
        bench.alarm.numbered(WaitingAlarmID(7), SequenceNumber(40))
        bench.pass(300)
        bench.failed(1)
        bench.confirmed(40...40)
        bench.pass(7200)
        #expect(bench.texts.isEmpty && bench.alarm.waitingCount == 0)
        var changed = Bench(unless: .confirmed)
        changed.waits(7, "Burglary")
        changed.taken(7)
        changed.alarm.change(
            TextAlarmSettings(numbers: ["+1"], unless: .taken), at: changed.now, into: &changed.actions)
        #expect(changed.alarm.waitingCount == 0)
    }
}
