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

    @Test("an alarm that somebody disarms breaks no promise")
    func anAlarmThatSomebodyDisarmsBreaksNoPromise() {
        #expect(Enumeration([.arm, .burglary, .disarm]).findings.isEmpty)
        #expect(Enumeration([.arm, .cut, .burglary, .restored, .disarm]).findings.isEmpty)
    }
}
