import AlarmModel
import Simulation
import Testing

/// `tools/simulate --enumerate 5` goes through all of them.
@Suite("Short scripts of panel events go through the oracle")
struct EnumerationTests {
    typealias Word = Enumeration.Word

    @Test(
        arguments: [(Word.ofPanel, 2, nil), (Word.ofPanel, 3, .arm), (Word.ofOrders, 2, .arm)] as [([Word], Int, Word?)]
    )
    func whatIsToldHasHappened(words: [Word], length: Int, first: Word?) {
        let result = Enumeration(words, length: length, first: first)
        #expect(result.scripts > 50)
        for finding in result.findings {
            Issue.record("\(finding.what) by \(finding.shortest.map(\.rawValue)): \(finding.detail)")
        }
    }

    #if SABOTAGE
        static let bugs: [(Sabotage, [Word], first: Word)] = [
            (.sirenEndsAlarm, Word.ofPanel, .arm), (.silenceIsDisarming, Word.ofPanel, .fire),
            (.memoryUntold, Word.ofPanel, .arm), (.endUntold, Word.ofPanel, .arm),
            (.namesWrongZone, Word.ofPanel, .arm), (.forgetsIncident, Word.ofPanel, .arm),
            (.refusalIsDone, Word.ofOrders, .arm),
        ]

        @Test("every deliberate bug about what is told of alarms is found", arguments: bugs)
        func everyDeliberateBugIsFound(sabotage: Sabotage, words: [Word], first: Word) {
            let result = Enumeration(words, length: 3, first: first, sabotage: sabotage)
            #expect(!result.findings.isEmpty, "\(sabotage.rawValue) was not found in \(result.scripts) scripts")
        }

        @Test("the end of an alarm that never leaves is found in simulated houses with alarms")
        func theEndOfAnAlarmThatNeverLeavesIsFound() {
            let isFound = (1...UInt64(8)).contains { seed in
                var plan = RunPlan(seed: seed, sabotage: .stormHoldsEnd)
                plan.hasIncidents = true
                return plan.violation(settles: true) != nil
            }
            #expect(isFound)
        }
    #endif

    @Test("an alarm that somebody disarms breaks no promise")
    func anAlarmThatSomebodyDisarmsBreaksNoPromise() {
        #expect(Enumeration([.arm, .burglary, .disarm]).findings.isEmpty)
        #expect(Enumeration([.arm, .cut, .burglary, .restored, .disarm]).findings.isEmpty)
        // The report that ends the gap repeats a disarming that was heard a moment ago.
        #expect(Enumeration([.dies, .refuses014, .arm, .burglary, .disarm]).findings.isEmpty)
        // A memory light in a gap that began with a dead keybus and went on as a lost link.
        #expect(Enumeration([.refuses014, .orderDisarm, .cut, .fire, .disarm]).findings.isEmpty)
    }
}
