import Simulation
import Testing

@Suite("Short scripts of panel events go through the oracle")
struct EnumerationTests {
    /// Ways to break a promise that are known and not fixed.
    private static let known: [String] = []

    @Test(arguments: [(Enumeration.Word.ofPanel, 3), (Enumeration.Word.ofOrders, 2)])
    func everyScriptTellsWhatHappened(words: [Enumeration.Word], length: Int) {
        let result = Enumeration(words, length: length)
        #expect(result.scripts > 500)
        for finding in result.findings where !Self.known.contains(finding.what) {
            Issue.record("\(finding.what) by \(finding.shortest.map(\.rawValue)): \(finding.detail)")
        }
    }
}
